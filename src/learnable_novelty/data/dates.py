"""Time: the order of the rows of a series, its spacing, and the cyclic parts of dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnable_novelty.data.table import Column
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

TOLERANCE = 0.05
"""Share of a step by which steps may differ."""
CYCLES = {"month": 12, "weekday": 7, "hour": 24}
"""Parts of a date that come round again, and how many values each has."""


def time_order(column: Column) -> tuple[np.ndarray, str]:
    """Return the order of rows in time, and what was found about their spacing.

    Steps are equal up to a twentieth of a step, or calendar months, quarters or years apart.

    Raises:
        UserError: for a column that is no time, gaps in it, two rows of one time, unequal steps.
    """
    name = column.name
    if column.kind not in ("date", "number", "index") or column.values.dtype.kind not in "fM":
        raise UserError(f"expected dates or numbers in the time column {name!r}, got {column.kind}")
    if column.missing:
        raise UserError(f"expected a time in every row, got {column.missing} gaps in {name!r}")
    order = np.argsort(column.values, kind="stable")
    values = column.values[order]
    if len(values) < 3:
        return order, f"rows are in the order of {printable(name)}"
    steps = np.diff(values)
    zero = np.zeros(1, steps.dtype)[0]
    if bool((steps == zero).any()):
        twice = values[int(np.argmax(steps == zero))]
        raise UserError(
            f"expected one row for each time, got two at {_moment(twice)} in {name!r}: choose "
            "the rows of one series first"
        )
    unit = _calendar_unit(values)
    if unit is None and not _are_equal(steps):
        row = int(np.argmax(steps))
        raise UserError(
            f"expected equal steps in the time column {name!r}, got {_told(steps.min())} to "
            f"{_told(steps.max())} (after {_moment(values[row])}): fill in the missing rows, "
            "or leave out the time column if rows are samples"
        )
    sorted_already = bool((order == np.arange(len(order))).all())
    how_ordered = "already in" if sorted_already else "put in"
    return (
        order,
        f"rows {how_ordered} the order of {printable(name)}, in steps of {unit or _told(steps[0])}",
    )


def _are_equal(steps: np.ndarray) -> bool:
    sizes = steps.astype(np.float64)
    return bool(np.ptp(sizes) <= TOLERANCE * np.median(sizes))


def _told(step: np.generic) -> str:
    if not isinstance(step, np.timedelta64):
        return f"{float(step):.6g}"
    seconds = step / np.timedelta64(1, "s")
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"1 {unit[:-1]}" if seconds == size else f"{seconds / size:.6g} {unit}"
    return f"{seconds:.6g} seconds"


def _moment(value: np.generic) -> str:
    """Write a time without zeros that say nothing.

    >>> _moment(np.datetime64("2020-01-31T00:00:00.000000000")), _moment(np.float64(3))
    ('2020-01-31', '3')
    """
    if not isinstance(value, np.datetime64):
        return f"{float(value):.15g}"
    text = str(np.datetime_as_string(value, unit="s"))
    return text.removesuffix("T00:00:00")


def _calendar_unit(values: np.ndarray) -> str | None:
    """Return months, quarters or years if each step is one of these."""
    if values.dtype.kind != "M":
        return None
    months = values.astype("datetime64[M]")
    steps = np.unique(np.diff(months).astype(np.int64))
    if len(steps) != 1 or steps[0] == 0:
        return None
    days = (values.astype("datetime64[D]") - months.astype("datetime64[D]")).astype(np.int64)
    ends = (values.astype("datetime64[D]") + 1).astype("datetime64[M]") != months
    if np.ptp(days) > 0 and not bool(ends.all()):
        return None
    return {1: "1 month", 3: "3 months", 12: "1 year"}.get(int(steps[0]), f"{steps[0]} months")


def cyclic_columns(column: Column, parts: Sequence[str]) -> list[Column]:
    """Return sine and cosine of cyclic parts of dates; those that do not vary are left out.

    >>> day = Column("day", "date", np.array(["2020-01-01", "2020-04-01"], dtype="datetime64[D]"))
    >>> [one.name for one in cyclic_columns(day, ["month"])]
    ['day month sin', 'day month cos']
    """
    waves = []
    for part in parts:
        if part not in CYCLES:
            raise UserError(f"expected cyclic parts among {', '.join(CYCLES)}, got {part!r}")
        place = _part(column.values, part).astype(np.float64)
        place[column.is_missing] = np.nan
        if not np.nanmax(place, initial=-1) > np.nanmin(place, initial=np.inf):
            continue
        angle = 2 * np.pi * place / CYCLES[part]
        for name, wave in (("sin", np.sin(angle)), ("cos", np.cos(angle))):
            waves.append(Column(f"{column.name} {part} {name}", "number", wave))
    return waves


def _part(values: np.ndarray, part: str) -> np.ndarray:
    if part == "month":
        return values.astype("datetime64[M]").astype(np.int64) % 12
    if part == "weekday":  # 1970-01-01 was a Thursday; Monday is 0
        return (values.astype("datetime64[D]").astype(np.int64) + 3) % 7
    return values.astype("datetime64[h]").astype(np.int64) % 24

"""Time: the order of the rows of a series, and its spacing."""

from __future__ import annotations

import numpy as np

from learnable_novelty.data.table import Column
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

TOLERANCE = 0.05
"""Share of a step by which steps may differ."""


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

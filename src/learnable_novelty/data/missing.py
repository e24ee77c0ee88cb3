"""Rows with gaps: left out, refused, filled and marked, or, in a series, interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from learnable_novelty.data.table import Column
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

Missing = Literal["drop", "refuse", "indicate", "interpolate"]
"""What is done about rows with gaps: left out; refused; of inputs, filled with the mean beside a
column that says so; in a series, filled along a line between neighbours."""


def check_missing(how: str | None) -> Missing | None:
    """Return a way to treat gaps, or raise."""
    for known in get_args(Missing):
        if how == known:
            return known
    if how is None:
        return None
    ways = ", ".join(get_args(Missing))
    raise UserError(f"expected missing to be one of {ways}, got {how!r}")


def without_gaps(
    inputs: Sequence[Column],
    targets: Sequence[Column],
    how: Missing | None,
    *,
    is_series: bool,
) -> tuple[list[Column], list[Column], np.ndarray, list[str]]:
    """Return inputs, targets and the rows to use, without gaps, and what was done.

    Args:
        inputs: columns.
        targets: columns.
        how: by default rows are left out, and a series with gaps is refused.
        is_series: whether rows are steps of time, so that none can be left out.
    """
    inputs, targets = list(inputs), list(targets)
    count = len((inputs or targets)[0].values)
    gaps = _gaps([*inputs, *targets], count)
    total = int(gaps.sum())
    everything = np.arange(count)
    if not total:
        return inputs, targets, everything, []
    said = f"{total} of {count} rows have gaps (most in {_worst([*inputs, *targets])})"
    if how == "refuse":
        raise UserError(f"expected no gaps, but {said}: leave these rows out, or fill them in")
    if how == "interpolate":
        if not is_series:
            raise UserError("gaps are interpolated in a series only: expected a window or leads")
        inputs, targets = ([_interpolated(one) for one in many] for many in (inputs, targets))
        return inputs, targets, everything, [f"{said}: filled along lines between neighbours"]
    if is_series and how != "indicate":
        raise UserError(
            f"expected a series without gaps, but {said}: fill them (missing='interpolate'), or "
            "choose other columns"
        )
    notes = []
    if how == "indicate":
        marked = [one.name for one in inputs if one.missing]
        inputs = [part for one in inputs for part in _indicated(one)]
        gaps = _gaps(targets, count)
        if marked:
            names = ", ".join(map(printable, marked[:6])) + (", ..." if len(marked) > 6 else "")
            notes.append(f"gaps filled and marked by a column of their own: {names}")
        if is_series and gaps.any():
            raise UserError(f"expected targets of a series without gaps, got {int(gaps.sum())}")
    rows = np.flatnonzero(~gaps)
    if len(rows) < count:
        notes.append(
            f"{count - len(rows)} of {count} rows have gaps: left out (most in "
            f"{_worst(targets if how == 'indicate' else [*inputs, *targets])})"
        )
    if len(rows) < 2:
        some = f"all {count} have some" if not len(rows) else f"only 1 of {count} has none"
        worst = max([*inputs, *targets], key=lambda one: one.missing)
        raise UserError(
            f"expected rows without gaps, but {some}: choose columns without "
            f"{printable(worst.name)} ({worst.missing} gaps), or fill the gaps of inputs "
            "(missing='indicate')"
        )
    return inputs, targets, rows, notes


def too_sparse(inputs: Sequence[Column], targets: Sequence[Column]) -> list[Column]:
    """Return inputs that would cost most rows: those with the most gaps, until half the rows stay.

    Of the rows whose targets are known, at least half must have all inputs; one input is kept.

    >>> x = Column("x", "number", np.array([1.0, 2.0, 3.0, 4.0]))
    >>> rare = Column("rare", "number", np.array([np.nan, np.nan, np.nan, 4.0]))
    >>> [column.name for column in too_sparse([x, rare], [])]
    ['rare']
    """
    if not inputs:
        return []
    known = ~_gaps(targets, len(inputs[0].values))
    kept = sorted(inputs, key=lambda one: one.missing)
    left: list[Column] = []
    gaps = np.sum([one.is_missing & known for one in kept], axis=0)
    while len(kept) > 1 and 2 * int((known & (gaps == 0)).sum()) < known.sum():
        worst = kept.pop()
        gaps = gaps - (worst.is_missing & known)
        left.append(worst)
    return left


def _gaps(columns: Sequence[Column], count: int) -> np.ndarray:
    gaps = np.zeros(count, dtype=bool)
    for column in columns:
        gaps |= column.is_missing
    return gaps


def _worst(columns: Sequence[Column]) -> str:
    worst = max(columns, key=lambda one: one.missing)
    return f"{printable(worst.name)}: {worst.missing}"


def _indicated(column: Column) -> list[Column]:
    """Fill gaps with the mean, or a level of their own, and say where they were."""
    if not column.missing:
        return [column]
    if column.kind == "category":
        codes = np.where(column.values < 0, len(column.levels), column.values)
        return [replace(column, values=codes, levels=(*column.levels, "missing"))]
    filled = np.where(column.is_missing, np.nanmean(column.values), column.values)
    marks = Column(f"{column.name} is missing", "boolean", column.is_missing.astype(np.float64))
    return [replace(column, values=filled), marks]


def _interpolated(column: Column) -> Column:
    """Fill gaps of numbers along lines; those at an end take the nearest value."""
    if not column.missing:
        return column
    if column.kind == "category":
        raise UserError(f"gaps of a category cannot be interpolated: column {column.name!r}")
    places, known = np.arange(len(column.values)), ~column.is_missing
    return replace(column, values=np.interp(places, places[known], column.values[known]))

"""Rows with gaps: filled and marked, left out, refused, or, in a series, interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from learnable_novelty.data.table import Column, gaps_of
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

Missing = Literal["fill", "drop", "refuse", "interpolate"]
"""What is done about rows with gaps: gaps of inputs get the median, beside a column that marks
them, and rows whose targets have gaps are left out; all such rows are left out; they are refused;
in a series, they are filled along a line between neighbours."""


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
    """Return inputs, targets and the rows to use, and what was done about gaps.

    Args:
        inputs: columns; with "fill" their gaps are left to ``encode``.
        targets: columns.
        how: by default gaps of inputs are filled, and a series with gaps is refused.
        is_series: whether rows are steps of time, so that none can be left out.
    """
    inputs, targets = list(inputs), list(targets)
    both = [*inputs, *targets]
    count = len(both[0].values)
    total = int(gaps_of(both, count).sum())
    everything = np.arange(count)
    if not total:
        return inputs, targets, everything, []
    said = f"{total} of {count} rows have gaps ({_worst(both)})"
    if how == "refuse":
        raise UserError(f"expected no gaps, but {said}: leave these rows out, or fill them in")
    if how == "interpolate":
        if not is_series:
            raise UserError("gaps are interpolated in a series only: expected a window or leads")
        inputs, targets = ([_interpolated(one) for one in many] for many in (inputs, targets))
        return inputs, targets, everything, [f"{said}: filled along lines between neighbours"]
    needed = both if how == "drop" else targets
    if is_series and (how != "fill" or bool(gaps_of(needed, count).any())):
        raise UserError(
            f"expected a series without gaps, but {said}: fill them (missing='interpolate'), or "
            "choose other columns"
        )
    left_out = gaps_of(needed, count)
    rows, notes = np.flatnonzero(~left_out), []
    if how != "drop" and (filled := [one for one in inputs if one.is_missing[rows].any()]):
        gaps = int(gaps_of(filled, count)[rows].sum())
        named = ", ".join(printable(one.name) for one in filled[:6])
        named += f" and {len(filled) - 6} more" if len(filled) > 6 else ""
        notes.append(f"{gaps} of {len(rows)} rows have gaps of inputs: filled and marked ({named})")
    if len(rows) < count:
        notes.append(f"{count - len(rows)} of {count} rows have gaps: left out ({_worst(needed)})")
    if len(rows) < 2:
        some = f"all {count} have some" if not len(rows) else f"only 1 of {count} has none"
        raise UserError(
            f"expected rows without gaps, but {some} ({_worst(needed)}): choose other columns"
            + (", or fill the gaps of inputs (missing='fill')" if how == "drop" else "")
        )
    return inputs, targets, rows, notes


def _worst(columns: Sequence[Column]) -> str:
    worst = max(columns, key=lambda one: one.missing)
    return f"most in {printable(worst.name)}: {worst.missing}"


def _interpolated(column: Column) -> Column:
    """Fill gaps of numbers along lines; those at an end take the nearest value."""
    if not column.missing:
        return column
    if column.kind == "category":
        raise UserError(f"gaps of a category cannot be interpolated: column {column.name!r}")
    places, known = np.arange(len(column.values)), ~column.is_missing
    return replace(column, values=np.interp(places, places[known], column.values[known]))

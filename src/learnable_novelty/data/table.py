"""A typed table in memory, and the numbers that its columns become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

Kind = Literal["number", "category", "boolean", "date", "text", "index", "constant"]
"""A number, category or boolean can be measured. The others are left out: text of many values, an
index that only counts rows, and columns of one value."""
MEASURED: tuple[Kind, ...] = ("number", "category", "boolean")
"""Kinds that become inputs and targets."""


@dataclass(frozen=True)
class Column:
    """One column: its name, its kind, and its values."""

    name: str
    kind: Kind
    values: np.ndarray
    """float64 with NaN where a number or boolean is missing; of a category the place of its level,
    with -1 where it is missing; datetime64 with NaT; else text as objects, with None."""
    levels: tuple[str, ...] = ()
    """Of a category, in the order of the places."""
    reason: str = ""
    """Why it is an index."""

    @cached_property
    def is_missing(self) -> np.ndarray:
        """Whether a row has no value here."""
        if self.kind == "category":
            return self.values < 0
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        if self.values.dtype.kind == "M":
            return np.isnat(self.values)
        return np.array([value is None for value in self.values], dtype=bool)

    @property
    def missing(self) -> int:
        """How many rows have no value here."""
        return int(self.is_missing.sum())

    def described(self) -> dict[str, Any]:
        """Return name, kind, missing rows and levels as plain values that JSON can hold."""
        values = {"name": self.name, "kind": self.kind, "missing": self.missing}
        return {**values, "levels": list(self.levels)} if self.levels else values


@dataclass(frozen=True)
class Table:
    """Columns of one length, and what was decided while they were read."""

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    """Decisions in plain words, such as "left out: an unnamed index"."""
    missing: str | None = None
    """What to do with rows that have gaps: see ``missing.Missing``."""

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values) if self.columns else 0

    @property
    def measured(self) -> tuple[Column, ...]:
        """The columns that can be inputs or targets."""
        return tuple(column for column in self.columns if column.kind in MEASURED)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(printable(column.name) for column in self.columns[:12])
        raise UserError(f"expected a column of the table ({names}), got {name!r}")


@dataclass(frozen=True)
class Encoded:
    """Columns as numbers: a category becomes one column of zeros and ones for each level."""

    matrix: np.ndarray
    """(rows, width), float64 without NaN."""
    places: dict[str, slice]
    """Which columns of the matrix a column of the table became."""
    rows: np.ndarray
    """Which rows of the table these are: those where no chosen column is missing."""


def encode(
    columns: Sequence[Column],
    rows: np.ndarray | None = None,
    *,
    fill: bool = False,
    dtype: Any = np.float64,
) -> Encoded:
    """Turn columns into numbers, one-hot for categories.

    Args:
        columns: numbers, booleans and categories.
        rows: which rows to take; those without a gap by default.
        fill: give gaps the median, beside a column that marks them, or a level of their own.
        dtype: of the matrix.

    >>> price = Column("price", "number", np.array([1.0, np.nan, 3.0]))
    >>> color = Column("color", "category", np.array([1, 0, 0]), ("blue", "red"))
    >>> encode([price, color]).matrix.tolist()
    [[1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    >>> encode([price], np.arange(3), fill=True).matrix.tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    """
    for column in columns:
        if column.kind not in MEASURED:
            raise UserError(f"column {printable(column.name)} holds no numbers: {column.kind}")
    if rows is None:
        rows = np.flatnonzero(~gaps_of(columns, len(columns[0].values)))
    parts = [_numbers(column, rows, fill) for column in columns]
    ends = np.cumsum([0, *(part.shape[1] for part in parts)])
    places = {
        column.name: slice(int(start), int(stop))
        for column, start, stop in zip(columns, ends, ends[1:], strict=False)
    }
    return Encoded(np.concatenate(parts, axis=1, dtype=dtype, casting="unsafe"), places, rows)


def gaps_of(columns: Sequence[Column], count: int) -> np.ndarray:
    """Return in which rows a column has no value."""
    gaps = np.zeros(count, dtype=bool)
    for column in columns:
        gaps |= column.is_missing
    return gaps


def _numbers(column: Column, rows: np.ndarray, fill: bool) -> np.ndarray:
    values, missing = column.values[rows], column.is_missing[rows]
    marked = fill and bool(missing.any())
    if column.kind == "category":
        levels = [*range(len(column.levels)), *([-1] if marked else [])]
        return values[:, None] == np.array(levels)
    if not marked:
        return values[:, None]
    median = np.median(values[~missing]) if not missing.all() else 0.0
    return np.column_stack([np.where(missing, median, values), missing])

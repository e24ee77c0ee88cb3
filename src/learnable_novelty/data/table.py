"""A typed table in memory, and the numbers that its columns become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.text import MOST_NAMED, listed, printable

Kind = Literal["number", "category", "boolean", "date", "text", "index", "group", "constant"]
"""A number, category or boolean can be measured. The others are left out: text of many values, an
index that only counts rows, the name of a group of rows, and columns of one value."""
MEASURED: tuple[Kind, ...] = ("number", "category", "boolean")
"""Kinds that become inputs and targets."""
MOST_LEVELS = 30
"""Beyond so many a category is an input only: its common levels, and how frequent each level is."""
TIMES = ("year", "date", "time", "month", "quarter", "week", "day", "hour", "period", "t")
"""Names of numbers that date the rows, if they rise from row to row."""
CYCLES = (365.2425, 7.0, 1.0)
"""Days of the cycles that a date has."""


class Decision(str):
    """What was decided about a table, in words, and what decides otherwise."""

    column: str
    keyword: str
    """Of ``read_table``, or "" if there is none."""
    value: str

    def __new__(cls, text: str, column: str = "", keyword: str = "", value: str = "") -> Decision:
        decision = super().__new__(cls, text)
        decision.column, decision.keyword, decision.value = column, keyword, value
        return decision

    @property
    def option(self) -> str:
        """The keyword as it is written, such as kinds={"x": "text"}."""
        if self.keyword == "kinds":
            return f"kinds={{{self.column!r}: {self.value!r}}}"
        return f"{self.keyword}={self.value}" if self.keyword else ""


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
    def is_target(self) -> bool:
        """Whether it can be learned: a number, a boolean, or a category of not too many levels."""
        return self.kind in MEASURED and len(self.levels) <= MOST_LEVELS

    @property
    def missing(self) -> int:
        """How many rows have no value here."""
        return int(self.is_missing.sum())

    def described(self) -> dict[str, Any]:
        """Return name, kind, missing rows and levels as plain values that JSON can hold."""
        values = {"name": self.name, "kind": self.kind, "missing": self.missing}
        return {**values, "levels": list(self.levels)} if self.levels else values


def kind_notes(columns: Sequence[Column]) -> list[str]:
    """Say which columns are left out and why, and which are categories."""
    notes: list[str]
    left = [f"{printable(one.name)} ({_why(one)})" for one in columns if one.kind not in MEASURED]
    notes = [f"left out: {listed(left)}"] if left else []
    for one in columns:
        if one.kind == "category":
            many = f": its {MOST_LEVELS} most frequent, and how frequent each is, are inputs"
            said = f"{printable(one.name)} is a category of {len(one.levels)}"
            said += many * (not one.is_target)
            notes.append(Decision(said, one.name, "kinds", "text"))
    shown = notes[:MOST_NAMED]
    return shown + (
        [f"{len(notes) - len(shown)} more categories"] if len(notes) > len(shown) else []
    )


def _why(column: Column) -> str:
    if column.kind == "index":
        return f"index: {column.reason}" if column.reason else "index"
    if column.kind == "constant":
        return "no values" if column.missing == len(column.values) else "one value"
    if column.kind == "date":
        return "dates"
    if column.kind == "group":
        return "rows with the same one are a group"
    return f"text of {len({value for value in column.values if value is not None})} values"


@dataclass(frozen=True)
class Table:
    """Columns of one length, and what was decided while they were read."""

    columns: tuple[Column, ...]
    decisions: tuple[str, ...] = ()
    """What was decided, in plain words; a ``Decision`` says how to decide otherwise."""
    missing: str | None = None
    """What to do with rows that have gaps: see ``missing.Missing``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Decisions, and which columns are left out or are categories."""
        return (*self.decisions, *kind_notes(self.columns))

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values) if self.columns else 0

    @property
    def measured(self) -> tuple[Column, ...]:
        """The columns that are inputs unless others are named."""
        return tuple(column for column in self.columns if column.kind in MEASURED)

    @property
    def targets(self) -> tuple[Column, ...]:
        """Those of them that can be targets too."""
        return tuple(column for column in self.columns if column.is_target)

    @property
    def groups(self) -> Column | None:
        """The column whose rows with the same value depend on each other; the coarsest of them."""
        named = [column for column in self.columns if column.kind == "group"]
        return min(named, key=lambda one: len(set(one.values.tolist())), default=None)

    @property
    def time(self) -> Column | None:
        """The column that dates the rows: the first of dates, or of numbers named so that rise."""
        for column in self.columns:
            if column.kind == "date" and not column.missing:
                return column
            rises = column.kind == "number" and column.name.strip().lower() in TIMES
            if rises and not column.missing and bool((np.diff(column.values) >= 0).all()):
                return column
        return None

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
    is_input: bool = False,
    dtype: Any = np.float64,
) -> Encoded:
    """Turn columns into numbers, one-hot for categories.

    Args:
        columns: numbers, booleans, categories and, of inputs, dates.
        rows: which rows to take; those without a gap by default.
        fill: give gaps the median, beside a column that marks them, or a level of their own.
        is_input: make a category of many levels its common ones and a logarithm of how frequent
            each is, and a date its age in days and the sine and cosine of its cycles.
        dtype: of the matrix.

    >>> price = Column("price", "number", np.array([1.0, np.nan, 3.0]))
    >>> color = Column("color", "category", np.array([1, 0, 0]), ("blue", "red"))
    >>> encode([price, color]).matrix.tolist()
    [[1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
    >>> encode([price], np.arange(3), fill=True).matrix.tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    """
    for column in columns:
        if column.kind not in MEASURED and not (is_input and column.kind == "date"):
            raise UserError(f"column {printable(column.name)} holds no numbers: {column.kind}")
    if rows is None:
        rows = np.flatnonzero(~gaps_of(columns, len(columns[0].values)))
    parts = [_numbers(column, rows, fill, is_input) for column in columns]
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


def _numbers(column: Column, rows: np.ndarray, fill: bool, is_input: bool) -> np.ndarray:
    values, missing = column.values[rows], column.is_missing[rows]
    marked = fill and bool(missing.any())
    if column.kind == "category":
        levels = np.array([*range(len(column.levels)), *([-1] if marked else [])])
        if not is_input or len(column.levels) <= MOST_LEVELS:
            return values[:, None] == levels
        counts = (np.bincount(values + 1, minlength=len(column.levels) + 1)).astype(float)
        common = np.sort(np.argsort(-counts[1 + levels], kind="stable")[:MOST_LEVELS])
        return np.column_stack([values[:, None] == levels[common], np.log(counts[values + 1])])
    if column.kind == "date":
        first = np.datetime64(0, "ns") if missing.all() else values[~missing].min()
        values = (values - first) / np.timedelta64(1, "D")
    if marked:
        median = np.median(values[~missing]) if not missing.all() else 0.0
        values = np.where(missing, median, values)
    parts = [values, *(_cycles(values) if column.kind == "date" else [])]
    return np.column_stack([*parts, *([missing] if marked else [])])


def _cycles(days: np.ndarray) -> Iterator[np.ndarray]:
    """Yield sine and cosine of the cycles that dates run through in steps of at most their half."""
    steps = np.diff(np.unique(days))
    for length in CYCLES:
        if len(steps) > 2 and np.ptp(days) >= length and np.median(steps) <= length / 2:
            yield np.sin(2 * np.pi * days / length)
            yield np.cos(2 * np.pi * days / length)

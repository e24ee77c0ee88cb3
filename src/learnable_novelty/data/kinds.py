"""Which kind a column is: number, boolean, date, category, text, index or constant."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from learnable_novelty.data.cells import (
    cell_of,
    dates_in_text,
    numbers_and_words,
    numbers_in_text,
    spread,
)
from learnable_novelty.data.scales import ordered_values
from learnable_novelty.data.table import Column, Decision, Kind
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

MOST_CHOSEN_LEVELS = 1000
"""Values that a category may have if the user asks for one."""
SENTINELS = {-9999.0, -999.0, -99.0, 999.0, 9999.0, 99999.0}
FEWEST_COUNTED = 10
"""Rows that a column in the middle of a table must count to be an index."""
INDEX_NAMES = ("rownames", "row.names", "rowname", "row_names", "index", "id")
NAMED_ID = re.compile(r".*([ _.-](id|ID|Id)|[a-z](Id|ID))")
"""Names such as order_id, order id and PassengerId."""
NAMED_GROUP = re.compile(
    r"(patient|subject|participant|person|respondent|proband|customer|client|user|student|pupil|"
    r"animal|household|family|mouse|batch|cluster|panel|firm|plot)s?"
    r"([ _.-]?(id|no|nr|num|number))?",
    re.IGNORECASE,
)
"""Names of columns whose rows with the same value depend on each other."""
FEWEST_GROUPS = 8
UNNAMED = re.compile(r"(unnamed(: ?\d+(\.\d+)?)?|#\d+(\.\d+)?|__index_level_\d+__)?", re.IGNORECASE)
"""Names that programs give to a column without a name."""

_BOOLEANS = {"true": 1.0, "false": 0.0, "t": 1.0, "f": 0.0}


def column_of(
    name: str, values: Any, decimal: str = ".", *, words: bool = True
) -> tuple[Column, Decision | None]:
    """Return a column with the kind of its values, and what was decided about it.

    Args:
        name: of the column.
        values: a pandas series.
        decimal: the decimal sign of numbers in text.
        words: whether a few words between numbers are gaps, and answers may have an order.
    """
    import pandas as pd

    kind = values.dtype
    note = None

    def said(text: str, other: Kind) -> Decision:
        return Decision(f"{printable(name)} {text}", name, "kinds", other)

    if isinstance(kind, pd.CategoricalDtype):
        column = _levels(name, values.astype(object), most=MOST_CHOSEN_LEVELS)
        if kind.ordered and words:
            codes = values.cat.codes.to_numpy()
            column = Column(name, "number", np.where(codes < 0, np.nan, codes + 1.0))
            note = said(f"has an order: 1 to {len(kind.categories)}", "category")
    elif isinstance(kind, pd.PeriodDtype):
        column = Column(name, "date", values.dt.to_timestamp().to_numpy("datetime64[ns]"))
    elif kind.kind == "M":
        column = Column(name, "date", _moments(values))
    elif kind.kind == "m":
        column = Column(name, "number", values.dt.total_seconds().to_numpy(np.float64))
        note = said("is a duration, in seconds", "text")
    elif kind.kind == "b":
        column = Column(name, "boolean", values.to_numpy(np.float64, na_value=np.nan))
    elif kind.kind in "iu" and _is_beyond_doubles(values):
        column = _levels(name, values.astype(str), most=len(values) // 2)
        note = said("has whole numbers of more than 15 digits: read as text", "number")
    elif kind.kind in "iuf":
        stored = np.float32 if str(kind).lower() == "float32" else np.float64
        plain = isinstance(kind, np.dtype)  # pandas takes a millisecond for a column of its own
        array = values.to_numpy() if plain else values.to_numpy(stored, na_value=np.nan)
        column = Column(name, "number", array.astype(stored, copy=False))
        note = _sentinel_note(column)
    elif kind.kind == "c":
        raise UserError(f"expected real numbers in column {name!r}, got {kind}")
    else:
        column, note = _of_objects(name, values, decimal, words=words)
    order = ordered_values(column.levels) if words and kind.kind == "O" else None
    if order is not None:
        numbers = np.array([*order, np.nan])[column.values]
        ranked = [level for _, level in sorted(zip(order, column.levels, strict=True))]
        shown = " < ".join(map(printable, ranked if len(ranked) < 6 else [ranked[0], ranked[-1]]))
        note = said(
            f"has answers in an order, {min(order):g} to {max(order):g}: {shown}", "category"
        )
        column = Column(name, "number", numbers)
    if _num_values(column) < 2:
        column = replace(column, kind="constant", levels=(), values=plain_values(column))
    return column, note


def _sentinel_note(column: Column) -> Decision | None:
    """Name a number that may stand for a gap: -9999 in several rows, far from all others."""
    present = column.values[~column.is_missing]
    ends = {float(present.min()), float(present.max())} if len(present) else set()
    for value in ends & SENTINELS:
        count = int((present == value).sum())
        others = present[present != value] if count > 1 else present[:0]
        if len(others) and np.abs(others - value).min() > max(float(np.ptp(others)), 1.0):
            return Decision(
                f"{printable(column.name)} is {value:g} in {count} rows, which may mark gaps"
            )
    return None


def plain_values(column: Column) -> np.ndarray:
    """Return values of a column that is no category any more: its levels as text."""
    if column.kind != "category":
        return column.values
    levels = np.array([*column.levels, None], dtype=object)
    return levels[column.values]


def _num_values(column: Column) -> int:
    """Return how many different values there are; counting ends at two for most columns."""
    present = column.values[~column.is_missing]
    if len(present) == 0:
        return 0
    return 1 if bool((present == present[0]).all()) else 2


def _moments(values: Any) -> np.ndarray:
    if getattr(values.dt, "tz", None) is not None:
        values = values.dt.tz_convert(None)
    return values.to_numpy("datetime64[ns]")


def _is_beyond_doubles(values: Any) -> bool:
    """Tell whether different whole numbers would be equal as float64: these are labels."""
    plain, whole = isinstance(values.dtype, np.dtype), {"i": np.int64, "u": np.uint64}
    present = values.to_numpy() if plain else values.dropna().to_numpy(whole[values.dtype.kind])
    if not len(present) or max(abs(int(present.min())), abs(int(present.max()))) <= 2**53:
        return False
    distinct = np.unique(present)
    return len(distinct) > len(np.unique(distinct.astype(np.float64)))


def _of_objects(
    name: str, values: Any, decimal: str, *, words: bool
) -> tuple[Column, Decision | None]:
    """Tell numbers, booleans, dates and categories that came as objects from text."""
    cells = [cell_of(value) for value in values.array]
    present = [cell for cell in cells if cell is not None]
    if not all(isinstance(cell, str) for cell in present):
        mixed = _of_mixed(name, cells, present)
        if mixed is not None:
            return mixed, None
        cells = [None if cell is None else str(cell) for cell in cells]
        present = [cell for cell in cells if cell is not None]
    distinct = {cell.lower() for cell in set(present)}
    if distinct <= _BOOLEANS.keys() and len({_BOOLEANS[cell] for cell in distinct}) == 2:
        flags = [np.nan if cell is None else _BOOLEANS[cell.lower()] for cell in cells]
        return Column(name, "boolean", np.array(flags)), None

    def said(text: str) -> Decision:
        return Decision(f"{printable(name)}{text}", name, "kinds", "text")

    decimals = (decimal, "." if decimal == "," else ",")
    for sign in decimals:
        numbers = numbers_in_text(present, sign)
        if numbers is not None:
            odd = next((cell for cell in present if re.search(r"[^\d.eE+-]", cell)), None)
            note = None if odd is None else said(f" has numbers written as {printable(odd)}")
            return Column(name, "number", spread(numbers, cells)), note
    dates = dates_in_text(cells, present)
    if dates is not None:
        return Column(name, "date", dates), None
    for sign in decimals if words else ():
        if (among := numbers_and_words(present, sign)) is not None:
            column = Column(name, "number", spread(among[0], cells))
            named, count = ", ".join(map(printable, among[1])), int(np.isnan(column.values).sum())
            return column, said(f": {count} cells that hold a word are gaps ({named})")
    return _levels(name, cells, most=len(present) // 2), None


def _of_mixed(name: str, cells: list[Any], present: list[Any]) -> Column | None:
    """Make a column of booleans or numbers that are Python objects."""
    if all(isinstance(cell, (bool, np.bool_)) for cell in present):
        values = [np.nan if cell is None else float(cell) for cell in cells]
        return Column(name, "boolean", np.array(values))
    try:
        if any(isinstance(cell, (str, bytes, list, dict)) for cell in present):
            return None
        values = [np.nan if cell is None else float(cell) for cell in cells]
        return Column(name, "number", np.array(values))
    except (TypeError, ValueError, OverflowError):
        pass
    if all(hasattr(cell, "year") and hasattr(cell, "month") for cell in present):
        dates = dates_in_text(cells, [str(cell) for cell in present])
        return None if dates is None else Column(name, "date", dates)
    return None


def _levels(name: str, values: Any, most: int) -> Column:
    """Make a category of texts with few values; else text."""
    cells = [cell_of(value) for value in values]
    texts = [None if cell is None else str(cell) for cell in cells]
    levels = tuple(sorted({text for text in texts if text is not None}))
    if len(levels) > max(1, most):
        return Column(name, "text", np.array(texts, dtype=object))
    places = {level: place for place, level in enumerate(levels)}
    codes = np.array([-1 if text is None else places[text] for text in texts], dtype=np.int64)
    return Column(name, "category", codes, levels)


def index_reason(column: Column, *, leading: bool) -> str | None:
    """Say why a column is an index that only labels rows, or return None.

    It has no name, or one of ``INDEX_NAMES`` (fractions may be a price index); or it is named as
    an id and all its whole numbers differ; or it counts rows from 0 or 1: three of them if only
    other indices stand before it, else at least ten.

    >>> index_reason(Column("id", "number", np.array([7.0, 3.0, 7.0])), leading=False)
    "'id' is the name of an index"
    >>> index_reason(Column("order id", "number", np.arange(1000.0, 1009.0)), leading=False)
    "'order id' is the name of an id, and no two are equal"
    """
    label = column.name.strip().lower()
    numbers = column.values if column.values.dtype.kind == "f" else None
    whole = numbers is None or bool((np.isnan(numbers) | (numbers == np.round(numbers))).all())
    if column.kind in ("date", "constant", "boolean"):
        return None
    if UNNAMED.fullmatch(label):
        return "unnamed"
    if label in INDEX_NAMES and (whole or label != "index"):
        return f"{column.name!r} is the name of an index"
    differ = numbers is not None and whole and np.unique(numbers).size == numbers.size > 2
    if differ and NAMED_ID.fullmatch(column.name.strip()):
        return f"{column.name!r} is the name of an id, and no two are equal"
    if column.kind == "number" and counts(column.values, 3 if leading else FEWEST_COUNTED):
        return "it counts the rows"
    return None


def is_group(column: Column) -> bool:
    """Tell whether a column names groups of rows: eight and more, each with two rows on average.

    >>> is_group(Column("patient", "number", np.repeat(np.arange(10.0), 3)))
    True
    """
    label = column.name.strip()
    named = NAMED_GROUP.fullmatch(label) or NAMED_ID.fullmatch(label) or label.lower() == "id"
    if not named or column.missing or column.kind in ("date", "boolean", "constant"):
        return False
    if column.values.dtype.kind == "f" and bool((column.values % 1 != 0).any()):
        return False
    count = len(set(column.values.tolist()))
    return FEWEST_GROUPS <= count <= len(column.values) // 2


def counts(values: np.ndarray, fewest: int = 3) -> bool:
    """Tell whether values are 0, 1, 2, ... or 1, 2, 3, ...

    >>> counts(np.array([1.0, 2.0, 3.0])), counts(np.array([2.0, 3.0, 4.0]))
    (True, False)
    """
    if len(values) < fewest or values[0] not in (0, 1):
        return False
    return bool((values == values[0] + np.arange(len(values))).all())


def as_kind(column: Column, kind: Kind) -> Column:
    """Return a column as another kind, because the user says so.

    Raises:
        UserError: for values that are not of that kind.
    """
    texts = _texts(column)
    if kind == column.kind:
        return column
    if kind in ("index", "group", "text", "constant"):
        return Column(column.name, kind, np.array(texts, dtype=object))
    if kind in ("number", "boolean") and column.values.dtype.kind == "f":
        return replace(column, kind=kind, levels=())
    present = [text for text in texts if text is not None]
    if kind == "category":
        category = _levels(column.name, texts, most=MOST_CHOSEN_LEVELS)
        if category.kind == "category":
            return category
        count = len(set(present))
        raise UserError(
            f"expected at most {MOST_CHOSEN_LEVELS:,} values in column {column.name!r} to make it "
            f"a category, got {count:,}"
        )
    if kind == "number" and (order := ordered_values(column.levels)) is not None:
        return Column(column.name, "number", np.array([*order, np.nan])[column.values])
    if kind == "number" and (numbers := _numbers_or_gaps(texts)) is not None:
        return Column(column.name, "number", numbers)
    if kind == "date" and (dates := dates_in_text(texts, present)) is not None:
        return Column(column.name, "date", dates)
    raise UserError(not_of_kind(column, kind))


def _numbers_or_gaps(texts: list[str | None]) -> np.ndarray | None:
    """Return numbers, with gaps for cells that hold something else; None if these are most."""
    present = [text for text in texts if text is not None]
    for decimal in (".", ","):
        if (numbers := numbers_in_text(present, decimal)) is not None:
            return spread(numbers, texts)
    # Cells are written alike, so those that are not are told one by one.
    best = np.full(len(texts), np.nan)
    for decimal in (".", ","):
        each = {text: numbers_in_text([text], decimal) for text in set(present)}
        values = [np.nan if t is None or (one := each[t]) is None else one[0] for t in texts]
        parsed = np.array(values, dtype=np.float64)
        best = parsed if np.isfinite(parsed).sum() > np.isfinite(best).sum() else best
    return best if 2 * np.isfinite(best).sum() > len(present) else None


def not_of_kind(column: Column, kind: Kind = "number") -> str:
    """Say which value of a column is not of a kind."""
    texts = _texts(column)
    odd = [
        (row, text)
        for row, text in enumerate(texts)
        if text is not None and numbers_in_text([text]) is None
    ]
    row, text = (odd or [(0, texts[0] if texts else "")])[0]
    name = {"number": "numbers", "boolean": "true or false", "date": "dates"}.get(kind, kind)
    return (
        f"expected {name} in column {column.name!r}, got {str(text)[:40]!r} in row {row} (from 0)"
    )


def _texts(column: Column) -> list[str | None]:
    if column.kind == "category":
        return list(plain_values(column))
    if column.values.dtype.kind == "f":
        return [
            None if v != v else (str(int(v)) if v % 1 == 0 else repr(float(v)))
            for v in column.values.tolist()
        ]
    if column.values.dtype.kind == "M":
        return [None if text == "NaT" else text for text in np.datetime_as_string(column.values)]
    return list(column.values)

"""Inputs and targets of a table as numbers without gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnable_novelty.data.kinds import MOST_CHOSEN_LEVELS, as_kind, not_of_kind
from learnable_novelty.data.missing import check_missing, without_gaps
from learnable_novelty.data.names import Names, positions
from learnable_novelty.data.table import (
    MEASURED,
    MOST_LEVELS,
    Column,
    Decision,
    Encoded,
    Table,
    encode,
    gaps_of,
    kind_notes,
)
from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_BYTES
from learnable_novelty.text import printable

CHOOSE = (
    "; choose columns that hold numbers, or read this one as a number (its other cells are then "
    "gaps) or as a category"
)
"""What to do about a column of text."""


@dataclass(frozen=True)
class Chosen:
    """Input and target columns of a table, as numbers of the same rows."""

    inputs: Encoded
    targets: Encoded | None
    input_names: list[str]
    """Columns of the table; a category is one of them."""
    target_names: list[str]
    classes: tuple[str, ...]
    """Levels of the target, where it is one category."""
    notes: tuple[str, ...]
    """What was decided, in plain words."""
    gaps: int = 0
    """Rows with gaps, which were filled or left out."""
    groups: np.ndarray | None = None
    """Labels of the rows, where a column of the table names groups of them."""
    is_dated: bool = False
    """Whether rows are in the order of a column that dates them."""


def choose(
    table: Table,
    inputs: Names = None,
    targets: Names = None,
    *,
    is_series: bool = False,
    where: str = "the table",
) -> Chosen:
    """Choose inputs and targets, and settle what is done about gaps.

    Args:
        table: the columns.
        inputs: names or places; by default all that can be measured and are not targets.
        targets: names or places.
        is_series: whether rows are steps of time, so that none can be left out.
        where: what to call the table in messages.

    Raises:
        UserError: naming the column that cannot be used.
    """
    names = [column.name for column in table.columns]
    wanted = [] if targets is None else positions(names, targets, where)
    notes = list(table.decisions)
    if inputs is not None:
        places = positions(names, inputs, where)
        left: list[Column] = []
    else:
        taken = set(wanted)
        rest = [k for k in range(len(names)) if k not in taken]
        places = [k for k in rest if table.columns[k].kind in MEASURED]
        if not places and targets is not None and (counter := _counter(table, rest)) is not None:
            places = [counter]
            notes.append(f"{printable(names[counter])} counts the rows, and is the only input")
        if not is_series and (copies := _copies(table, places, wanted)):
            named = ", ".join(printable(names[k]) for k in copies[:6])
            notes.append(Decision(f"left out: an exact copy of a target ({named})"))
            places = [k for k in places if k not in copies]
        used = set(places)
        left = [table.columns[k] for k in rest if k not in used]
    if not places:
        why = "; ".join(kind_notes(left)) or "all columns are targets"
        raise UserError(
            f"expected input columns in {where}, none are left ({why}): name the inputs, or "
            "read one of these as a category or a number"
        )
    x = [measurable(table.columns[k], is_input=True) for k in places]
    y = [measurable(table.columns[k]) for k in wanted]
    notes += kind_notes([*left, *{id(one): one for one in [*x, *y]}.values()])
    how = check_missing(table.missing)
    x, y, rows, said = without_gaps(x, y, how, is_series=is_series)
    for column in [*x, *y]:
        _check(column, rows)
    time = None if is_series else table.time
    if time is not None:
        rows = rows[np.argsort(time.values[rows], kind="stable")]
    groups, used = None if is_series else table.groups, {one.name for one in [*x, *y]}
    _check_size([*x, *y], len(rows), where)
    single = all(one.values.dtype == np.float32 for one in (*x, *y))
    dtype = np.dtype(np.float32 if single else np.float64)  # numbers keep their precision
    return Chosen(
        encode(x, rows, fill=how != "drop", is_input=True, dtype=dtype),
        encode(y, rows, dtype=dtype) if y else None,
        [names[k] for k in places],
        [names[k] for k in wanted],
        y[0].levels if len(y) == 1 else (),
        (*notes, *said),
        0 if how == "interpolate" else int(gaps_of([*x, *y], table.num_rows).sum()),
        None if groups is None or groups.name in used else groups.values[rows],
        time is not None,
    )


def _copies(table: Table, places: list[int], targets: list[int]) -> list[int]:
    """Return inputs with the values of a target in every row."""
    columns = table.columns
    return [
        k
        for k in places
        if any(
            columns[k].kind == columns[t].kind
            and columns[k].levels == columns[t].levels
            and np.array_equal(columns[k].is_missing, columns[t].is_missing)
            and bool((columns[k].values == columns[t].values)[~columns[t].is_missing].all())
            for t in targets
        )
    ]


def _counter(table: Table, places: list[int]) -> int | None:
    """Return a column that is an index only because it counts: with one other it is a curve."""
    for k in places:
        if table.columns[k].reason == "it counts the rows":
            return k
    return None


def measurable(column: Column, *, is_input: bool = False) -> Column:
    """Return a column that the user names as what can be measured, whatever was decided.

    Raises:
        UserError: for text of many values, and for targets that are dates or have many levels.
    """
    if column.kind == "category" and not is_input and len(column.levels) > MOST_CHOSEN_LEVELS:
        raise UserError(
            f"expected at most {MOST_CHOSEN_LEVELS:,} levels of a target, got "
            f"{len(column.levels):,} in column {column.name!r}: group them first"
        )
    if column.kind in MEASURED or (is_input and column.kind == "date"):
        return column
    if column.values.dtype.kind == "f":
        return as_kind(column, "number")
    if column.kind == "date":
        raise UserError(
            f"expected numbers in column {column.name!r}, got dates: use it as an input, or as the "
            "time of a series"
        )
    levels = {value for value in column.values if value is not None}
    if len(levels) <= min(MOST_LEVELS, len(column.values) // 2) and levels:
        return as_kind(column, "category")
    raise UserError(f"{not_of_kind(column)}{CHOOSE}")


def _check(column: Column, rows: np.ndarray) -> None:
    if column.values.dtype.kind != "f":
        return
    infinite = np.isinf(column.values[rows])
    if infinite.any():
        row = int(rows[int(np.argmax(infinite))])
        raise UserError(
            f"expected finite numbers in column {column.name!r}, got an infinite value in row "
            f"{row} (from 0): choose columns without it, or leave out such rows"
        )


def _check_size(columns: list[Column], rows: int, where: str) -> None:
    width = sum(1 + min(1000, len(column.levels)) + bool(column.missing) for column in columns)
    if width * rows * 8 > MOST_BYTES:
        raise UserError(
            f"{where} becomes {rows:,} rows of {width:,} numbers, more than {MOST_BYTES:,} bytes; "
            "choose fewer columns"
        )

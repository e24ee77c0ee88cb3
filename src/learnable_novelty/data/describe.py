"""What was read, in words: decisions, and one line for each column."""

from __future__ import annotations

import shlex

import numpy as np

from learnable_novelty.data.names import as_option
from learnable_novelty.data.table import Column, Decision, Table
from learnable_novelty.text import listed, printable

FEWEST_ROWS = 3
"""Rows that a relation or a step of a series can be seen in."""
MOST_SHOWN = 40
"""Columns that are shown of a wide table."""


def describe_columns(table: Table) -> list[tuple[str, str, str, str]]:
    """Return name, kind, missing rows and range of each column.

    >>> describe_columns(Table((Column("x", "number", np.array([1.0, np.nan, 3.0])),)))
    [('x', 'number', '1', '1 to 3')]
    """
    return [
        (printable(one.name), one.kind, str(one.missing or ""), _range(one))
        for one in table.columns
    ]


def show_table(table: Table, name: str, *, commands: bool = True) -> str:
    """Return what was read as text: columns, decisions, and commands that go on from here."""
    rows = [("column", "kind", "missing", "values"), *describe_columns(table)]
    hidden = len(rows) - 1 - MOST_SHOWN
    rows = rows[: MOST_SHOWN + 1]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    counts = [_counted(table.num_rows, "row"), _counted(len(table.columns), "column")]
    lines = [f"{printable(name)}: {', '.join(counts)}"]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        lines.append(f"  {'  '.join(cells)}  {row[3]}".rstrip())
    lines += [f"  and {hidden} more columns"] * (hidden > 0)
    lines += [f"  {in_short(note)}" for note in table.notes]
    return "\n".join([*lines, *(next_commands(table, name) if commands else [])])


def in_short(note: str) -> str:
    """Return a decision with the option of the command line that decides otherwise.

    >>> in_short(Decision("x has answers in an order", "x", "kinds", "category"))
    'x has answers in an order (--as x=category)'
    """
    if not isinstance(note, Decision) or not note.keyword:
        return note
    flag, value = "--" + note.keyword, note.value
    if note.keyword == "kinds":
        flag, value = "--as", f"{note.column}={note.value}"
    return f"{note} ({flag} {printable(shlex.quote(value))})"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def next_commands(table: Table, name: str) -> list[str]:
    """Return commands for the next step."""
    measured = table.measured
    if table.num_rows < FEWEST_ROWS:
        return [f"nothing can be learned from {_counted(table.num_rows, 'row')}: add rows"]
    if not measured:
        return [
            "no column holds numbers or few values; read one as another kind with --as COL=KIND"
        ]
    last, command = [(table.targets or measured)[-1].name], ["novelty", "score", name]
    targets = [*command, *as_option("--targets", last)]
    dates = [one.name for one in table.columns if one.kind == "date"]
    time = ["--time", dates[0]] if dates else []
    series = [*command, *as_option("--inputs", last), "--window", "1", *time]
    steps = [targets, series] if len(measured) > 1 else [series]
    return ["next:", *(f"  {printable(shlex.join(step))}" for step in steps)]


def _range(column: Column) -> str:
    present = column.values[~column.is_missing]
    if len(present) == 0:
        return ""
    if column.kind == "category":
        return listed([printable(level) for level in column.levels])
    if present.dtype.kind == "M":
        low, high = (np.datetime_as_string(one, unit="D") for one in (present.min(), present.max()))
        return f"{low} to {high}"
    if present.dtype.kind == "f":
        return f"{present.min():.6g} to {present.max():.6g}"
    return printable(str(present[0]))[:30] + (", ..." if len(set(present)) > 1 else "")

"""Which row of a table in text has the names of its columns."""

from __future__ import annotations

import collections
import itertools
import re
from collections.abc import Sequence

MARKERS = ("", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None")
MARKERS = (*MARKERS, "?", ".")
"""Cells that say that a value is missing."""
YEARS = range(1000, 3000)
MOST_BETWEEN = 25
"""Years between two columns that are named by years."""
FEWEST_BELOW = 3
"""Rows of numbers below two rows of text, of which one is left out."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")

Row = tuple[int, list[str]]
"""The number of the last line of a row, and its cells."""


def text_above(rows: list[Row], first: int, width: int, decimal: str) -> tuple[int, bool]:
    """Return which of several rows of text above numbers has the names, and if units are below it.

    It is the first row after the last blank line; most columns must hold numbers.
    """
    last = first
    while last < len(rows) and _is_text(rows[last][1], width, decimal):
        last += 1
    if last - first < 2:
        return first, False
    body = [row for _, row in rows[last:] if len(row) == width]
    columns = [[row[k] for row in body if row[k] not in MARKERS] for k in range(width)]
    numbers = sum(bool(cells) and all(is_number(c, decimal) for c in cells) for cells in columns)
    if 2 * numbers <= width or len(body) < FEWEST_BELOW:
        return first, False
    named = last - 1
    while named > first and rows[named - 1][0] == rows[named][0] - 1:
        named -= 1
    return (named, last - named == 2) if last - named <= 2 else (first, False)


def _is_text(cells: Sequence[str], width: int, decimal: str) -> bool:
    gaps = any(cell and cell in MARKERS for cell in cells)
    return len(cells) == width and not gaps and _are_names(cells, decimal)


def find_header(
    rows: list[Row], first: int, width: int, decimal: str
) -> tuple[list[str] | None, int]:
    """Return the names of the columns, if there are any, and which row is the first of data."""
    body = [row for _, row in rows[first:] if len(row) == width]
    above = rows[first - 1][1] if first else []
    if has_header(body[0], body[1:], decimal):
        return body[0], first + 1
    if len(above) == width - 1 and width > 1 and _are_names(above, decimal):
        # R writes no name for its row names; other programs end each row with a separator.
        ended = all(row[-1] == "" for row in body)
        return ([*above, ""] if ended else ["", *above]), first
    return None, first


def has_header(first: Sequence[str], body: Sequence[Sequence[str]], decimal: str = ".") -> bool:
    """Tell whether the first row names the columns.

    It does if it has a text above a column of numbers, or above a column of other texts where no
    cell is a number; also if its numbers are years (1952, 1957, ...) above other numbers, or all
    different beside an empty first cell, above row names.

    >>> has_header(["x", "y"], [["1", "2"]]), has_header(["1", "2"], [["3", "4"]])
    (True, False)
    >>> has_header(["1952", "1957"], [["28.8", "30.3"], ["55.2", "59.3"]])
    True
    """
    texts = [k for k, cell in enumerate(first) if cell and not is_number(cell, decimal)]
    texts = [k for k in texts if first[k] not in MARKERS]
    numbers = [k for k, cell in enumerate(first) if is_number(cell, decimal)]
    columns = [[row[k] for row in body if row[k] not in MARKERS] for k in range(len(first))]
    if any(columns[k] and all(is_number(c, decimal) for c in columns[k]) for k in texts):
        return True
    if not numbers:
        named = [first[k] for k in texts]
        again = any(first[k] in columns[k] for k in texts)
        return bool(named) and len(set(named)) == len(named) and not again
    values = [float(first[k].replace(decimal, ".")) for k in numbers]
    if first[0] == "" and len(set(values)) == len(values) and len(columns[0]) == len(body) > 0:
        return True
    return _are_years(values) and not all(
        is_number(cell, decimal) and float(cell.replace(decimal, ".")) in YEARS
        for k in numbers
        for cell in columns[k]
    )


def _are_years(values: Sequence[float]) -> bool:
    steps = {1 <= abs(b - a) <= MOST_BETWEEN for a, b in itertools.pairwise(values)}
    rising = sorted(values) in (list(values), list(values)[::-1])
    return len(values) > 1 and steps == {True} and rising and all(v in YEARS for v in values)


def _are_names(cells: Sequence[str], decimal: str) -> bool:
    return any(cells) and not any(is_number(cell, decimal) for cell in cells)


def commented_header(
    lines: list[str], comment: str, separator: str, width: int, data_line: int
) -> list[str] | None:
    """Return the names in the last comment before the data, as in ``# x y``."""
    above = [line for line in lines[: data_line - 1] if line.startswith(comment)]
    if not above:
        return None
    text = above[-1].removeprefix(comment).strip()
    cells = text.split() if separator == " " else [c.strip() for c in text.split(separator)]
    return cells if len(cells) == width > 1 and _are_names(cells, ".") else None


def width_of(rows: Sequence[Row]) -> int:
    """Return how many cells most rows have."""
    return collections.Counter(len(row) for _, row in rows).most_common(1)[0][0] if rows else 0


def is_number(cell: str, decimal: str) -> bool:
    """Tell whether a cell is a number; with a decimal comma its thousands may have points."""
    if decimal == "," and DECIMAL_COMMA.fullmatch(cell):
        return True
    cell = cell.replace(",", ".") if decimal == "," and cell.count(",") == 1 else cell
    return NUMBER.fullmatch(cell) is not None


def unique(names: Sequence[str]) -> list[str]:
    """Name columns without a name by their place, #0, and count equal names: a, a.1.

    >>> unique(["", "a", "a"])
    ['#0', 'a', 'a.1']
    """
    seen: collections.Counter[str] = collections.Counter()
    unique_names: dict[str, None] = {}
    for place, name in enumerate(names):
        base = name.strip() or f"#{place}"
        count, unique = seen[base], base
        while unique in unique_names:
            count += 1
            unique = f"{base}.{count}"
        seen[base] = count
        unique_names[unique] = None
    return list(unique_names)

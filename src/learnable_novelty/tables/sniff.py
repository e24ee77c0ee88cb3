"""How a text file is written: encoding, separator, decimal comma, comments, preamble and header.

pandas reads the file; it does not find these out by itself. Only the beginning of a file is looked
at, and each decision is a rule that docs/tables.md states.
"""

from __future__ import annotations

import collections
import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from learnable_novelty.errors import UserError

SAMPLE_BYTES, SAMPLE_ROWS = 1 << 18, 500
"""What is looked at of a file."""
MARKERS = ("", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None")
MARKERS = (*MARKERS, "?", ".")
"""Cells that say that a value is missing."""
SEPARATORS = ("\t", ";", "|", ",", " ")
"""In the order of preference where several divide all lines alike: 1,5;2,5 has commas too."""
COMMENTS = ("#", "%")
YEARS = range(1000, 3000)
MOST_BETWEEN = 25
"""Years between two columns that are named by years."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
_THOUSANDS_COMMA = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


@dataclass(frozen=True)
class Dialect:
    """How to read a text file."""

    encoding: str
    separator: str
    """One character; a space stands for any number of spaces and tabs."""
    decimal: str
    skipped: int
    """Lines before the first row of data."""
    comment: str | None
    """What begins comments between rows of data."""
    names: list[str]
    notes: list[str] = field(default_factory=list)


def encoding_of(head: bytes, name: str) -> str:
    """Return the encoding of a text that begins with these bytes."""
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head:
        raise UserError(f"expected UTF-8 text in {name}, got other bytes")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # not a character that the sample cuts
            return "cp1252"
    return "utf-8"


def sniff(head: bytes, name: str, *, whole: bool) -> Dialect:
    """Find out how a text file is written.

    Args:
        head: its first bytes.
        name: for messages.
        whole: whether these are all.
    """
    encoding = encoding_of(head, name)
    text = head.decode(encoding, errors="replace" if encoding != "utf-16" else "ignore")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not whole and "\n" in text:
        text = text[: text.rindex("\n") + 1]
    lines = text.split("\n")
    comment = _comment(lines)
    kept = [(k, line) for k, line in enumerate(lines, 1) if not _is_comment(line, comment)]
    separator, rows = _separated(kept, name)
    if not rows and encoding == "utf-16":
        raise UserError(f"expected UTF-8 text in {name}, got other bytes")
    if not rows:
        raise UserError(f"expected rows of data in {name}, got none")
    notes = ["read as Windows-1252 text"] if encoding == "cp1252" else []
    return _dialect(rows, encoding, separator, comment, notes, lines)


def _comment(lines: Sequence[str]) -> str | None:
    """Return the mark that begins comment lines, # or %; half of the lines may be comments."""
    filled = [line for line in lines if line.strip()]
    for mark in COMMENTS:
        if 0 < sum(line.startswith(mark) for line in filled) <= len(filled) / 2:
            return mark
    return None


def _is_comment(line: str, mark: str | None) -> bool:
    return not line.strip() or (mark is not None and line.startswith(mark))


Row = tuple[int, list[str]]
"""The number of the last line of a row, and its cells."""


def _separated(lines: list[tuple[int, str]], name: str) -> tuple[str, list[Row]]:
    """Return the separator that divides most lines into equally many cells, and these cells."""
    best: tuple[float, str, list[Row]] = (0.0, ",", [])
    for separator in SEPARATORS:
        rows = list(_rows(lines, separator, name))
        width = _width(rows)
        if width < 2:
            continue
        first = next(k for k, (_, row) in enumerate(rows) if len(row) == width)
        share = sum(len(row) == width for _, row in rows[first:]) / len(rows[first:])
        if separator == " ":  # spaces within texts and dates divide lines too
            share *= 0.98 * len(rows[first:]) / len(rows)
        share *= 1 + _share_of_numbers(rows[first:], separator)
        if share > best[0] + 1e-9:
            best = share, separator, rows
    if best[0] < 0.5:
        return ",", list(_rows(lines, ",", name))
    return best[1], best[2]


def _rows(lines: list[tuple[int, str]], separator: str, name: str) -> Iterator[Row]:
    texts = (f"{line}\n" for _, line in lines)
    if separator == " ":
        texts = (f"{' '.join(line.split())}\n" for _, line in lines)
    reader = csv.reader(texts, delimiter=separator, skipinitialspace=True)
    try:
        for count, row in enumerate(reader):
            if count == SAMPLE_ROWS:
                return
            yield lines[reader.line_num - 1][0], [cell.strip() for cell in row]
    except csv.Error as error:
        raise UserError(f"expected a table in {name}: {error}") from None


def _share_of_numbers(rows: Sequence[Row], separator: str) -> float:
    """Return how many cells are numbers or gaps: a wrong separator leaves few."""
    decimal = "." if separator == "," else ","
    cells = [cell for _, row in rows for cell in row]
    return sum(c in MARKERS or _is_number(c, decimal) for c in cells) / max(1, len(cells))


def _width(rows: Sequence[Row]) -> int:
    """Return how many cells most rows have."""
    return collections.Counter(len(row) for _, row in rows).most_common(1)[0][0] if rows else 0


def _dialect(
    rows: list[Row],
    encoding: str,
    separator: str,
    comment: str | None,
    notes: list[str],
    lines: list[str],
) -> Dialect:
    """Divide rows into preamble, header and data."""
    width = _width(rows)
    first = next(k for k, (_, row) in enumerate(rows) if len(row) == width)
    body = [row for _, row in rows[first:]]
    decimal = _decimal(body, separator)
    names, start = _header(rows, first, width, decimal)
    if names is None and comment is not None:
        names = _commented_header(lines, comment, separator, width, rows[0][0])
    if start and (before := sum(1 for _, row in rows[:first] if len(row) != width - 1)):
        notes = [*notes, f"{before} line{'s' * (before > 1)} before the table left out"]
    if decimal == ",":
        notes = [*notes, "a comma is the decimal sign"]
    skipped = rows[start - 1][0] if start else 0
    within = comment and any(line.startswith(comment) for line in lines[skipped:])
    elsewhere = any(comment in cell for _, row in rows for cell in row) if comment else False
    return Dialect(
        encoding,
        separator,
        decimal,
        skipped=skipped,
        comment=comment if within and not elsewhere else None,
        names=unique(names) if names is not None else [str(i) for i in range(width)],
        notes=notes,
    )


def _header(rows: list[Row], first: int, width: int, decimal: str) -> tuple[list[str] | None, int]:
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
    texts = [k for k, cell in enumerate(first) if cell and not _is_number(cell, decimal)]
    texts = [k for k in texts if first[k] not in MARKERS]
    numbers = [k for k, cell in enumerate(first) if _is_number(cell, decimal)]
    columns = [[row[k] for row in body if row[k] not in MARKERS] for k in range(len(first))]
    if any(columns[k] and all(_is_number(c, decimal) for c in columns[k]) for k in texts):
        return True
    if not numbers:
        named = [first[k] for k in texts]
        again = any(first[k] in columns[k] for k in texts)
        return bool(named) and len(set(named)) == len(named) and not again
    values = [float(first[k].replace(decimal, ".")) for k in numbers]
    if first[0] == "" and len(set(values)) == len(values) and len(columns[0]) == len(body) > 0:
        return True
    return _are_years(values) and not all(
        _is_number(cell, decimal) and float(cell.replace(decimal, ".")) in YEARS
        for k in numbers
        for cell in columns[k]
    )


def _are_years(values: Sequence[float]) -> bool:
    steps = {1 <= abs(b - a) <= MOST_BETWEEN for a, b in itertools.pairwise(values)}
    rising = sorted(values) in (list(values), list(values)[::-1])
    return len(values) > 1 and steps == {True} and rising and all(v in YEARS for v in values)


def _are_names(cells: Sequence[str], decimal: str) -> bool:
    return any(cells) and not any(_is_number(cell, decimal) for cell in cells)


def _commented_header(
    lines: list[str], comment: str, separator: str, width: int, data_line: int
) -> list[str] | None:
    """Return the names in the last comment before the data, as in ``# x y``."""
    above = [line for line in lines[: data_line - 1] if line.startswith(comment)]
    if not above:
        return None
    text = above[-1].removeprefix(comment).strip()
    cells = text.split() if separator == " " else [c.strip() for c in text.split(separator)]
    return cells if len(cells) == width > 1 and _are_names(cells, ".") else None


def _decimal(body: Sequence[Sequence[str]], separator: str) -> str:
    """Return the decimal sign: a comma where cells such as 1,5 are more than such as 1.5."""
    if separator == ",":
        return "."
    cells = [cell for row in body for cell in row]
    commas = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    points = sum(1 for cell in cells if "." in cell and _NUMBER.fullmatch(cell))
    if all(_THOUSANDS_COMMA.fullmatch(cell) for cell in commas) and separator != ";":
        return "."
    return "," if len(commas) > points else "."


def _is_number(cell: str, decimal: str) -> bool:
    cell = cell.replace(",", ".") if decimal == "," and cell.count(",") == 1 else cell
    return _NUMBER.fullmatch(cell) is not None


def unique(names: Sequence[str]) -> list[str]:
    """Name columns without a name by their place, #0, and count equal names: a, a.1.

    >>> unique(["", "a", "a"])
    ['#0', 'a', 'a.1']
    """
    seen: collections.Counter[str] = collections.Counter()
    made: list[str] = []
    for place, name in enumerate(names):
        base = name.strip() or f"#{place}"
        count, unique = seen[base], base
        while unique in made:
            count += 1
            unique = f"{base}.{count}"
        seen[base] = count
        made.append(unique)
    return made

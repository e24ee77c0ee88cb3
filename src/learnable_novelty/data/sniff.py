"""How a text file is written: encoding, separator, decimal comma, comments, preamble and header.

pandas reads the file; it does not find these out by itself. Only the beginning of a file is looked
at, and each decision is a rule that docs/tables.md states.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from learnable_novelty.data.headers import (
    DECIMAL_COMMA,
    MARKERS,
    NUMBER,
    Row,
    commented_header,
    find_header,
    is_number,
    text_above,
    unique,
    width_of,
)
from learnable_novelty.data.table import Decision
from learnable_novelty.errors import UserError
from learnable_novelty.text import printable

SAMPLE_BYTES, SAMPLE_LINES, SAMPLE_ROWS = 1 << 18, 8, 500
"""What is looked at of a file: so many bytes, or more until there are some lines, and rows."""
MOST_SAMPLE = 1 << 26
SEPARATORS = ("\t", ";", "|", ",", " ")
"""In the order of preference where several divide all lines alike: 1,5;2,5 has commas too."""
COMMENTS = ("#", "%")

_THOUSANDS_COMMA = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})([ T][\d:.]+)?")


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


def sniff(head: bytes, name: str, *, whole: bool, header: int | None = None) -> Dialect:
    """Find out how a text file is written.

    Args:
        head: its first bytes.
        name: for messages.
        whole: whether these are all.
        header: the line that has the names of columns, 0 for none; found by default.
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
    if header:
        rows = [row for row in rows if row[0] >= header]
        if not rows or rows[0][0] != header:
            raise UserError(f"expected names of columns in line {header} of {name}, got none there")
    return _dialect(rows, encoding, separator, comment, notes, lines, header)


def _comment(lines: Sequence[str]) -> str | None:
    """Return the mark that begins comment lines, # or %; half of the lines may be comments."""
    filled = [line for line in lines if line.strip()]
    for mark in COMMENTS:
        if 0 < sum(line.startswith(mark) for line in filled) <= len(filled) / 2:
            return mark
    return None


def _is_comment(line: str, mark: str | None) -> bool:
    return not line.strip() or (mark is not None and line.startswith(mark))


def _separated(lines: list[tuple[int, str]], name: str) -> tuple[str, list[Row]]:
    """Return the separator that divides most lines into equally many cells, and these cells."""
    best: tuple[float, str, list[Row]] = (0.0, ",", [])
    for separator in SEPARATORS:
        try:
            rows = list(_rows(lines, separator, name))
        except UserError:  # a line that it does not divide may be longer than a cell can be
            continue
        width = width_of(rows)
        if width < 2:
            continue
        first = next(k for k, (_, row) in enumerate(rows) if len(row) == width)
        share = sum(len(row) == width for _, row in rows[first:]) / len(rows[first:])
        covered = len(rows[first:]) / len(rows)
        if separator == " ":  # spaces within texts and dates divide lines too
            share *= 0.98 * covered
        # The first row may be names, which a wrong separator does not divide.
        share *= 1 + _share_of_values(rows[first + (first == 0) :] or rows, separator)
        share *= 0.9 + 0.1 * covered
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


def _share_of_values(rows: Sequence[Row], separator: str) -> float:
    """Return how many cells are numbers, dates or gaps: a wrong separator leaves few."""
    decimal = "." if separator == "," else ","
    cells = [cell for _, row in rows for cell in row]
    others = [c for c in cells if c not in MARKERS and not NUMBER.fullmatch(c)]
    unknown = [c for c in others if not (is_number(c, decimal) or _DATE.fullmatch(c))]
    return 1 - len(unknown) / len(cells) if cells else 0.0


def _dialect(
    rows: list[Row],
    encoding: str,
    separator: str,
    comment: str | None,
    notes: list[str],
    lines: list[str],
    header: int | None,
) -> Dialect:
    """Divide rows into preamble, header and data."""
    width = width_of(rows)
    first = next(k for k, (_, row) in enumerate(rows) if len(row) == width)
    body = [row for _, row in rows[first:]]
    decimal = _decimal(body, separator)
    has_units = False
    if header is None:
        first, has_units = text_above(rows, first, width, decimal)
    if has_units:
        line_below = ", ".join(filter(None, rows[first + 1][1]))
        notes = [*notes, f"1 line below the names left out ({line_below[:60]})"]
        rows = [*rows[:first], (rows[first + 1][0], rows[first][1]), *rows[first + 2 :]]
    names, start = find_header(rows, first, width, decimal)
    if header is not None:
        names, start = ([*rows[0][1], *[""] * width][:width], 1) if header else (None, first)
    elif names is None and comment is not None:
        names = commented_header(lines, comment, separator, width, rows[0][0])
    if start and (before := sum(1 for _, row in rows[:first] if len(row) != width - 1)):
        said = f"{before} line{'s' * (before > 1)} before the table left out"
        notes = [*notes, Decision(said, "", "header", str(rows[start - 1][0]))]
    if decimal == ",":
        notes = [*notes, "a comma is the decimal sign"]
    skipped = rows[start - 1][0] if start else 0
    codes = _codes([row for _, row in rows[start:]], width)
    if codes:
        named = ", ".join(printable(names[k] if names else str(k)) for k in codes[:6])
        said = f"numbers with leading zeros, which may be codes: {named}"
        first_name = names[codes[0]] if names else str(codes[0])
        notes = [*notes, Decision(said, first_name, "kinds", "category")]
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


def _codes(body: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return columns of digits of one length, some of which begin with a zero, as 01234."""
    columns = ([row[k] for row in body if len(row) == width and row[k]] for k in range(width))
    return [
        k
        for k, cells in enumerate(columns)
        if any(cell[0] == "0" for cell in cells)
        and all(cell.isdigit() for cell in cells)
        and len({len(cell) for cell in cells}) == 1 < len(cells[0])
    ]


def _decimal(body: Sequence[Sequence[str]], separator: str) -> str:
    """Return the decimal sign: a comma where cells such as 1,5 are more than such as 1.5."""
    if separator == ",":
        return "."
    cells = [cell for row in body for cell in row]
    commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    points = sum(1 for cell in cells if "." in cell and NUMBER.fullmatch(cell))
    if all(_THOUSANDS_COMMA.fullmatch(cell) for cell in commas) and separator != ";":
        return "."
    return "," if len(commas) > points else "."

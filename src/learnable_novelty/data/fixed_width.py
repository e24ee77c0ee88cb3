"""Text in columns of fixed width: what divides them is blank in every line.

id        heduc   years          12-15 years has a space in it, so that spaces
 9  12-15 years  10.546          alone would divide the two lines differently
11   < 12 years  34.943
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from learnable_novelty.data.headers import MARKERS, Row, has_header, is_number, width_of
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError

FEWEST_LINES = 4
"""Lines that show where columns end; fewer may be blank at one place by chance."""

Spans = tuple[tuple[int, int], ...]
"""Where the cells of each column begin and end."""


def find_spans(lines: Sequence[str], *, named: bool = True) -> Spans:
    """Return the stretches between places that are blank in all lines.

    There are none in few lines, and none where tabs or quotes show that something else divides. If
    the first line has names, what has no name is a part of its neighbour.

    >>> find_spans(["name     age", "New York  12", "Rome       7", "Oslo"])
    ((0, 8), (8, 12))
    """
    if len(lines) < FEWEST_LINES or any("\t" in line or '"' in line for line in lines):
        return ()
    filled = [any(map(str.strip, place)) for place in itertools.zip_longest(*lines, fillvalue="")]
    runs: list[list[int]] = []
    for at, is_filled in enumerate(filled):
        if is_filled and at and filled[at - 1]:
            runs[-1][1] = at + 1
        elif is_filled:
            runs.append([at, at + 1])
    runs = _named_runs(runs, lines[0]) if named else runs
    # The blanks before a column belong to it: its later numbers may be longer.
    starts = [0, *(stop for _, stop in runs[:-1])]
    return tuple(zip(starts, [*starts[1:], len(filled)], strict=True))


def _named_runs(runs: list[list[int]], names: str) -> list[list[int]]:
    """Join a run with nothing above it in the first line to the nearer of its neighbours.

    The word years of 12-15 years begins at the same place in many lines. The first run may be row
    names, which have no name above them.
    """
    merged = list(runs)
    for run in runs[1:]:
        if names[run[0] : run[1]].strip():
            continue
        place = merged.index(run)
        before = run[0] - merged[place - 1][1]
        after = merged[place + 1][0] - run[1] if place + 1 < len(merged) else before + 1
        other = place - 1 if before < after or place + 1 == len(merged) else place + 1
        low, high = sorted((place, other))
        merged[low : high + 1] = [[merged[low][0], merged[high][1]]]
    return merged


def cells_of(line: str, spans: Spans) -> list[str]:
    """Divide a line."""
    if not spans:
        return [line]
    ends = [*(stop for _, stop in spans[:-1]), len(line)]
    return [line[start:stop].strip() for (start, _), stop in zip(spans, ends, strict=True)]


def fixed_width_rows(
    lines: list[tuple[int, str]], separator: str, rows: list[Row]
) -> tuple[Spans, list[Row]]:
    """Return columns of fixed width and their rows, where spaces divide lines unequally."""
    width = width_of(rows)
    ragged = separator == " " and any(len(row) != width for _, row in rows)
    if not ragged and not (width < 2 and any(" " in line.strip() for _, line in lines)):
        return (), rows
    for spans, divided in _by_place(lines):
        if _is_divided([row for _, row in divided]):
            return spans, divided
    return (), rows


def _by_place(lines: list[tuple[int, str]]) -> Iterator[tuple[Spans, list[Row]]]:
    """Yield what the blanks of all lines divide, and those of all but the names in the first."""
    spans = find_spans([line for _, line in lines])
    yield spans, [(number, cells_of(line, spans)) for number, line in lines]
    spans = find_spans([line for _, line in lines[1:]], named=False)
    names = lines[0][1].split()
    if len(names) == len(spans):
        body = [(number, cells_of(line, spans)) for number, line in lines[1:]]
        yield spans, [(lines[0][0], names), *body]


def _is_divided(rows: list[list[str]]) -> bool:
    """Tell whether cells are whole: some columns are numbers, and no cell holds two."""
    if len(rows[0]) < 2:
        return False
    named = has_header(rows[0], rows[1:])
    if named and not all(rows[0][1:]):  # a column without a name is half of another
        return False
    body = rows[named:]
    columns = [[row[k] for row in body if row[k] not in MARKERS] for k in range(len(rows[0]))]
    words = [cell.split() for cells in columns for cell in cells]
    if any(len(cell) > 1 and all(is_number(one, ".") for one in cell) for cell in words):
        return False
    numbers = sum(bool(cells) and all(is_number(c, ".") for c in cells) for cells in columns)
    return numbers > 1 - named


def read_fixed_width(
    packed: Packed, spans: Spans, names: list[str], skipped: int, comment: str | None, encoding: str
) -> Any:
    """Return a data frame of texts.

    Raises:
        UserError: for a line with a word across the end of a column.
    """
    import pandas as pd

    with packed.open() as file, io.TextIOWrapper(file, encoding=encoding) as lines:
        rows = list(_rows(lines, packed.name, spans, skipped, comment))
    return pd.DataFrame(rows, columns=names)


def _rows(
    lines: Any, name: str, spans: Spans, skipped: int, comment: str | None
) -> Iterator[list[str]]:
    for number, line in enumerate(lines, 1):
        if number <= skipped or not line.strip() or (comment and line.startswith(comment)):
            continue
        for start, _ in spans[1:]:
            if line[start - 1 : start].strip() and line[start : start + 1].strip():
                raise UserError(
                    f"expected columns of fixed width in {name}, but in line {number} a word goes "
                    f"on across character {start}: put a separator between the columns"
                )
        yield cells_of(line.rstrip("\n"), spans)

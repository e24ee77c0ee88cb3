"""Tables in text: .csv and .tsv."""

from __future__ import annotations

import array
import csv
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.sources.base import Source, table_source
from learnable_novelty.measure.sources.columns import Selection, Table
from learnable_novelty.storage import MOST_BYTES

CHOOSE = "; choose columns that hold numbers"
"""What to do about a column of text."""
FILL = "; fill it in, or take that line out"
"""What to do about an empty cell."""


@dataclass(frozen=True)
class TextFile:
    """A file of lines, each of which is a row."""

    path: Path
    delimiter: str
    names: list[str]
    has_header: bool

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of every data line that is not blank."""
        for number, row in read_lines(self.path, self.delimiter):
            if number == 1 and self.has_header:
                continue
            if len(row) != len(self.names):
                raise UserError(
                    f"expected {len(self.names)} columns in line {number} of {self.path.name}, "
                    f"got {len(row)}"
                )
            yield number, row

    def select(self, chosen: Selection) -> Source:
        """Read chosen columns."""
        used = sorted({*chosen.inputs, *chosen.targets})
        values = array.array("d")
        for number, row in self.lines():
            try:
                values.extend([float(row[column]) for column in used])
            except ValueError:
                raise UserError(self._not_a_number(number, row, used)) from None
        if not values:
            raise UserError(f"expected rows of data in {self.path}, got only a header")
        table = np.frombuffer(values).reshape(-1, len(used))
        x, y = (
            table[:, [used.index(column) for column in columns]]
            for columns in (chosen.inputs, chosen.targets)
        )
        where = functools.partial(self.where, chosen)
        return table_source(x, y if chosen.targets else None, where)

    def where(self, chosen: Selection, index: tuple[int, ...], targets: bool) -> str:
        """Say which column and line a number is in."""
        column = (chosen.targets if targets else chosen.inputs)[index[1]]
        number = next(number for row, (number, _) in enumerate(self.lines()) if row == index[0])
        return f"column {self.names[column]!r}, line {number} of {self.path.name}"

    def _not_a_number(self, number: int, row: list[str], columns: list[int]) -> str:
        column = next(column for column in columns if not _is_number(row[column]))
        return (
            f"expected numbers in column {self.names[column]!r}, got {row[column][:40]!r} in line "
            f"{number} of {self.path.name}{CHOOSE if row[column].strip() else FILL}"
        )


def read_lines(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of every line that is not blank."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, delimiter=delimiter)
        try:
            yield from ((rows.line_num, row) for row in rows if row)
        except UnicodeDecodeError:
            raise UserError(f"expected UTF-8 text in {path}, got other bytes") from None
        except csv.Error as error:
            raise UserError(f"expected a table of numbers in {path.name}: {error}") from None


def open_text(path: Path, delimiter: str) -> Table:
    """Open a table in text; its first line names the columns unless it is all numbers."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UserError(
            f"{path.name} holds {size:,} bytes of text, more than {MOST_BYTES:,}; convert it to "
            "Parquet, which is read by chunks"
        )
    number, first = next(read_lines(path, delimiter), (0, []))
    if len(first) == 1 and ";" in first[0]:
        raise UserError(f"expected commas between the columns of {path.name}, got semicolons")
    if number != 1:
        raise UserError(f"expected columns in the first line of {path}, got a blank line")
    has_header = not all(_is_number(cell) for cell in first)
    names = [c.strip() for c in first] if has_header else [str(i) for i in range(len(first))]
    return Table(names, TextFile(path, delimiter, names, has_header).select)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

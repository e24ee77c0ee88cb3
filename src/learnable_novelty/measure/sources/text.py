"""Tables in text: .csv and .tsv."""

from __future__ import annotations

import csv
import functools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.measure.sources.arrays import table_source
from learnable_novelty.measure.sources.base import Source
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
        with self.path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file, delimiter=self.delimiter)
            for index, row in enumerate(rows):
                if row and not (self.has_header and index == 0):
                    yield rows.line_num, row

    def select(self, chosen: Selection) -> Source:
        """Read chosen columns."""
        used = sorted({*chosen.inputs, *chosen.targets})
        values = self._read(used)
        inputs, targets = (
            values[:, [used.index(i) for i in columns]]
            for columns in (chosen.inputs, chosen.targets)
        )
        where = functools.partial(self.where, chosen)
        return table_source(inputs, targets if chosen.targets else None, where)

    def where(self, chosen: Selection, index: tuple[int, ...], targets: bool) -> str:
        """Say which column and line a number is in."""
        column = (chosen.targets if targets else chosen.inputs)[index[1]]
        number = next(number for row, (number, _) in enumerate(self.lines()) if row == index[0])
        return f"column {self.names[column]!r}, line {number} of {self.path.name}"

    def _read(self, columns: list[int]) -> np.ndarray:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "loadtxt: input contained no data")
                values = np.loadtxt(
                    self.path,
                    delimiter=self.delimiter,
                    skiprows=int(self.has_header),
                    usecols=columns,
                    ndmin=2,
                    quotechar='"',
                    comments=None,
                    encoding="utf-8-sig",
                )
            # loadtxt looks at chosen columns only: a row of "0,5" for 0.5 would shift in silence.
            for number, row in self.lines():
                self._check_width(number, row)
        except (ValueError, csv.Error) as error:
            raise UserError(self._explain(columns, error)) from None
        if values.shape[0] == 0:
            raise UserError(f"expected rows of data in {self.path}, got only a header")
        return values

    def _check_width(self, number: int, row: list[str]) -> None:
        if len(row) != len(self.names):
            where = f"line {number} of {self.path.name}"
            raise UserError(f"expected {len(self.names)} columns in {where}, got {len(row)}")

    def _explain(self, columns: list[int], error: Exception) -> str:
        """Say which cell is not a number, rather than where the parser failed."""
        if isinstance(error, UserError):
            return str(error)
        try:
            for number, row in self.lines():
                self._check_width(number, row)
                for column in columns:
                    if not _is_number(row[column]):
                        advice = CHOOSE if row[column].strip() else FILL
                        return (
                            f"expected numbers in column {self.names[column]!r}, got "
                            f"{row[column][:40]!r} in line {number} of {self.path.name}{advice}"
                        )
        except UserError as width:
            return str(width)
        except (csv.Error, UnicodeDecodeError) as unreadable:
            error = unreadable
        return f"expected a table of numbers in {self.path.name}: {error}"


def open_text(path: Path, delimiter: str) -> Table:
    """Open a table in text; its first line names the columns unless it is all numbers."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UserError(
            f"{path.name} holds {size:,} bytes of text, more than {MOST_BYTES:,}; convert it to "
            "Parquet, which is read by chunks"
        )
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            first = next(csv.reader(file, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise UserError(f"expected UTF-8 text in {path}, got other bytes") from None
    except csv.Error as error:
        raise UserError(f"expected a table of numbers in {path}: {error}") from None
    if len(first) == 1 and ";" in first[0]:
        raise UserError(f"expected commas between the columns of {path.name}, got semicolons")
    if not first:
        raise UserError(f"expected columns in the first line of {path}, got a blank line")
    has_header = not all(_is_number(cell) for cell in first)
    names = [c.strip() for c in first] if has_header else [str(i) for i in range(len(first))]
    file = TextFile(path, delimiter, names, has_header)
    return Table(names, file.select)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

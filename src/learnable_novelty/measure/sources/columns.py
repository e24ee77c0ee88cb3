"""Which columns of a file are inputs and which are targets."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.sources.base import Source
from learnable_novelty.measure.sources.memory import MemoryRows
from learnable_novelty.text import printable

Names = str | Sequence[str | int] | None
"""Columns: text with commas, quoted as in CSV where a name holds a comma; or a list."""


@dataclass(frozen=True)
class Selection:
    """Positions of input and target columns."""

    inputs: list[int]
    targets: list[int]
    every: bool
    """Whether all columns are used because none were chosen as inputs."""


@dataclass(frozen=True)
class Columns:
    """Chosen columns of a file and their names: what ``score`` takes in place of inputs."""

    source: Source
    input_names: list[str]
    target_names: list[str]

    @property
    def inputs(self) -> np.ndarray:
        """The input columns of a file that was loaded."""
        return self._rows.inputs.numpy()

    @property
    def targets(self) -> np.ndarray | None:
        """The target columns of a file that was loaded; None if none were named."""
        return None if self._rows.targets is None else self._rows.targets.numpy()

    @property
    def _rows(self) -> MemoryRows:
        if self.source.rows is None:
            raise UserError("expected columns that are in memory, got a file read by chunks")
        return self.source.rows


@dataclass(frozen=True)
class Table:
    """A file that knows the names of its columns, and how to read a selection of them."""

    names: list[str]
    select: Callable[[Selection], Source]


def select_columns(names: list[str], inputs: Names, targets: Names, path: Path) -> Selection:
    """Return the positions of input and target columns; all but the targets are inputs."""
    target_columns = [] if targets is None else _positions(names, targets, path)
    if inputs is not None:
        input_columns = _positions(names, inputs, path)
    else:
        input_columns = [i for i in range(len(names)) if i not in target_columns]
    if not input_columns:
        raise UserError(f"expected input columns in {path}, none are left beside the targets")
    return Selection(input_columns, target_columns, inputs is None)


def _positions(names: list[str], wanted: str | Sequence[str | int], path: Path) -> list[int]:
    """Turn names or numbers into positions."""
    chosen = _split(wanted) if isinstance(wanted, str) else list(wanted)
    positions: list[int] = []
    for one in chosen:
        text = str(one)
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            raise UserTypeError(
                f"expected names or numbers of columns of {path.name}, got {type(one).__name__}"
            )
        name = text if text in names else text.strip()
        if name in names:
            positions.append(names.index(name))
        elif name.isdecimal() and int(name) < len(names):
            positions.append(int(name))
        else:
            listed = ", ".join(map(printable, names[:12])) + (", ..." if len(names) > 12 else "")
            raise UserError(f"expected a column of {path.name} ({listed}), got {text!r}")
    return positions


def _split(text: str) -> list[str]:
    """Divide text at its commas, but for those between quotes.

    >>> _split('"a,b", c')
    ['a,b', 'c']
    """
    try:
        return next(csv.reader([text], skipinitialspace=True), None) or [""]
    except csv.Error as error:
        raise UserError(f"expected names of columns separated by commas, got {text!r}") from error

"""Which columns of a file are inputs and which are targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.names import Names, positions
from learnable_novelty.data.source import Source
from learnable_novelty.errors import UserError


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
    decisions: tuple[str, ...] = ()
    """What was decided while the file was read, in plain words."""
    classes: tuple[str, ...] = ()
    """Levels of the target, where it is one category."""
    dropped: int = 0
    """Rows with gaps that were left out: what is left is no series."""

    def as_source(self) -> Source:
        """Return the source with what was decided about it."""
        return replace(self.source, decisions=self.decisions)

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
class ColumnFile:
    """A file that knows the names of its columns, and how to read a selection of them."""

    names: list[str]
    select: Callable[[Selection], Source]


def select_columns(names: list[str], inputs: Names, targets: Names, path: Path) -> Selection:
    """Return the positions of input and target columns; all but the targets are inputs."""
    target_columns = [] if targets is None else positions(names, targets, path.name)
    if inputs is not None:
        input_columns = positions(names, inputs, path.name)
    else:
        input_columns = [i for i in range(len(names)) if i not in target_columns]
    if not input_columns:
        raise UserError(f"expected input columns in {path}, none are left beside the targets")
    return Selection(input_columns, target_columns, inputs is None)

"""What is scored: the settings, how a series is cut, and what the data is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.data.source import Layout
from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.null import Null
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.observer.observer import Observer

BATCH_ROWS = 4096
"""Regression rows whose features are computed at a time: they stay in cache."""
BATCH_BYTES = 64 << 20
"""Of inputs in a batch, however wide they are."""


@dataclass(frozen=True)
class Settings:
    """What ``score`` was asked for; checked before any data is read."""

    windows: Windows | None
    """How a series is cut; None for samples."""
    draws: int
    null: Null
    seed: int
    ridge_penalty: RidgePenalty | None = None
    resolution: float | None = None
    """This and the one above are for the default observer."""
    observer: Observer | None = None
    standardize_inputs: bool = True
    target_unit: float | Literal["sd"] = "sd"
    rank: bool = False
    """Whether columns are replaced by their normal scores."""
    groups: NDArray[Any] | None = None
    """A label for each row: rows with the same one belong together."""
    is_dated: bool = False
    """Whether rows are in the order of a column that dates them."""

    def __post_init__(self) -> None:
        whole_number("draws", self.draws, 1)
        if self.rank and not (self.standardize_inputs and self.target_unit == "sd"):
            raise UserError(
                "normal scores have no unit: expected standardize_inputs=True and "
                'target_unit="sd" with rank=True'
            )
        if self.target_unit != "sd":
            check_target_unit(self.target_unit)
        if self.observer is None:
            return
        if not isinstance(self.observer, Observer):
            kind = type(self.observer).__name__
            raise UserTypeError(f"observer must be an Observer, got {kind}")
        for name in ("ridge_penalty", "resolution"):
            if getattr(self, name) is not None:
                raise UserError(f"{name} is for the default observer; the one given has its own")
        if self.observer.process_group is not None:
            raise UserError("score measures the data of one process: expected no process_group")
        if self.observer.solver not in ("auto", "spectral"):
            raise UserError(
                "score solves from the singular values of the features: expected an observer with "
                f"solver='auto', got {self.observer.solver!r}; call the observer itself to use it"
            )

    @property
    def standardization(self) -> str:
        """Say what is done to inputs and targets."""
        if self.rank:
            return "normal scores of inputs and targets per column"
        unit = "their own deviation" if self.target_unit == "sd" else f"{self.target_unit:g}"
        inputs = "inputs standardized per column, " if self.standardize_inputs else ""
        return f"{inputs}targets in units of {unit}"


def check_target_unit(unit: float | str) -> float:
    """Return a unit of the targets, or raise unless it is a positive number."""
    if isinstance(unit, (int, float)) and not isinstance(unit, bool) and 0 < unit < math.inf:
        return float(unit)
    raise UserError(f'target_unit must be "sd" or a positive number, got {unit!r}')


@dataclass(frozen=True)
class Windows:
    """How a series becomes inputs and targets.

    An input holds the last ``history`` values, the target the values at the lead times.
    """

    history: int
    leads: tuple[int, ...]

    @staticmethod
    def of(window: int | None, history: int, leads: Sequence[int] | None) -> Windows:
        """Check the two ways to choose the future: ``window`` next steps, or lead times."""
        if (window is None) == (leads is None):
            raise UserError("expected either window or leads, got both or neither")
        past = whole_number("history", history, 1)
        if window is not None:
            return Windows(past, tuple(range(1, whole_number("window", window, 1) + 1)))
        chosen = tuple(whole_number("a lead", lead, 0) for lead in ([] if leads is None else leads))
        if not chosen:
            raise UserError("expected at least one lead, got none")
        return Windows(past, chosen)

    @property
    def reach(self) -> int:
        """How many steps a pair spans after its first one."""
        return self.history - 1 + max(self.leads)

    def num_pairs(self, length: int) -> int:
        """Return how many pairs a series of this length makes."""
        return length - self.reach

    def check(self, length: int) -> None:
        """Raise unless the series is long enough for two pairs."""
        if self.num_pairs(length) < 2:
            need = self.history + max(self.leads) + 1
            raise UserError(
                f"history={self.history} and a farthest lead of {max(self.leads)} need a series "
                f"of at least {need} steps, got {length}"
            )

    def inputs(self, series: Tensor) -> Tensor:
        """Return (num_pairs, history * dims), oldest value first."""
        n = self.num_pairs(series.shape[0])
        return torch.cat([series[i : i + n] for i in range(self.history)], dim=1)

    def targets(self, series: Tensor) -> Tensor:
        """Return (num_pairs, len(leads) * dims)."""
        n, now = self.num_pairs(series.shape[0]), self.history - 1
        return torch.cat([series[now + lead : now + lead + n] for lead in self.leads], dim=1)


def choose_windows(window: int | None, history: int, leads: Sequence[int] | None) -> Windows | None:
    """Return how a series is cut, or None where rows are samples."""
    if window is None and leads is None:
        if history != 1:
            raise UserError("history goes with a window or leads, for a series")
        return None
    return Windows.of(window, history, leads)


@dataclass(frozen=True)
class Task:
    """How samples become inputs and targets: columns scaled, and windows cut from a series."""

    layout: Layout
    windows: Windows | None
    column_axis: int
    input_scale: tuple[Tensor, Tensor] | None
    """Mean and deviation of the input columns; None leaves inputs as they are."""
    target_unit: Tensor | float
    """What targets are divided by."""

    @staticmethod
    def of(layout: Layout, settings: Settings) -> Task:
        """Check that the data fits the settings."""
        windows, axis = settings.windows, 1
        if settings.observer is not None and len(layout.inputs) > 1:
            axis = settings.observer.reservoir.column_axis
        if windows is None and layout.targets is None:
            raise UserError("expected targets, or a window or leads to cut them from a series")
        for tail in (layout.inputs, layout.targets):
            if windows is not None and tail is not None and len(tail) != 1:
                shape = f"({', '.join(['time', *map(str, tail)])})"
                raise UserError(f"expected a series (time, columns), got shape {shape}")
        if windows is not None and layout.targets is None and 0 in windows.leads:
            raise UserError("expected leads of at least 1 for one series, got 0")
        unit = 1.0 if settings.target_unit == "sd" else float(settings.target_unit)
        return Task(layout, windows, axis, None, unit)

    @property
    def kind(self) -> Literal["samples", "lattices", "series", "two series"]:
        """Name the kind of data, which decides what a null may rearrange."""
        if self.windows is not None:
            return "series" if self.layout.targets is None else "two series"
        return "samples" if len(self.layout.inputs) == 1 else "lattices"

    @property
    def history(self) -> int:
        """How many rows make an input."""
        return 1 if self.windows is None else self.windows.history

    @property
    def reach(self) -> int:
        """How many rows after its first one a sample needs."""
        return 0 if self.windows is None else self.windows.reach

    @property
    def batch_size(self) -> int:
        """How many samples are scored at a time."""
        shape = torch.Size(self.layout.inputs)
        axis = self.column_axis if self.column_axis < 0 else self.column_axis - 1
        sites = shape.numel() // shape[axis]
        return max(1, min(BATCH_ROWS // sites, BATCH_BYTES // (8 * shape.numel())))

    def num_samples(self, count: int) -> int:
        """Return how many samples, or pairs of a series, so many rows make; at least two."""
        if self.windows is not None:
            self.windows.check(count)
            return self.windows.num_pairs(count)
        if count < 2:
            raise UserError(f"inputs must hold at least two samples, got {count}")
        return count

    def observer_shape(self, samples: int) -> tuple[int, ...]:
        """Return the shape of the inputs that the observer gets."""
        columns, *space = self.layout.inputs
        return samples, columns * (1 if self.windows is None else self.windows.history), *space

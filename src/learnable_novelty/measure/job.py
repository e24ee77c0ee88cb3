"""What is done with every stretch of data that is not in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.data import scaled
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.plan import asks_for_series
from learnable_novelty.measure.rearrange import Null
from learnable_novelty.measure.shards import Layout
from learnable_novelty.measure.windows import Windows
from learnable_novelty.observer import Observer, Rows
from learnable_novelty.observer.penalty import RidgePenalty
from learnable_novelty.observer.roots import Roots

BlockRoots = dict[int, list[Roots]]
"""Roots by block, one for each draw."""


@dataclass(frozen=True)
class Request:
    """What ``score`` was asked for."""

    window: int | None
    history: int
    leads: Any
    observer: Observer | None
    ridge_penalty: RidgePenalty
    draws: int
    null: Null
    seed: int
    standardize_inputs: bool
    target_unit: float | str
    executor: Executor | None
    progress: Callable[[int, int], None] | None

    def windows(self) -> Windows | None:
        """Return how a series is cut, or None for samples."""
        if not asks_for_series(self.window, self.leads, self.history):
            return None
        return Windows.of(self.window, self.history, self.leads)

    def column_axis(self, layout: Layout) -> int:
        """Return the axis of the columns."""
        if self.observer is None or len(layout.inputs) == 1:
            return 1
        return self.observer.reservoir.column_axis


@dataclass(frozen=True)
class Job:
    """What is done with every shard."""

    observers: list[Observer]
    layout: Layout
    windows: Windows | None
    column_axis: int
    inputs: tuple[Tensor, Tensor] | None
    """Mean and deviation that inputs are given, or None to leave them."""
    unit: Tensor | float
    """What targets are divided by."""
    bounds: tuple[int, ...] | None
    """Bounds of the blocks of samples; None where it is not known how many samples there are."""

    @property
    def piece(self) -> int:
        """How many samples are scored at a time."""
        return self.layout.piece(self.column_axis)

    def prepare(self, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        """Scale columns and cut windows, as is done in memory."""
        future = scaled(x if y is None else y, self.column_axis, 0.0, self.unit)
        past = x if self.inputs is None else scaled(x, self.column_axis, *self.inputs)
        if self.windows is None:
            return past, future
        return self.windows.inputs(past), self.windows.targets(future)


def observers_for(job: Job, length: int, request: Request) -> list[Observer]:
    """Draw the observers for so many samples."""
    columns, *space = job.layout.inputs
    history = 1 if job.windows is None else job.windows.history
    shape = (length, columns * history, *space)
    return draw_observers(
        request.observer, request.ridge_penalty, shape, request.draws, request.seed
    )


@torch.no_grad()
def roots_between(job: Job, inputs: Tensor, targets: Tensor, cuts: list[int]) -> list[list[Roots]]:
    """Return the roots of samples between cuts, one for each draw."""
    found: list[list[Roots]] = [[] for _ in cuts[1:]]
    for observer in job.observers:
        rows = observer.rows(inputs, targets)
        sites = rows.features.shape[0] // inputs.shape[0]
        for held, (a, b) in zip(found, itertools.pairwise(cuts), strict=True):
            span = slice(a * sites, b * sites)
            part = Rows(rows.features[span], rows.targets[span])
            held.append(part.roots(observer.accumulate_dtype))
    return found


def add_block(held: BlockRoots, number: int, draws: list[Roots]) -> None:
    """Merge the roots of a block with those that were there before."""
    before = held.get(number)
    held[number] = draws if before is None else [a + b for a, b in zip(before, draws, strict=True)]


def check_length(count: int, windows: Windows | None) -> int:
    """Return how many samples, or pairs of a series, so many rows make; at least two."""
    if windows is not None:
        windows.check(count)
        return windows.num_pairs(count)
    if count < 2:
        raise UserError(f"inputs must hold at least two samples, got {count}")
    return count

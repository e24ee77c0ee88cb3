"""The observer that ``score`` chooses when the user names none."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split

VECTOR_WIDTH, VECTOR_DEPTH = 64, 4
LINEAR_LAST = False
LATTICE_CHANNELS, LATTICE_DEPTH = 64, 3
SAMPLES_PER_FEATURE = 4
LANDMARKS, COLUMN_LANDMARKS = 512, 64
"""Of a table, at most; and for each of its columns."""
FEATURE_VALUES = 50_000_000
"""How many values the landmarks of all rows of a table take at most."""
DIFFERENT_ROWS = 4_000
"""Rows among which different ones are counted."""
DRAWS = 8
"""Reservoirs that are averaged over; the features of a table hardly depend on theirs."""


def default_observer(
    shape: tuple[int, ...],
    ridge_penalty: RidgePenalty,
    resolution: float,
    table: Tensor | None = None,
) -> Observer:
    """Choose an observer for inputs of this shape.

    Vectors get the reservoir of the paper's flows (MLP of depth 4, width 64), lattices a smaller
    version of the one for its automata (depth 3, kernel 3, 64 channels), and tables ``Tabular``.
    The ridge is chosen by evidence, where the paper fixes it: the noise level of new data is not
    known, and a fixed small ridge gives noise more bits than structure. With few samples the width
    falls to a quarter of their number: a readout with as many features as samples leaves no
    residual to judge it by.

    Args:
        shape: of the inputs.
        ridge_penalty: lambda.
        resolution: eta.
        table: rows of a table, to which its features are fitted.
    """
    samples, channels = shape[0], shape[1]
    if table is not None:
        # As many landmarks as different rows could repeat all targets, and evidence would let them.
        half = len(torch.unique(table[:DIFFERENT_ROWS], dim=0)) // 2
        most = min(LANDMARKS, COLUMN_LANDMARKS * channels, half, FEATURE_VALUES // samples)
        reservoir = reservoirs.Tabular(table, landmarks=max(1, most))
    elif len(shape) == 2:
        reservoir = reservoirs.MLP(
            channels, default_width(samples), VECTOR_DEPTH, linear_last=LINEAR_LAST
        )
    elif len(shape) in (3, 4):
        width = default_width(samples * math.prod(shape[2:]), LATTICE_CHANNELS)
        kind = reservoirs.Conv1d if len(shape) == 3 else reservoirs.Conv2d
        reservoir = kind(channels, width, LATTICE_DEPTH, linear_last=LINEAR_LAST)
    else:
        raise UserError(
            "expected inputs (num_samples, columns), (num_samples, channels, length) or "
            f"(num_samples, channels, height, length), got shape {shape}"
        )
    return Observer(reservoir, ridge_penalty=ridge_penalty, resolution=resolution)


def default_width(num_rows: int, most: int = VECTOR_WIDTH) -> int:
    """Return the number of features for this many rows: a quarter of it, from 4 to ``most``."""
    return min(most, max(4, num_rows // SAMPLES_PER_FEATURE))


def draw_observers(
    settings: Settings, shape: tuple[int, ...], table: Tensor | None = None
) -> list[Observer]:
    """Copy the observer once per draw; one that was given keeps its reservoir in the first.

    Args:
        settings: with the observer, or with what the default one needs.
        shape: of the inputs.
        table: rows of them, where they are a table.
    """
    template = settings.observer
    if template is None:
        penalty = "evidence" if settings.ridge_penalty is None else settings.ridge_penalty
        resolution = 1.0 if settings.resolution is None else settings.resolution
        template = default_observer(shape, penalty, resolution, table)
        template.redraw(split(settings.seed, "draw", 0))
    copies = [template.copied() for _ in range(settings.draws)]
    for index, drawn in enumerate(copies[1:], start=1):
        drawn.redraw(split(settings.seed, "draw", index))
    return copies

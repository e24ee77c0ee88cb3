"""Features for tables: of all columns together, every column itself, and some of each alone."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.reservoirs.base import Reservoir, check_shape, check_sizes
from learnable_novelty.observer.reservoirs.feedforward import MLP
from learnable_novelty.seeds import Seed, split

DEPTH = 4
FREQUENCY = 1.5
"""Deviation of the frequencies, in radians for one unit of the column."""


class Tabular(Reservoir):
    """An ``MLP`` of all columns, the columns themselves, and random waves of each: cos(w x + b).

    A random network of thirty columns has hardly a feature that follows one of them, so a
    relation with one column drowns in the others. With waves of its own it does not. Columns should
    have a deviation of about one.

    Args:
        input_dim: number of columns.
        width: features of all columns together.
        own: waves of every column alone; 0 for none.
        numbers: the columns that get them; all by default. Zeros and ones need none.
        seed: an integer, or a generator that one is drawn from.

    >>> Tabular(3, width=8, own=4)(torch.zeros(5, 3)).shape
    torch.Size([5, 23])
    """

    def __init__(
        self,
        input_dim: int,
        width: int,
        own: int = 4,
        *,
        numbers: Sequence[int] | None = None,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        check_sizes(input_dim=input_dim, width=width)
        if isinstance(own, bool) or not isinstance(own, int) or own < 0:
            raise UserError(f"own must be a whole number of features, got {own!r}")
        self.numbers = list(range(input_dim) if numbers is None else numbers)
        if not set(self.numbers) <= set(range(input_dim)):
            raise UserError(f"numbers must be columns from 0 to {input_dim - 1}, got {numbers!r}")
        self.input_dim, self.width, self.own = input_dim, width, own
        self.together = MLP(input_dim, width, DEPTH, linear_last=False)
        self.feature_dim = width + input_dim + own * len(self.numbers)
        self.redraw(self.seed)

    def redraw(self, seed: Seed) -> Tabular:
        super().redraw(seed)
        self.together.redraw(split(self.seed, "together"))
        return self

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        shape = len(self.numbers), self.own
        phase = 2 * torch.pi * torch.rand(shape, generator=generator, dtype=torch.float64)
        frequency = torch.randn(shape, generator=generator, dtype=torch.float64)
        return {"frequency": FREQUENCY * frequency, "phase": phase}

    def reads(self, inputs: Tensor) -> Tensor:
        check_shape(inputs, ("num_samples", "input_dim"), 1, self.input_dim)
        return inputs

    def driven(self, reads: Tensor) -> Tensor:
        parts = [self.together(reads), reads]
        if self.own and self.numbers:
            weights = self.weights_like(reads)
            waves = reads[:, self.numbers, None] * weights["frequency"] + weights["phase"]
            parts.append(waves.cos().flatten(1))
        return torch.cat(parts, dim=1)

    def resized(self, features: int, depth: int | None = None) -> Tabular:
        width = self.width + features - self.feature_dim
        return Tabular(**{**self.settings(), "width": width})

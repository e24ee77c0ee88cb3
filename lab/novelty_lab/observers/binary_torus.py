"""A convolutional reservoir on binary tori, from tables of neighbourhoods.

A 3 x 3 neighbourhood of binary cells is one of 512. The first layer is therefore a table, and what
the second layer adds up is nine look-ups in tables that hold the first layer multiplied by the
weights of each offset: repeated neighbourhoods are computed once, and the convolution, which is
nine tenths of the arithmetic, is gone. The same features as the reservoir gives, to rounding.
"""

from __future__ import annotations

import itertools

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from learnable_novelty.errors import UserError
from learnable_novelty.observer.reservoirs.feedforward import Conv2d

OFFSETS = tuple(itertools.product((-1, 0, 1), repeat=2))
"""Down and right, in the order in which the reservoir reads its neighbours."""
NUM_PATTERNS = 1 << len(OFFSETS)


class BinaryTorus:
    """The features of a Conv2d reservoir for tori of 0 and 1.

    Args:
        reservoir: of kernel 3, at least two layers, one input channel.
        states: what a dead and what a living cell enter as.
        dtype: of the features.
        device: where they are computed.

    >>> reservoir = Conv2d(1, channels=4, depth=3)
    >>> cells = torch.randint(0, 2, (2, 8, 8), dtype=torch.uint8)
    >>> fast = BinaryTorus(reservoir, (0.0, 1.0), torch.float64)(cells)
    >>> torch.allclose(fast.movedim(-1, 1), reservoir(cells[:, None].double()))
    True
    """

    def __init__(
        self,
        reservoir: Conv2d,
        states: tuple[float, float],
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        if reservoir.kernel_size != 3 or reservoir.depth < 2 or reservoir.input_dim != 1:
            raise UserError(
                "expected a reservoir of kernel 3, at least two layers and one input channel, got "
                f"kernel_size={reservoir.kernel_size}, depth={reservoir.depth}, "
                f"input_channels={reservoir.input_dim}"
            )
        self.reservoir = reservoir
        # Tables are made in float64 once and rounded once, so devices share them.
        weights = reservoir.weights_like(torch.empty(0, dtype=torch.float64))
        inputs = pattern_inputs(states)
        first = reservoir.activate(inputs @ weights["weight0"].T + weights["bias0"], 0)
        shallow = reservoir.depth == 2
        second = weights["weight1"]
        tables = reservoir.advance(first, 1) if shallow else _sums_by_offset(first, second)
        self._tables = tables.to(device=device, dtype=dtype)
        self._bias = weights["bias1"].to(device=device, dtype=dtype)

    @torch.no_grad()
    def __call__(self, cells: Tensor) -> Tensor:
        """Compute the features of tori (num_samples, height, width): (..., feature_dim)."""
        codes = pattern_codes(cells)
        if self.reservoir.depth == 2:
            return self._tables[codes]
        seen = [
            codes.roll((-down, -right), (1, 2)) + place * NUM_PATTERNS
            for place, (down, right) in enumerate(OFFSETS)
        ]
        indices = torch.stack(seen, dim=-1).flatten(0, 2)
        drive = embedding_bag(indices, self._tables, mode="sum") + self._bias
        hidden = self.reservoir.activate(drive, 1).unflatten(0, codes.shape)
        for layer in range(2, self.reservoir.depth):
            hidden = self.reservoir.advance(hidden, layer)
        return hidden


def _sums_by_offset(first: Tensor, weight: Tensor) -> Tensor:
    """Return what each pattern at each offset adds to the second layer, (9 * 512, channels)."""
    by_offset = weight.unflatten(1, (len(OFFSETS), -1))
    return torch.einsum("pi,coi->opc", first, by_offset).flatten(0, 1)


def pattern_codes(cells: Tensor) -> Tensor:
    """Number the neighbourhood of every cell, 0 to 511; bit k is the cell at ``OFFSETS[k]``."""
    cells = cells.to(torch.int64)
    codes = torch.zeros_like(cells)
    for place, (down, right) in enumerate(OFFSETS):
        codes |= cells.roll((-down, -right), (-2, -1)) << place
    return codes


def pattern_inputs(states: tuple[float, float]) -> Tensor:
    """Spell all 512 neighbourhoods out, (512, 9)."""
    bits = torch.arange(NUM_PATTERNS)[:, None] >> torch.arange(len(OFFSETS)) & 1
    return torch.tensor(states, dtype=torch.float64)[bits]

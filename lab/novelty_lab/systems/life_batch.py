"""Many life-like rules at once: a word holds the same cell of 64 tori, each under its own rule.

Bit l of the word at (row, column, w) is that cell of torus 64 w + l. Neighbours are then whole
words, tori may have any size, and a rule is nine birth and nine survival masks of one bit per
torus. Plain torch, so the same on a CPU and on a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from novelty_lab.systems.cells import count_planes, select_next
from novelty_lab.systems.life import NUM_COUNTS, LifeRule

LANES = 64


@dataclass(frozen=True)
class LifeBatch:
    """Tori of many rules, ``samples`` of each, packed across tori.

    >>> soups = torch.zeros(2, 8, 8, dtype=torch.uint8)  # two empty tori
    >>> batch = LifeBatch.of([LifeRule("B0/S8"), LifeRule("B3/S23")], soups)
    >>> batch.advance(1).cells().sum((1, 2, 3)).tolist()  # living cells of each rule
    [128, 0]
    """

    words: Tensor
    """(height, width, words), int64."""
    born: Tensor
    """(9, words): the lanes whose rule gives birth at a count."""
    survives: Tensor
    """(9, words): the same for survival."""
    rules: int
    samples: int

    @staticmethod
    def of(rules: Sequence[LifeRule], soups: Tensor) -> LifeBatch:
        """Start every rule from the same soups, (samples, height, width) of 0 and 1."""
        samples, height, width = soups.shape
        lanes = soups.repeat(len(rules), 1, 1).permute(1, 2, 0)
        tables = {
            name: np.array(
                [[k in getattr(rule, name) for rule in rules] for k in range(NUM_COUNTS)]
            )
            for name in ("birth", "survival")
        }
        born, survives = (
            pack_lanes(torch.from_numpy(t.repeat(samples, 1)).to(soups.device))
            for t in tables.values()
        )
        words = pack_lanes(lanes.reshape(height, width, -1))
        return LifeBatch(words, born, survives, len(rules), samples)

    def advance(self, steps: int) -> LifeBatch:
        """Return the batch ``steps`` steps later."""
        words, born, survives = self.words, list(self.born), list(self.survives)
        for _ in range(steps):
            left, right = words.roll(1, 1), words.roll(-1, 1)
            planes = count_planes(words, left, right, _roll_rows)
            words = select_next(words, planes, born, survives)
        return LifeBatch(words, self.born, self.survives, self.rules, self.samples)

    def cells(self, first: int = 0, last: int | None = None) -> Tensor:
        """Unpack the tori of rules ``first`` to ``last``: (rules, samples, height, width)."""
        last = self.rules if last is None else last
        start, stop = first * self.samples, last * self.samples
        word = start // LANES
        lanes = unpack_lanes(self.words[:, :, word : -(-stop // LANES)])
        lanes = lanes[:, :, start - word * LANES : stop - word * LANES].permute(2, 0, 1)
        return lanes.reshape(last - first, self.samples, *self.words.shape[:2])


def pack_lanes(lanes: Tensor) -> Tensor:
    """Pack the last axis of 0 and 1, 64 to a word: (..., lanes) to (..., words), int64."""
    padded = torch.nn.functional.pad(lanes.to(torch.int64), (0, -lanes.shape[-1] % LANES))
    grouped = padded.unflatten(-1, (-1, LANES))
    # The top lane's one is the sign bit: a sum of distinct powers wraps to the right pattern.
    return (grouped << torch.arange(LANES, device=lanes.device)).sum(-1)


def unpack_lanes(words: Tensor) -> Tensor:
    """Unpack words (..., words) into (..., 64 * words) of 0 and 1, uint8."""
    lanes = words[..., None] >> torch.arange(LANES, device=words.device)
    return (lanes & 1).to(torch.uint8).flatten(-2)


def _roll_rows(words: Tensor, by: int) -> Tensor:
    return words.roll(by, 0)

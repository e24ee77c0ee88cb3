"""Counts: an observation is worth less the more often its bin was visited in the training."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.rivals.rival import Rival

BIN = np.dtype(np.int16)
"""Of a bin's index along a coordinate; indices beyond its range are cut to it."""


@dataclass(frozen=True)
class CountsConfig:
    """What counts as the same observation."""

    bin_width: float = 1.0
    """Side of a bin in units of the scale. One bin is centred on the mean, so that rounding does
    not split a coordinate that stays there."""

    def __post_init__(self) -> None:
        check_positive(bin_width=self.bin_width)


class Counts:
    """Pay for the rarity of the bin that the next observation falls into.

        b = 1 / sqrt(N(bin)),    bin = round(z / width),    z = (o' - mean) / sd

    N counts visits over the whole training, this one too: a new bin pays one. Environments that
    come to a bin in the same step are all counted before any is paid, so that they are paid alike.

    >>> scale = ObservationScale(np.zeros(1), np.ones(1))
    >>> at = np.array([[0.1], [-0.2], [3.0]])
    >>> Counts(scale).pay(Step(at, at, at, np.zeros(3, dtype=bool))).round(3)
    array([0.707, 0.707, 1.   ])
    """

    def __init__(self, scale: ObservationScale, config: CountsConfig | None = None) -> None:
        self.scale, self.config = scale, config or CountsConfig()
        self._counts: Counter[bytes] = Counter()

    def pay(self, step: Step) -> Array:
        bins = np.rint(self.scale(step.next_observations) / self.config.bin_width)
        limits = np.iinfo(BIN)
        keys = [row.tobytes() for row in np.clip(bins, limits.min, limits.max).astype(BIN)]
        self._counts.update(keys)
        return np.array([self._counts[key] for key in keys], dtype=np.float64) ** -0.5

    def reset(self) -> None:
        """Do nothing: counts run over episodes."""


RIVAL = Rival("counts", "counts", "counts", "#8C510A", "h", 4, lambda scale, **_: Counts(scale))

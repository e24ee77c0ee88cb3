"""A control, not a novelty: the distance of an observation from a random policy's mean."""

from __future__ import annotations

import numpy as np

from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.scale import ObservationScale
from novelty_lab.rivals.rival import Rival


class Magnitude:
    """Pay the squared length of the standardized next observation.

        b = |(o' - mean) / sd|^2

    It learns nothing: what a bonus achieves beyond it does not come from going far. The control is
    meant for a scale with ``clip=None``.

    >>> scale = ObservationScale(np.array([1.0, 0.0]), np.array([2.0, 1.0]), clip=None)
    >>> at = np.array([[5.0, 3.0]])
    >>> Magnitude(scale).pay(Step(at, at, at, np.array([False])))
    array([13.])
    """

    def __init__(self, scale: ObservationScale) -> None:
        self.scale = scale

    def pay(self, step: Step) -> Array:
        return np.square(self.scale(step.next_observations)).sum(1)

    def reset(self) -> None:
        """Do nothing: no episode is remembered."""


RIVAL = Rival(
    "magnitude", "magnitude", "magnitude", "#E69F00", "s", 0, lambda scale, **_: Magnitude(scale)
)

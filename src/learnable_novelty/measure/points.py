"""What a picture of a score needs: some samples, observed and predicted without being seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 2_000
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """At most 2,000 samples."""

    input: Array | None
    """The input, where there is one column of it, (num_points,)."""
    observed: Array
    """Targets, (num_points,)."""
    predicted: Array
    """By readouts that have not seen the sample, (num_points,)."""
    in_deviations: bool
    """Whether targets are in units of their deviation: several of them are drawn together."""

    @staticmethod
    def of(inputs: Array, targets: Array, predicted: Array, unit: float | None) -> Points:
        """Choose points evenly among samples.

        Args:
            inputs: (num_samples, columns).
            targets: (num_samples, target_dim), in deviations.
            predicted: of the same shape.
            unit: the deviation of a single target; None for several.
        """
        step = max(1, -(-targets.size // MOST_POINTS))
        chosen = np.arange(0, targets.size, step)
        alone = inputs.shape[1] == 1
        x = np.repeat(inputs[:, 0], targets.shape[1])[chosen] if alone else None
        scale = 1.0 if unit is None else unit
        y, guess = (values.reshape(-1)[chosen] * scale for values in (targets, predicted))
        return Points(x, y, guess, unit is None)

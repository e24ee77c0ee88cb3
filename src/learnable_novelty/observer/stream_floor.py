"""The floor of a stream: the score of targets without structure, as large as the learner's errors.

A readout fitted to noise is not zero, so noise earns bits. The floor earns them too: beside its
targets y a stream is given its own one-step prediction errors with random signs,

    e_t = s_t (y_t - yhat_t),   yhat_t = mean_y + B' D A^-1 D (h_t - mean_h),   s_t = +1 or -1,

as targets of the same features. Means, scale D, A and B are those of the pairs before t, so that
yhat_t is what the readout of these pairs predicts. Where y is noise, e is as large as y and the
difference S - S_floor is about zero; where y can be learned, e becomes small and the difference
about S. The first pair, before which there is no mean, has the error zero; with given constants
("fixed") the mean is theirs from the start.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.stream_sums import StreamSums, diagonal
from learnable_novelty.seeds import Seed, numpy_generator


class RandomSigns:
    """Signs of the errors of all streams, drawn from one generator."""

    def __init__(self, num_streams: int, seed: Seed) -> None:
        self._shape = (num_streams,)
        self._generator = numpy_generator(seed, "signs of errors")

    def draw(self, sums: Any) -> Any:
        """Draw a sign for every stream, also for one without a pair, as an array of its sums."""
        signs = 2.0 * self._generator.integers(0, 2, self._shape) - 1.0
        return signs if sums.xp is np else torch.from_numpy(signs).to(sums.mean.device)

    @property
    def state(self) -> dict[str, Any]:
        """Where the generator stands."""
        return dict(self._generator.bit_generator.state)

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self._generator.bit_generator.state = state


def centre_errors(
    sums: StreamSums,
    floor: StreamSums,
    scale: Any,
    penalty: float,
    signs: Any,
    active: Tensor | None,
) -> None:
    """Hold in ``floor`` the deviations of h and e, from those that ``sums`` holds of h and y.

    Args:
        sums: of the pairs before this one.
        floor: of features and errors before this one.
        scale: D, of the features before this pair, (num_streams, feature_dim) or (1, feature_dim).
        penalty: lambda.
        signs: s, (num_streams,), and zero for a stream whose error is to be zero.
        active: which streams have a pair; the others deviate by zero.
    """
    xp, m = sums.xp, sums.feature_dim
    a = sums.outer_and_gram[1] * (scale[:, :, None] * scale[:, None, :])
    diagonal(a)[:] += penalty
    z = scale * xp.linalg.solve(a, (scale * sums.dh)[:, :, None])[:, :, 0]
    errors = sums.dy - xp.matmul(z[:, None, :], sums.b)[:, 0]
    floor.d[:, :m] = sums.dh
    floor.d[:, m:] = signs[:, None] * errors - floor.mu[:, m:]
    if active is not None:
        floor.deviation[torch.logical_not(active)] = 0.0

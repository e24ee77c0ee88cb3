"""The observer on streams: one pair at a time, the score after every pair.

Appendix F.2 advances an inverse Gram matrix and takes the singular values of the readout at each
step. Neither is needed. With A = H~'H~ + lambda I, B = H~'Y~ and Q = BB',

    S = alpha [ log2 det(A^2 + eta Q) - 2 log2 det A ],

because det(I + eta W W') = det(I + eta A^-1 Q A^-1). Q and H'H change by rank-one terms with every
pair (``stream_sums``), so a step costs O(mD + m^3) and no readout is formed.

The determinants square the conditioning of A. Their error is about eps times the ratio of the
largest diagonal entry of A^2 + eta Q to its smallest Cholesky pivot, and at most eight times that
on trajectories of six flows. Where that is more than 2.4e-9, on long streams of collinear
features, the step goes through W = A^-1 B instead, at O(m^2 D). Both refuse n/lambda beyond the
measured range (docs/solvers.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.moments import Moments
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.standardize import inverse_scale, is_constant
from learnable_novelty.observer.stream_sums import StreamSums, diagonal

MAX_COUNT_PER_PENALTY = 1e8
"""Largest n/lambda accepted; the error there is measured in docs/solvers.md."""
DETERMINANT_ROUNDOFF = 3e-10
"""Largest eps times diagonal over pivot for which the determinants are used."""


class OnlineObserver:
    """Score many streams side by side, one pair per stream and step.

    Args:
        reservoir: a frozen feature map on vectors.
        target_dim: length of a target.
        num_streams: how many streams.
        ridge_penalty: lambda, a positive number.
        resolution: eta.
        code_scale: alpha.
        target_unit: u_Y.
        standardization: "empirical" standardizes features by the stream's own moments so far, so
            that ``cumulative`` is at every step the batch score of the pairs seen; "fixed" uses
            the constants in ``calibration``, which is the paper's literal recursion.
        calibration: moments of reference features and targets, for "fixed".

    >>> from learnable_novelty.observer.reservoirs import MLP
    >>> online = OnlineObserver(MLP(2, 8, 2), target_dim=1, num_streams=3, ridge_penalty=0.3)
    >>> increments = online.update(torch.randn(3, 2), torch.randn(3, 1))
    >>> increments.shape
    torch.Size([3])
    """

    def __init__(
        self,
        reservoir: Reservoir,
        *,
        target_dim: int,
        ridge_penalty: float,
        num_streams: int = 1,
        resolution: float = 1.0,
        code_scale: float = 0.5,
        target_unit: float = 1.0,
        standardization: Literal["empirical", "fixed"] = "empirical",
        calibration: Moments | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        check_positive(
            ridge_penalty=ridge_penalty,
            resolution=resolution,
            code_scale=code_scale,
            target_unit=target_unit,
        )
        if standardization not in ("empirical", "fixed"):
            raise ValueError(f"standardization must be empirical or fixed, got {standardization!r}")
        if (standardization == "fixed") != (calibration is not None):
            raise ValueError('calibration goes with standardization="fixed", and only with it')
        self.reservoir, self.target_dim, self.num_streams = reservoir, target_dim, num_streams
        self.ridge_penalty, self.resolution = ridge_penalty, resolution
        self.code_scale, self.target_unit = code_scale, target_unit
        self.standardization, self.calibration = standardization, calibration
        self._sums = StreamSums.zeros(num_streams, reservoir.feature_dim, target_dim, device)
        self._score: Any = self._sums.native(torch.zeros_like(self._sums.count))
        self._eps = torch.finfo(torch.float64).eps
        self._roundoff = self._eps / DETERMINANT_ROUNDOFF
        if calibration is not None:
            self._fix(calibration)

    @property
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,)."""
        return self._sums.count.clone()

    @property
    def cumulative(self) -> Tensor:
        """The score of each stream in bits, (num_streams,)."""
        return self._sums.tensor(self._score).clone()

    @torch.no_grad()
    def update(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Tensor:
        """Add one pair to every active stream.

        Args:
            inputs: (num_streams, input_dim).
            targets: (num_streams, target_dim).
            active: (num_streams,) booleans; an inactive stream does not change and returns 0.

        Returns:
            What each pair added to its stream's score, in bits, (num_streams,). An increment can
            be negative.

        Raises:
            ValueError: before anything changes, if shapes disagree, a value is not finite, or a
                stream is too long for its penalty.
        """
        self._check(inputs, targets, active)
        self._refuse_ill_conditioned(active)
        features = self.reservoir.forward(inputs)  # no hooks to call: a step is short
        self._sums.centre(features, targets, active)
        self._check_finite(inputs if active is None else inputs[active])
        self._eps = torch.finfo(features.dtype).eps
        self._sums.absorb(active, moving_mean=self.standardization == "empirical")
        before, score = self._score, self._evaluate()
        if active is not None:
            score = self._sums.xp.where(self._sums.native(active), score, before)
        self._score = score
        return self._sums.tensor(score - before)

    def reset(self, streams: Tensor | Sequence[int] | slice | None = None) -> None:
        """Forget the given streams (indices or a boolean mask), or all of them."""
        for held in self._state().values():
            held[slice(None) if streams is None else streams] = 0.0
        if self.standardization == "fixed" and self.calibration is not None:
            self._fix(self.calibration)

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the state of all streams and of the reservoir."""
        state: dict[str, Any] = {name: held.clone() for name, held in self._state().items()}
        return {**state, "eps": self._eps, "reservoir": self.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        for name, held in self._state().items():
            if held.shape != state[name].shape:
                raise ValueError(
                    f"expected {name} of shape {tuple(held.shape)}, got {tuple(state[name].shape)}"
                )
        self.reservoir.load_state_dict(state["reservoir"])
        self._eps = state["eps"]
        for name, held in self._state().items():
            held.copy_(state[name])

    def _state(self) -> dict[str, Tensor]:
        """Return all that the streams remember, by name, to read or to write."""
        return {**self._sums.tensors(), "cumulative": self._sums.tensor(self._score)}

    def _evaluate(self) -> Any:
        """Evaluate S, (num_streams,)."""
        sums, xp = self._sums, self._sums.xp
        scale = self._feature_scale()
        pair = scale[:, :, None] * scale[:, None, :]
        squared, a, a_diagonal = sums.squared, sums.a, sums.a_diagonal
        xp.multiply(sums.outer_and_gram, pair, out=sums.matrices)
        weight = self.resolution / self.target_unit**2
        if weight != 1.0:
            squared *= weight
        a_diagonal += self.ridge_penalty
        squared += xp.matmul(a, a)
        try:
            pivots = diagonal(xp.linalg.cholesky(sums.matrices))
        except (np.linalg.LinAlgError, RuntimeError):  # rounding has eaten a pivot
            return self._evaluate_readout(scale)
        if float(sums.squared_diagonal.max()) * self._roundoff > float(pivots[0].min()) ** 2:
            return self._evaluate_readout(scale)
        logs = xp.log(pivots).sum(-1)
        return (logs[0] - 2 * logs[1]) * (2 * self.code_scale / math.log(2))

    def _evaluate_readout(self, scale: Any) -> Any:
        """Evaluate S through W = A^-1 B, where the determinants would lose digits."""
        sums = self._sums
        inverse = torch.cholesky_inverse(torch.linalg.cholesky(sums.tensor(sums.a)))
        columns = sums.tensor(scale)[:, None, :] / self.target_unit
        readout = torch.bmm(inverse * columns, sums.cross)
        return sums.native(code_length(readout, self.resolution, self.code_scale))

    def _feature_scale(self) -> Any:
        """Return 1/(sd sqrt(m)) per feature, and 0 for a feature that is constant so far."""
        if self.standardization == "fixed":
            return self._fixed_scale
        sums = self._sums
        variance = sums.gram_diagonal * sums.inverse_count
        constant = is_constant(variance, sums.feature_mean, self._eps)
        variance *= sums.feature_dim
        if not constant.any():
            return 1 / sums.xp.sqrt(variance)
        # Adding one where constant keeps the root away from zero; the quotient is zero there.
        return ~constant / sums.xp.sqrt(variance + constant)

    def _fix(self, calibration: Moments) -> None:
        m, n = self.reservoir.feature_dim, calibration.count
        if (calibration.feature_dim, calibration.target_dim) != (m, self.target_dim):
            raise ValueError(
                f"expected calibration of feature_dim={m} and target_dim={self.target_dim}, "
                f"got {calibration.feature_dim} and {calibration.target_dim}"
            )
        variance = calibration.gram.diagonal() / n
        scale = inverse_scale(variance, calibration.feature_mean, calibration.feature_eps)
        sums = self._sums
        self._fixed_scale = sums.native((scale * m**-0.5).to(sums.mean.device))[None]
        sums.mean[:] = torch.cat([calibration.feature_mean, calibration.target_mean])

    def _refuse_ill_conditioned(self, active: Tensor | None) -> None:
        sums = self._sums
        counts = sums.n if active is None else sums.n * sums.native(active)
        longest = float(counts.max()) + 1
        if longest / self.ridge_penalty > MAX_COUNT_PER_PENALTY:
            raise ValueError(
                f"expected num_pairs / ridge_penalty of at most {MAX_COUNT_PER_PENALTY:g}, got "
                f"{longest:g} / {self.ridge_penalty:g}; reset the stream or raise the penalty"
            )

    def _check_finite(self, inputs: Tensor) -> None:
        # A sum is finite only if all it adds is: two small reductions, before anything that
        # lasts has changed. The features of an infinite input can be finite.
        total = self._sums.native(inputs).sum()
        if not math.isfinite(float(total) * 0 + self._sums.deviation_power()):
            raise ValueError("inputs and targets must be finite, got NaN or infinite values")

    def _check(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> None:
        expected = (self.num_streams, self.target_dim)
        if targets.shape != expected:
            raise ValueError(
                f"expected targets (num_streams={expected[0]}, target_dim={expected[1]}), "
                f"got shape {tuple(targets.shape)}"
            )
        if inputs.shape[0] != self.num_streams:
            raise ValueError(
                f"expected inputs for num_streams={self.num_streams}, got {inputs.shape[0]}"
            )
        if active is not None and active.shape != (self.num_streams,):
            raise ValueError(
                f"expected active (num_streams={self.num_streams},), got {tuple(active.shape)}"
            )

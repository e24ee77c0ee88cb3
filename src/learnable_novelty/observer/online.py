"""The observer on streams: one pair at a time, the score after every pair.

Appendix F.2 advances an inverse Gram matrix and takes the singular values of the readout at each
step. Neither is needed. With A = H~'H~ + lambda I, B = H~'Y~ and Q = BB',

    S = alpha [ log2 det(A^2 + eta Q) - 2 log2 det A ],

because det(I + eta W W') = det(I + eta A^-1 Q A^-1). A pair (h, y) with deviations d_h, d_y from
the means so far changes the centred sums by rank-one terms, f = (n - 1)/n:

    H'H += f d_h d_h',   B += f d_h d_y',
    Q   += f (v d_h' + d_h v') + f^2 |d_y|^2 d_h d_h',   v = B d_y,

so a step costs O(mD + m^3) and no readout is formed. The form squares the conditioning of A; it
is meant for the narrow reservoirs used online and refuses n/lambda beyond the measured range.

What is left is many operations on small arrays. They are written in the functions that NumPy and
torch share (``xp``) and run in NumPy on the CPU, where a call costs about a third.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.moments import Moments
from learnable_novelty.observer.observer import check_positive
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.standardize import inverse_scale, is_constant

MAX_COUNT_PER_PENALTY = 1e6
"""Largest n/lambda accepted; the error there is measured in docs/solvers.md."""


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
        self._sums = _Sums.zeros(num_streams, reservoir.feature_dim, target_dim, device)
        self._score: Any = self._sums.native(torch.zeros_like(self._sums.count))
        self._eps = torch.finfo(torch.float64).eps
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
        features = self.reservoir(inputs)
        self._sums.centre(features, targets, active)
        self._check_finite(inputs if active is None else inputs[active])
        self._eps = torch.finfo(features.dtype).eps
        self._sums.absorb(active, moving_mean=self.standardization == "empirical")
        before, self._score = self._score, self._evaluate()
        increments = self._sums.tensor(self._score - before)
        # An inactive stream's score is evaluated anew from equal sums: not a rounding may differ.
        return increments if active is None else increments * active

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
        logs = xp.log(_diagonal(sums.factors())).sum(-1)
        return (logs[0] - 2 * logs[1]) * (2 * self.code_scale / math.log(2))

    def _feature_scale(self) -> Any:
        """Return 1/(sd sqrt(m)) per feature, and 0 for a feature that is constant so far."""
        if self.standardization == "fixed":
            return self._fixed_scale
        sums = self._sums
        variance = sums.gram_diagonal * sums.inverse_count
        constant = is_constant(variance, sums.feature_mean, self._eps)
        # Adding one where constant keeps the root away from zero; the quotient is zero there.
        return ~constant / sums.xp.sqrt(sums.feature_dim * variance + constant)

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
        if not math.isfinite(float(inputs.sum()) * 0 + self._sums.deviation_power()):
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


class _Sums:
    """The centred sums of all streams: tensors, and views of them as arrays of ``xp``."""

    def __init__(self, count: Tensor, mean: Tensor, products: Tensor, cross: Tensor) -> None:
        self.count, self.mean = count, mean
        # Stored with all Q first and all H'H after them, as the factorization wants them.
        self.products = products.movedim(1, 0).contiguous().movedim(0, 1)
        """Q and H'H, (num_streams, 2, feature_dim, feature_dim)."""
        self.cross = cross
        """B = H'Y, (num_streams, feature_dim, target_dim)."""
        self.xp: Any = np if count.device.type == "cpu" else torch
        self.n, self.mu, self.b = map(self.native, (count, mean, cross))
        with torch.inference_mode(False):  # what is made in it could not be changed outside
            self._allocate(*cross.shape[:2])

    def _allocate(self, streams: int, m: int) -> None:
        """Make the views that a step reads, and room for what it computes."""
        zeros = self.products.new_zeros
        self.feature_dim, self.feature_mean = m, self.mu[:, :m]
        self.outer_and_gram = self.native(self.products.movedim(1, 0))
        self.gram_diagonal = _diagonal(self.outer_and_gram[1])
        self.matrices = self.native(zeros(2, streams, m, m))
        self.squared, self.a = self.matrices  # A^2 + eta Q and A
        self.a_diagonal = _diagonal(self.a)
        self.inverse = zeros(streams, 1)
        self.inverse_count = self.native(self.inverse)
        self.deviation = torch.zeros_like(self.mean)
        self.halves = [(held[:, :m], held[:, m:]) for held in (self.mean, self.deviation)]
        self.d = self.native(self.deviation)
        self.dh, self.dy, self.flat = self.d[:, :m], self.d[:, m:], self.d.reshape(-1)
        # Factors of the outer products: f d_h from the left, u and d_h from the right.
        left, right = zeros(streams, m), zeros(streams, 2, m)
        self.f_dh, rights = self.native(left), self.native(right)
        self.u, self.right_dh = rights[:, 0], rights[:, 1]
        self.product = self.deviation[:, None, m:], self.cross.mT
        self.steps = (
            (self.products, left[:, None, :, None], right[:, :, None, :]),
            (self.products[:, 0], right[:, 0, :, None], left[:, None, :]),
            (self.cross, left[:, :, None], self.deviation[:, None, m:]),
        )

    @staticmethod
    def zeros(streams: int, feature_dim: int, target_dim: int, device: torch.device | str) -> _Sums:
        """Make the sums of streams that have seen nothing."""

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(streams, *shape, dtype=torch.float64, device=device)

        with torch.inference_mode(False):
            mean, products = zeros(feature_dim + target_dim), zeros(2, feature_dim, feature_dim)
            return _Sums(zeros(), mean, products, zeros(feature_dim, target_dim))

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy makes its own views: copied ones would look at memory of their own.
        return _Sums, tuple(self.tensors().values())

    def tensors(self) -> dict[str, Tensor]:
        """Return the sums by name."""
        names = ("count", "mean", "products", "cross")
        return {name: getattr(self, name) for name in names}

    def native(self, values: Tensor) -> Any:
        """View a tensor as an array of ``xp``."""
        return values.numpy() if self.xp is np else values

    def tensor(self, values: Any) -> Tensor:
        """View an array of ``xp`` as a tensor."""
        return torch.from_numpy(values) if self.xp is np else values

    def centre(self, features: Tensor, targets: Tensor, active: Tensor | None) -> None:
        """Hold d_h and d_y, zero where not active."""
        for values, mean, deviation in zip((features, targets), *self.halves, strict=True):
            torch.sub(values, mean, out=deviation)
        if active is not None:
            self.deviation[~active] = 0.0

    def deviation_power(self) -> float:
        """Return the sum of all squared deviations."""
        return float(self.flat @ self.flat)

    def absorb(self, active: Tensor | None, *, moving_mean: bool) -> None:
        """Apply the rank-one updates at the top of this file."""
        xp, dh, dy, f_dh = self.xp, self.dh, self.dy, self.f_dh
        self.n += 1.0 if active is None else self.native(active)
        if moving_mean:
            # A stream that has seen nothing has nothing to divide.
            counts = self.n if active is None else self.n + (self.n == 0)
            self.inverse_count[:, 0] = 1 / counts
            self.mean.addcmul_(self.deviation, self.inverse)
            xp.multiply(dh, 1 - self.inverse_count, out=f_dh)
        else:
            f_dh[:] = dh
        v = self._cross_times_target()
        power = xp.linalg.vecdot(dy, dy)[:, None]
        # Q changes by f d_h u' + u (f d_h)', with u = v + f |d_y|^2 d_h / 2.
        xp.add(v, (0.5 * power) * f_dh, out=self.u)
        self.right_dh[:] = dh
        for sums, left, right in self.steps:  # torch: one pass each, the last one large
            sums.addcmul_(left, right)

    def _cross_times_target(self) -> Any:
        """Return v = B d_y, (num_streams, feature_dim)."""
        # NumPy's product is the faster one on a single thread. With more, its threads and those
        # of torch would wait for each other.
        if self.xp is np and torch.get_num_threads() == 1:
            return np.matmul(self.b, self.dy[:, :, None])[:, :, 0]
        return self.native(torch.bmm(*self.product))[:, 0]

    def factors(self) -> Any:
        """Factor A^2 + eta Q and A."""
        try:
            return self.xp.linalg.cholesky(self.matrices)
        except (np.linalg.LinAlgError, torch.linalg.LinAlgError) as error:
            raise ValueError(
                "expected targets of moderate size: rounding in Q outgrew the squared penalty; "
                "reset the streams and raise target_unit or ridge_penalty"
            ) from error


def _diagonal(matrices: Any) -> Any:
    """View the leading diagonals of matrices (..., rows, columns), columns >= rows, to write to."""
    rows, columns = matrices.shape[-2:]
    return matrices.reshape(*matrices.shape[:-2], rows * columns)[..., :: columns + 1]

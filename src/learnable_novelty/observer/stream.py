"""The observer on streams: one pair at a time, the score after every pair.

Appendix F.2 advances an inverse Gram matrix and takes the singular values of the readout at each
step. Neither is needed: the score comes from two determinants of m x m, whose error is known
(``stream_sums``). Where it may be too large the score is computed again from singular values, and
where that is not enough either, the pair is refused and nothing has changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import check_positive, check_sizes
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.standardize import constant_ratio, feature_scale
from learnable_novelty.observer.stream_sums import (
    Floats,
    Rule,
    Sums,
    careful_scores,
    step,
)
from learnable_novelty.observer.summary import Moments

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
DTYPES = {torch.finfo(dtype).eps: dtype for dtype in FLOATS}
"""By their rounding."""
TOLERANCE = 1e-6
"""Largest error of a score: relative, or in bits where the score is below one bit."""
MAX_COUNT_PER_PENALTY = 1e8
"""Largest n/lambda accepted; the error there is measured in docs/reliability.md."""


class OnlineObserver:
    """Score many streams side by side, one pair per stream and step.

    Inputs and targets are floating tensors of any dtype, layout and device; gradients stop here.
    Features are computed in the dtype of the inputs, and all sums are float64, on the CPU. A score
    is right to six digits (in bits, where it is below one bit), or the pair is refused.

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
    ) -> None:
        check_sizes(target_dim=target_dim, num_streams=num_streams)
        check_positive(
            ridge_penalty=ridge_penalty,
            resolution=resolution,
            code_scale=code_scale,
            target_unit=target_unit,
        )
        if standardization not in ("empirical", "fixed"):
            raise UserError(f"standardization must be empirical or fixed, got {standardization!r}")
        if (standardization == "fixed") != (calibration is not None):
            raise UserError('calibration goes with standardization="fixed", and only with it')
        self.reservoir, self.target_dim, self.num_streams = reservoir, target_dim, num_streams
        self.ridge_penalty, self.resolution = ridge_penalty, resolution
        self.code_scale, self.target_unit = code_scale, target_unit
        self.standardization, self.calibration = standardization, calibration
        self._all = np.ones(num_streams, np.bool_)
        self._dtypes = torch.float64, torch.float64  # of the latest features and targets
        self._start = self._first_sums()
        self.reset()

    def _first_sums(self) -> Sums:
        """Return the sums of streams that have seen nothing."""
        m, given = self.reservoir.feature_dim, self.calibration
        sums = Sums.zeros(self.num_streams, m, self.target_dim)
        sums.unit[:, m:] = self.target_unit
        if given is None:
            return sums
        if (given.feature_dim, given.target_dim) != (m, self.target_dim):
            raise UserError(
                f"expected calibration of feature_dim={m} and target_dim={self.target_dim}, "
                f"got {given.feature_dim} and {given.target_dim}"
            )
        sums.origin[:] = torch.cat([given.feature_mean, given.target_mean]).cpu()
        variance = given.feature_power / given.count
        scale = feature_scale(variance, given.feature_mean, given.feature_eps)
        sums.unit[:, :m] = scale.reciprocal().cpu()  # infinite where the feature is constant
        return sums

    @property
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,)."""
        return torch.tensor(self.sums.num_pairs)

    @property
    def cumulative(self) -> Tensor:
        """The score of each stream in bits, (num_streams,)."""
        return torch.tensor(self._scores)

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
            ValueError: before anything changes, if shapes disagree, a value is not finite, a
                stream is too long for its penalty, or a score would not be right to six digits.
        """
        return torch.from_numpy(self.advance(inputs, targets, active))

    @torch.no_grad()
    def advance(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Floats:
        """Do what ``update`` does, and return it in NumPy."""
        self._check(inputs, targets, active)
        features = self.reservoir.forward(inputs)  # no hooks to call: a step is short
        pairs = np.concatenate([_double(features), _double(targets)], axis=1)
        on = self._all if active is None else active.cpu().numpy()
        # The features of an infinite input can be finite.
        if not (
            np.isfinite(pairs[on]).all() and bool(inputs[torch.from_numpy(on)].isfinite().all())
        ):
            raise UserError(
                "inputs, features and targets must be finite, got NaN or infinite values"
            )
        longest = float((self.sums.num_pairs * on).max()) + 1
        if longest / self.ridge_penalty > MAX_COUNT_PER_PENALTY:
            raise UserError(
                f"expected num_pairs / ridge_penalty of at most {MAX_COUNT_PER_PENALTY:g}, got "
                f"{longest:g} / {self.ridge_penalty:g}; reset the stream or raise the penalty"
            )
        dtypes = features.dtype, targets.dtype
        rule = self.rule(dtypes)
        sums, bits, errors = step(self.sums, pairs, on, rule)
        doubtful = on & ~(errors <= TOLERANCE * bits.clip(min=1))
        if doubtful.any():
            bits[doubtful] = self._careful(sums, doubtful, rule)
        scores = np.where(on, bits, self._scores)
        change = scores - self._scores
        self.sums, self._scores, self._dtypes = sums, scores, dtypes
        return change

    def _careful(self, sums: Sums, doubtful: NDArray[np.bool_], rule: Rule) -> Floats:
        """Return the scores of some streams from singular values, or raise."""
        bits, errors = careful_scores(sums.of(doubtful), rule)
        wrong = ~(errors <= TOLERANCE * bits.clip(min=1))
        if wrong.any():
            stream = int(np.flatnonzero(doubtful)[wrong][0])
            raise UserError(
                "expected a score that is right to 6 digits in float64, but the targets of stream "
                f"{stream} are too large for it after {sums.num_pairs[stream]:.0f} pairs at "
                f"ridge_penalty={self.ridge_penalty:g}; choose a larger target_unit or "
                "ridge_penalty, clip the targets, or reset the stream"
            )
        return bits

    def reset(self, streams: Tensor | Sequence[int] | slice | None = None) -> None:
        """Forget the given streams (indices or a boolean mask), or all of them."""
        if streams is None:
            self.sums, self._scores = self._start, np.zeros(self.num_streams)
            return
        chosen: Any = streams.cpu().numpy() if isinstance(streams, Tensor) else streams
        self.sums = Sums(*(value.copy() for value in self.sums))
        self._scores = self._scores.copy()
        self._scores[chosen] = 0.0
        for value, start in zip(self.sums, self._start, strict=True):
            value[chosen] = start[chosen]

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the state of all streams and of the reservoir."""
        state: dict[str, Any] = {k: torch.tensor(v) for k, v in self.sums._asdict().items()}
        feature_eps, target_eps = (torch.finfo(dtype).eps for dtype in self._dtypes)
        state |= {"cumulative": self.cumulative, "eps": feature_eps, "target_eps": target_eps}
        return {**state, "reservoir": self.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        for name, value in {**self._start._asdict(), "cumulative": self._scores}.items():
            if name not in state:
                raise UserError(
                    f"expected {name} in the state, which states of versions before 0.4 do not "
                    "have: start the streams anew"
                )
            if value.shape != state[name].shape:
                raise UserError(
                    f"expected {name} of shape {value.shape}, got {tuple(state[name].shape)}"
                )
        self.reservoir.load_state_dict(state["reservoir"])
        self._dtypes = DTYPES[state["eps"]], DTYPES[state["target_eps"]]
        self.sums = Sums(*(state[name].cpu().numpy().copy() for name in Sums._fields))
        self._scores = state["cumulative"].cpu().numpy().copy()

    def rule(self, dtypes: tuple[torch.dtype, torch.dtype] | None = None) -> Rule:
        """Return the settings for features and targets of these dtypes, or the latest."""
        tolerances = (constant_ratio(torch.finfo(t).eps) for t in dtypes or self._dtypes)
        bits, moving = self.code_scale / math.log(2), self.calibration is None
        return Rule(
            float(self.ridge_penalty), float(self.resolution), bits, *tolerances, moving=moving
        )

    def _check(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> None:
        streams, d = self.num_streams, self.target_dim
        for name, values in (("inputs", inputs), ("targets", targets)):
            if not isinstance(values, Tensor):
                raise UserTypeError(f"{name} must be a torch.Tensor, got {type(values).__name__}")
            if not values.is_floating_point():
                raise UserTypeError(f"{name} must be of a floating dtype, got {values.dtype}")
        if targets.shape != (streams, d):
            raise UserError(
                f"expected targets (num_streams={streams}, target_dim={d}), "
                f"got shape {tuple(targets.shape)}"
            )
        if inputs.ndim < 2 or len(inputs) != streams:
            raise UserError(
                f"expected inputs (num_streams={streams}, input_dim), "
                f"got shape {tuple(inputs.shape)}"
            )
        if active is None:
            return
        if not isinstance(active, Tensor) or active.dtype is not torch.bool:
            raise UserTypeError(f"active must be a tensor of booleans, got {active!r}")
        if active.shape != (streams,):
            raise UserError(f"expected active (num_streams={streams},), got {tuple(active.shape)}")


def _double(values: Tensor) -> Floats:
    return values.detach().to("cpu", torch.float64).numpy()

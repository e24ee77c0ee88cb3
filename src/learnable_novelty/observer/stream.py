"""The observer on streams: one pair at a time, the score after every pair.

Appendix F.2 advances an inverse Gram matrix and takes the singular values of the readout at each
step. Neither is needed: the score comes from two determinants of m x m. There are two backends with
the same formulas: ``plain``, in operations on all streams at once for every device, and
``compiled``, in compiled code for the CPU. Where they would lose digits ``rounding`` takes over.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError, missing_extra
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.observer.online.floor import RandomSigns
from learnable_novelty.observer.online.plain import PlainStreams
from learnable_novelty.observer.online.rounding import RoundingGuard
from learnable_novelty.observer.online.streams import Setting, Streams, StreamSums
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.reservoirs.base import check_sizes
from learnable_novelty.observer.standardize import constant_ratio, inverse_scale
from learnable_novelty.observer.summary import Moments
from learnable_novelty.seeds import Seed

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
DTYPES = {torch.finfo(dtype).eps: dtype for dtype in FLOATS}
"""By their rounding."""
DETERMINANT_ROUNDOFF = 3e-10
"""Largest eps times diagonal over pivot for which the determinants of ``plain`` are used."""
READOUT_ROUNDOFF = 1e-8
"""Largest error of the determinant that is taken from the readout, relative."""


class OnlineObserver:
    """Score many streams side by side, one pair per stream and step.

    Inputs and targets are floating tensors of any dtype, layout and device; gradients stop here.
    Features are computed in the dtype of the inputs, and all sums are float64. A score is right to
    six digits (in bits, where it is below one bit), or the pair is refused.

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
        floor: "residual" subtracts the score of the stream's own prediction errors with random
            signs (``floor.py``); None scores the pairs alone.
        seed: seed of these signs.
        device: where the sums are kept.
        backend: "numpy" is plain, and torch on other devices. "numba" takes half of the time, on
            the CPU, and comes with the extra ``rl``; its first step on a machine costs ten
            seconds of compilation, the first of a process one second. "auto" takes numba where
            it is installed.

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
        floor: Literal["residual"] | None = None,
        seed: Seed = 0,
        device: torch.device | str = "cpu",
        backend: Literal["auto", "numpy", "numba"] = "numpy",
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
        if floor not in ("residual", None):
            raise UserError(f"floor must be residual or None, got {floor!r}")
        self.reservoir, self.target_dim, self.num_streams = reservoir, target_dim, num_streams
        self.ridge_penalty, self.resolution = ridge_penalty, resolution
        self.code_scale, self.target_unit = code_scale, target_unit
        self.standardization, self.calibration = standardization, calibration
        self.floor, self.backend = floor, resolve_backend(backend, device)
        self._streams = self._make_streams(device)
        self._signs = RandomSigns(num_streams, seed, device)
        self._guard = RoundingGuard(self._streams, min(reservoir.feature_dim, target_dim))
        self._checked: Any = None  # shapes and dtypes of the latest pairs
        self._in_numpy = isinstance(self._streams.scores, np.ndarray)
        self._fixed_scale = self._fix_means()
        self._dtypes = torch.float64, torch.float64  # of the latest features and targets
        self._setting = self._make_setting(self._dtypes)

    def _make_streams(self, device: torch.device | str) -> Streams:
        num_heads = 2 if self.floor else 1
        sizes = num_heads, self.num_streams, self.target_dim, float(self.target_unit)
        if self.backend == "numpy":
            return PlainStreams(self.reservoir, *sizes, device)
        from learnable_novelty.observer.online.compiled import CompiledStreams

        return CompiledStreams(self.reservoir, *sizes)

    @property
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,)."""
        return self._streams.count.clone()

    @property
    def cumulative(self) -> Tensor:
        """The score of each stream in bits, less its floor if it has one, (num_streams,)."""
        scores = self._streams.tensor(self._streams.scores)
        return scores[0] - scores[1] if self.floor else scores[0].clone()

    @property
    def raw(self) -> Tensor:
        """The score of each stream in bits, without its floor subtracted, (num_streams,)."""
        return self._streams.tensor(self._streams.scores[0]).clone()

    @property
    def floor_bits(self) -> Tensor:
        """What is subtracted in bits, (num_streams,): zero without a floor."""
        return self.raw - self.cumulative

    def sums(self) -> StreamSums:
        """Return a copy of the sums over the pairs of each stream, and the scale of its features.

        >>> from learnable_novelty.observer.reservoirs import MLP
        >>> online = OnlineObserver(MLP(2, 8, 2), target_dim=1, ridge_penalty=0.3)
        >>> online.sums().cross.shape
        torch.Size([1, 8, 1])
        """
        return self._streams.sums(self._setting)

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
        return self._streams.tensor(self.advance(inputs, targets, active))

    def advance(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Any:
        """Do what ``update`` does, and return it as the streams hold it: on a CPU in NumPy."""
        if isinstance(inputs, Tensor) and isinstance(targets, Tensor):
            layout = inputs.shape, inputs.dtype, targets.shape, targets.dtype
        else:
            layout = None
        if active is not None or layout is None or layout != self._checked:
            self._check(inputs, targets, active)
            self._checked = layout
        streams = self._streams
        before = streams.scores.copy() if self._in_numpy else streams.scores.clone()
        dtypes = streams.read(inputs, targets), targets.dtype
        setting = self._setting
        if dtypes != self._dtypes:
            setting = self._make_setting(dtypes)
            self._guard.forget()
        self._guard.advance(self._signs.draw(), active, setting)
        self._setting, self._dtypes = setting, dtypes
        change = streams.scores - before
        if not self.floor:
            return change[0]
        self._signs.use()
        return change[0] - change[1]

    def reset(self, streams: Tensor | Sequence[int] | slice | None = None) -> None:
        """Forget the given streams (indices or a boolean mask), or all of them.

        The signs of a floor are drawn on, so that a stream does not meet the same ones again.
        """
        self._streams.clear(slice(None) if streams is None else streams)
        self._fix_means()

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the state of all streams and of the reservoir."""
        state: dict[str, Any] = self._streams.state()
        if self.floor:
            state["signs"] = self._signs.state
        feature_eps, target_eps = (torch.finfo(dtype).eps for dtype in self._dtypes)
        state |= {"eps": feature_eps, "target_eps": target_eps}
        return {**state, "reservoir": self.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        if ("signs" in state) != (self.floor is not None):
            raise UserError(f"the state is of another floor than floor={self.floor!r}")
        for name, value in self._streams.state().items():
            if name not in state:
                raise UserError(
                    f"expected {name} in the state, which is what tells how exact its scores are; "
                    "states of versions before 0.4 do not have it: start the streams anew"
                )
            if value.shape != state[name].shape:
                raise UserError(
                    f"expected {name} of shape {tuple(value.shape)}, got {tuple(state[name].shape)}"
                )
        self.reservoir.load_state_dict(state["reservoir"])
        self._dtypes = DTYPES[state["eps"]], DTYPES[state["target_eps"]]
        self._setting = self._make_setting(self._dtypes)
        if self.floor:
            self._signs.state = state["signs"]
        self._streams.load_state(state)
        self._guard.forget()

    def _make_setting(self, dtypes: tuple[torch.dtype, torch.dtype]) -> Setting:
        """Return the settings for features and targets of these dtypes."""
        eps = torch.finfo(torch.float64).eps
        feature_ratio, target_ratio = (constant_ratio(torch.finfo(dtype).eps) for dtype in dtypes)
        return Setting(
            penalty=float(self.ridge_penalty),
            resolution=float(self.resolution),
            bits=self.code_scale / math.log(2),
            feature_ratio=feature_ratio,
            target_ratio=0.0 if len(self._fixed_scale) else target_ratio,
            determinant_share=eps / DETERMINANT_ROUNDOFF,
            readout_share=self.reservoir.feature_dim * eps / READOUT_ROUNDOFF,
            fixed_scale=self._fixed_scale,
        )

    def _fix_means(self) -> Any:
        """Give all streams the means of the calibration; return the scale that it fixes."""
        if self.calibration is None:
            return np.zeros(0)
        given, m = self.calibration, self.reservoir.feature_dim
        if (given.feature_dim, given.target_dim) != (m, self.target_dim):
            raise UserError(
                f"expected calibration of feature_dim={m} and target_dim={self.target_dim}, "
                f"got {given.feature_dim} and {given.target_dim}"
            )
        for head in range(self._streams.num_heads):  # errors have no mean to take off
            targets = given.target_mean * (0.0 if head else 1 / self.target_unit)
            self._streams.set_origin(head, torch.cat([given.feature_mean, targets]))
        variance = given.gram.diagonal() / given.count
        scale = inverse_scale(variance, given.feature_mean, given.feature_eps) * m**-0.5
        scale = scale.to(self._streams.count.device)
        return scale.numpy() if scale.device.type == "cpu" else scale

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


def resolve_backend(
    backend: Literal["auto", "numpy", "numba"], device: torch.device | str
) -> Literal["numpy", "numba"]:
    """Return what the name stands for on this machine, or say what is missing."""
    if backend not in ("auto", "numpy", "numba"):
        raise UserError(f"backend must be auto, numpy or numba, got {backend!r}")
    on_cpu = torch.device(device).type == "cpu"
    installed = importlib.util.find_spec("numba") is not None
    if backend == "auto":
        return "numba" if on_cpu and installed else "numpy"
    if backend == "numba" and not on_cpu:
        raise UserError(f'backend="numba" runs on the CPU, not on {device}')
    if backend == "numba" and not installed:
        raise missing_extra('backend="numba"', "numba", "rl")
    return backend

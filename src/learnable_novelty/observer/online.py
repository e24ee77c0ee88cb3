"""The observer on streams: one pair at a time, the score after every pair.

Appendix F.2 advances an inverse Gram matrix and takes the singular values of the readout at each
step. Neither is needed: the score comes from two determinants of m x m (``stream_step``). The step
is there twice, in operations on all streams at once for every device, and compiled, four streams in
lockstep, for the CPU (``stream_kernel``). Both refuse n/lambda beyond the measured range
(docs/solvers.md).
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.observer.moments import Moments
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.standardize import constant_ratio, inverse_scale
from learnable_novelty.observer.stream_floor import RandomSigns
from learnable_novelty.observer.stream_step import DETERMINANT_ROUNDOFF, PlainStreams, Setting
from learnable_novelty.observer.stream_sums import StreamSums
from learnable_novelty.seeds import Seed

if TYPE_CHECKING:
    from learnable_novelty.observer.stream_kernel import CompiledStreams

Backend = Literal["auto", "numpy", "numba"]

MAX_COUNT_PER_PENALTY = 1e8
"""Largest n/lambda accepted; the error there is measured in docs/solvers.md."""

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
DTYPES = {torch.finfo(dtype).eps: dtype for dtype in FLOATS}
"""By their rounding."""


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
        floor: "residual" takes off what the stream's own prediction errors with random signs
            score (``stream_floor``); None scores the pairs alone.
        seed: seed of these signs.
        device: where the streams live.
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
        backend: Backend = "numpy",
    ) -> None:
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
        names = ("", "floor_") if floor else ("",)
        self._step = make_streams(
            self.backend, reservoir, len(names), num_streams, target_dim, device
        )
        self._heads = dict(zip(names, self._step.heads, strict=True))
        self._sums = self._heads[""]
        self._scores: Any = self._sums.native(self._sums.count.new_zeros(len(names), num_streams))
        self._signs = RandomSigns(num_streams, seed)
        self._longest = 0.0  # no stream has seen more pairs than this
        self._dtype = torch.float64
        eps = torch.finfo(torch.float64).eps
        self._setting = Setting(
            penalty=float(ridge_penalty),
            weight=resolution / target_unit**2,
            bits=code_scale / math.log(2),
            constant_ratio=constant_ratio(eps),
            roundoff=eps / DETERMINANT_ROUNDOFF,
            fixed_scale=self._sums.native(self._sums.count.new_zeros(0)),
        )
        if calibration is not None:
            self._fix(calibration)

    @property
    def count(self) -> Tensor:
        """How many pairs each stream has seen, (num_streams,)."""
        return self._sums.count.clone()

    @property
    def cumulative(self) -> Tensor:
        """The score of each stream in bits, less its floor if it has one, (num_streams,)."""
        return self._sums.tensor(self._difference()).clone()

    @property
    def raw(self) -> Tensor:
        """The score of each stream in bits, with no floor taken off, (num_streams,)."""
        return self._sums.tensor(self._scores[0]).clone()

    @property
    def floor_bits(self) -> Tensor:
        """What is taken off in bits, (num_streams,): zero without a floor."""
        return self.raw - self.cumulative

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
        return self._sums.tensor(self.advance(inputs, targets, active))

    def advance(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Any:
        """Do what ``update`` does, and return what the streams hold: on a CPU a NumPy array."""
        self._check(inputs, targets, active)
        self._refuse_ill_conditioned(active)
        dtype, before = self._step.take(inputs, targets, active), self._difference()
        setting = self._setting if dtype is self._dtype else self._setting_of(dtype)
        scores = self._step.advance(self._draw, active, setting, self._scores)
        if scores is None:
            raise UserError("inputs and targets must be finite, got NaN or infinite values")
        self._scores, self._setting, self._dtype = scores, setting, dtype
        self._longest += 1.0
        return self._difference() - before

    def reset(self, streams: Tensor | Sequence[int] | slice | None = None) -> None:
        """Forget the given streams (indices or a boolean mask), or all of them.

        The signs of a floor are drawn on, so that a stream does not meet the same ones again.
        """
        self._step.clear(slice(None) if streams is None else streams, self._scores)
        if self.standardization == "fixed" and self.calibration is not None:
            self._fix(self.calibration)

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the state of all streams and of the reservoir."""
        state: dict[str, Any] = {name: held.clone() for name, held in self._state().items()}
        if self.floor:
            state["signs"] = self._signs.state
        eps = torch.finfo(self._dtype).eps
        return {**state, "eps": eps, "reservoir": self.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        if ("signs" in state) != (self.floor is not None):
            raise UserError(f"the state is of another floor than floor={self.floor!r}")
        for name, held in self._state().items():
            if held.shape != state[name].shape:
                raise UserError(
                    f"expected {name} of shape {tuple(held.shape)}, got {tuple(state[name].shape)}"
                )
        self.reservoir.load_state_dict(state["reservoir"])
        self._dtype = DTYPES[state["eps"]]
        self._setting = self._setting_of(self._dtype)
        if self.floor:
            self._signs.state = state["signs"]
        scores = self._sums.tensor(self._scores)
        for (name, head), score in zip(self._heads.items(), scores, strict=True):
            head.load({key: state[f"{name}{key}"] for key in head.tensors()})
            score.copy_(state[f"{name}cumulative"])
        self._longest = float(self._sums.n.max())
        self._step.forget()

    def _state(self) -> dict[str, Tensor]:
        """Return all that the streams remember, by name."""
        state: dict[str, Tensor] = {}
        scores = self._sums.tensor(self._scores)
        for (name, head), score in zip(self._heads.items(), scores, strict=True):
            held = {**head.tensors(), "cumulative": score}
            state |= {f"{name}{key}": value for key, value in held.items()}
        return state

    def _difference(self) -> Any:
        """Return the score less its floor, (num_streams,)."""
        return self._scores[0] - self._scores[1] if self.floor else self._scores[0]

    def _draw(self) -> Any:
        """Draw the signs of a step."""
        return self._signs.draw(self._sums)

    def _setting_of(self, dtype: torch.dtype) -> Setting:
        """Return the setting for features of this dtype, whose rounding says what is constant."""
        return self._setting._replace(constant_ratio=constant_ratio(torch.finfo(dtype).eps))

    def _fix(self, calibration: Moments) -> None:
        m, n = self.reservoir.feature_dim, calibration.count
        if (calibration.feature_dim, calibration.target_dim) != (m, self.target_dim):
            raise UserError(
                f"expected calibration of feature_dim={m} and target_dim={self.target_dim}, "
                f"got {calibration.feature_dim} and {calibration.target_dim}"
            )
        variance = calibration.gram.diagonal() / n
        scale = inverse_scale(variance, calibration.feature_mean, calibration.feature_eps)
        fixed_scale = self._sums.native((scale * m**-0.5).to(self._sums.count.device))
        self._setting = self._setting._replace(fixed_scale=fixed_scale)
        for head in self._heads.values():  # errors have no mean to take off
            head.fix_mean(0, calibration.feature_mean)
        self._sums.fix_mean(m, calibration.target_mean)

    def _refuse_ill_conditioned(self, active: Tensor | None) -> None:
        if (self._longest + 1) / self.ridge_penalty <= MAX_COUNT_PER_PENALTY:
            return
        sums = self._sums
        self._longest = float(sums.n.max())  # less than what was held, if streams were reset
        counts = sums.n if active is None else sums.n * sums.native(active)
        longest = float(counts.max()) + 1
        if longest / self.ridge_penalty > MAX_COUNT_PER_PENALTY:
            raise UserError(
                f"expected num_pairs / ridge_penalty of at most {MAX_COUNT_PER_PENALTY:g}, got "
                f"{longest:g} / {self.ridge_penalty:g}; reset the stream or raise the penalty"
            )

    def _check(self, inputs: Tensor, targets: Tensor, active: Tensor | None) -> None:
        expected = (self.num_streams, self.target_dim)
        if targets.shape != expected:
            raise UserError(
                f"expected targets (num_streams={expected[0]}, target_dim={expected[1]}), "
                f"got shape {tuple(targets.shape)}"
            )
        if inputs.shape[0] != self.num_streams:
            raise UserError(
                f"expected inputs for num_streams={self.num_streams}, got {inputs.shape[0]}"
            )
        if active is not None and active.shape != (self.num_streams,):
            raise UserError(
                f"expected active (num_streams={self.num_streams},), got {tuple(active.shape)}"
            )


def resolve_backend(backend: Backend, device: torch.device | str) -> Literal["numpy", "numba"]:
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
        raise ImportError('backend="numba" needs numba: pip install "learnable-novelty[rl]"')
    return backend


def make_streams(
    backend: Literal["numpy", "numba"],
    reservoir: Reservoir,
    num_heads: int,
    num_streams: int,
    target_dim: int,
    device: torch.device | str,
) -> PlainStreams | CompiledStreams:
    """Make what holds the sums of streams, and of their floors with two heads, and takes steps."""
    if backend == "numpy":
        sizes = num_streams, reservoir.feature_dim, target_dim
        heads = [StreamSums.zeros(*sizes, device) for _ in range(num_heads)]
        return PlainStreams(reservoir, heads)
    from learnable_novelty.observer.stream_kernel import CompiledStreams

    return CompiledStreams(reservoir, num_heads, num_streams, target_dim)

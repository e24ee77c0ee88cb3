"""Growth in closed form, and when to stop: two-part description length.

A step changes the reservoir and solves the readout again. It is described by its model and by the
errors of that model on rows that neither the readout nor the focus has seen,

    L = S(W) + S(A - I) + log2(steps) + sum_j rows / 2 log2(1 + v_j / precision^2)

S is the code length of the paper (``code_length``), of the readout and of the focus A; the third
term names one of the steps, and the frozen observer needs none; v_j is the mean squared error of
target j in units of its deviation. The step of least L is kept: growth that does not shorten the
description is dropped.

Steps are: the frozen reservoir; wider ones; deeper ones; and, from the best of these shapes at the
largest width, rounds of focus (the recursive feature machine of Radhakrishnan et al.,
arXiv 2212.13881, on a reservoir): A becomes the root of

    (1 - r) M / mean(diag M) + r I

with M the average outer product of the readout's gradient (``gradients``), and the reservoir is
drawn again.
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.bits import RoundingError, code_length
from learnable_novelty.observer.checks import check_pair, check_sizes
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.growing.focused import Focused
from learnable_novelty.observer.growing.gradients import gradient_product, noise_product
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.summary import Roots, merge
from learnable_novelty.seeds import Seed, check_seed, split, torch_generator

FEWEST = 40
"""Samples to grow on, of which a quarter decides."""
SAMPLES_PER_FEATURE = 2
UNFOCUSED = 0.03
"""r, the share of M that looks everywhere: what is dropped once can come back."""
PRECISION = 0.01
"""To which errors are described, in deviations of a target."""
BLIND_PENALTY = 1e-3
"""The largest penalty that a gradient is taken with, in units of the largest eigenvalue."""
FOCUS_SAMPLES, SAMPLES_PER_VALUE = 3072, 10
"""Samples in a part that a focus is computed from; more where many values are read."""
PATIENCE = 2
"""Rounds of focus after the best one until it stops."""
BATCH = 4096

Kind = Literal["frozen", "width", "depth", "focus"]


@dataclass(frozen=True)
class Step:
    """A reservoir that was tried, and the length of the data's description with it."""

    kind: Kind
    width: int
    """Features."""
    depth: int | None
    """Layers, where the reservoir has them."""
    rounds: int
    """Rounds of focus."""
    model_bits: float
    """S(W) + S(A - I) + log2(steps)."""
    residual_bits: float
    """Of the errors on the rows that decide."""
    held_out_variance: float
    """Share of target variance explained on these rows; it can be negative."""
    kept: bool = False
    """Whether this is the step of the shortest description."""

    @property
    def total_bits(self) -> float:
        """L."""
        return self.model_bits + self.residual_bits


@dataclass(frozen=True)
class Growth:
    """What grew: an observer that is fixed from here on, and all the steps that were tried."""

    observer: Observer
    """Of the step that is kept; differentiable like every observer."""
    steps: tuple[Step, ...]
    """In the order in which they were tried; the first is the frozen observer."""
    product: Tensor | None
    """M, (values read, values read), that the kept reservoir looks through; None if it does not."""

    @property
    def kept(self) -> Step:
        """The step of the shortest description."""
        return next(step for step in self.steps if step.kept)

    @property
    def has_grown(self) -> bool:
        """Whether it is not the frozen observer."""
        return self.kept.kind != "frozen"

    @property
    def importance(self) -> Tensor | None:
        """The diagonal of M as shares, (values read,); None where nothing was focused."""
        return None if self.product is None else self.product.diagonal() / self.product.trace()


@dataclass(frozen=True)
class _Trial:
    """A step, and what the next focus is computed from."""

    step: Step
    reservoir: Reservoir
    fit: Fit
    product: Tensor | None


class Growing:
    """An observer that becomes wider, deeper or focused while that shortens the description.

    Args:
        reservoir: where growth starts: the frozen observer.
        ridge_penalty: lambda, as of ``Observer``.
        resolution: eta.
        code_scale: alpha.
        most_features: the width that is tried at most; and at most a feature for two rows.
        rounds: how often the reservoir is focused at most.

    >>> from learnable_novelty.observer.reservoirs import MLP
    >>> x = torch.randn(400, 5, generator=torch.Generator().manual_seed(0))
    >>> growth = Growing(MLP(5, 16, 2)).grow(x, x[:, :1] * x[:, 1:2])
    >>> growth.has_grown, growth.observer(x, x[:, :1] * x[:, 1:2]) > 0
    (True, tensor(True))
    """

    def __init__(
        self,
        reservoir: Reservoir,
        *,
        ridge_penalty: RidgePenalty = "evidence",
        resolution: float = 1.0,
        code_scale: float = 0.5,
        most_features: int = 512,
        rounds: int = 8,
    ) -> None:
        self.frozen = Observer(
            reservoir, ridge_penalty=ridge_penalty, resolution=resolution, code_scale=code_scale
        )
        check_sizes(most_features=most_features, rounds=rounds)
        if most_features < reservoir.feature_dim:
            raise UserError(
                f"expected most_features of at least {reservoir.feature_dim}, the features of the "
                f"reservoir that grows, got {most_features}"
            )
        reservoir.resized(reservoir.feature_dim)  # refuses what cannot grow, before any work
        self.most_features, self.rounds = most_features, rounds

    def grow(
        self, inputs: Tensor, targets: Tensor, *, ordered: bool = False, seed: Seed = 0
    ) -> Growth:
        """Try steps on three quarters of the samples, and keep the one that the others prefer.

        Judge it on data that were not given here: on these it is too good.

        Args:
            inputs: as the reservoir takes them.
            targets: of as many samples; all columns share the focus.
            ordered: the last quarter decides, for a series; a random one by default.
            seed: of reservoirs and of the samples that decide.
        """
        check_pair(inputs, targets)
        count, number = len(inputs), split(seed, "grow") if not isinstance(seed, int) else seed
        check_seed(number)
        if count < FEWEST:
            raise UserError(
                f"expected at least {FEWEST} samples to grow on three quarters of them and decide "
                f"on the others, got {count}"
            )
        order = torch.arange(count)
        if not ordered:
            order = torch.randperm(count, generator=torch_generator(number, "decide"))
        fitted, deciding = order.to(inputs.device).split([count - count // 4, count // 4])
        path = _Path(
            self,
            (inputs[fitted], targets[fitted]),
            (inputs[deciding], targets[deciding]),
            number,
        )
        return path.run()

    def __repr__(self) -> str:
        return f"Growing({self.frozen}, most_features={self.most_features}, rounds={self.rounds})"


Samples = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class _Path:
    """The steps of one growth."""

    growing: Growing
    fitted: Samples
    deciding: Samples
    seed: int

    @torch.no_grad()
    def run(self) -> Growth:
        """Try all steps and keep the best."""
        frozen = self.growing.frozen.reservoir
        trials = [self.trial("frozen", frozen)]
        trials += self._tried("width", self._wider(frozen))
        trials += self._tried("depth", self._deeper(trials[-1].reservoir))
        shapes = [one for one in trials if one.step.width == trials[-1].step.width]
        trials += self._focused(_best(shapes), trials)
        kept = _best(trials)
        observer = self._observer(kept.reservoir)
        steps = tuple(replace(one.step, kept=one is kept) for one in trials)
        return Growth(observer, steps, kept.product)

    def _tried(self, kind: Kind, many: Iterator[Reservoir]) -> Iterator[_Trial]:
        """Try reservoirs; one whose bits would be rounding is no step."""
        for reservoir in many:
            with contextlib.suppress(RoundingError):
                yield self.trial(kind, reservoir)

    def _wider(self, frozen: Reservoir) -> Iterator[Reservoir]:
        rows = frozen.rows(self.fitted[1]).shape[0]
        most = min(self.growing.most_features, rows // SAMPLES_PER_FEATURE)
        width = frozen.feature_dim
        while width < most:
            width = min(2 * width, most)
            yield self._drawn(frozen.resized(width), "width", width)

    def _deeper(self, widest: Reservoir) -> Iterator[Reservoir]:
        if widest.layers is not None:
            depth = widest.layers + 2
            yield self._drawn(widest.resized(widest.feature_dim, depth), "depth", depth)

    def _drawn(self, reservoir: Reservoir, *label: str | int) -> Reservoir:
        return reservoir.redraw(split(self.seed, "grow", *label))

    def _focused(self, start: _Trial, before: list[_Trial]) -> Iterator[_Trial]:
        """Focus round by round, until that has shortened the description and does so no more."""
        last, shortest, waited = start, _best(before).step.total_bits, 0
        improved, base = False, start.reservoir
        if isinstance(base, Focused):  # its own focus is replaced: M is of what both of them read
            base = base.base
        for number in range(1, self.growing.rounds + 1):
            drawn = self._drawn(copy.deepcopy(base), "focus", number)
            try:
                product = self._product(last, number)
                if product is None:
                    return
                last = self.trial("focus", Focused(drawn, _focus(product)), number, product)
            except RoundingError:
                return
            yield last
            shorter = last.step.total_bits < shortest
            shortest = min(shortest, last.step.total_bits)
            improved, waited = improved or shorter, 0 if shorter else waited + 1
            if improved and waited >= PATIENCE:
                return

    def _product(self, trial: _Trial, number: int) -> Tensor | None:
        """Return M without noise; None where the features are constant or nothing is left."""
        generator = torch_generator(self.seed, "gradient", number)
        x, fit = self._looked_at(trial, generator)
        axes = fit.axes
        largest = float(axes.eigenvalues.max()) if axes.eigenvalues.numel() else 0.0
        if not largest > 0:
            return None
        # Where evidence finds nothing the ridge is infinite. A small one still has a direction, and
        # lets faint features, such as products of several inputs, speak as loudly as strong ones.
        penalty = min(fit.penalty, BLIND_PENALTY * largest)
        weights = fit.scale[0][:, None] * (axes.basis @ axes.ridge(penalty))
        product = gradient_product(trial.reservoir, x, weights, generator)
        noise = noise_product(trial.reservoir, x, fit, penalty, generator)
        values, vectors = torch.linalg.eigh(product - noise)
        left = (vectors * values.clamp(min=0)) @ vectors.T
        return left if float(left.trace()) > 0 else None

    def _looked_at(self, trial: _Trial, generator: torch.Generator) -> tuple[Tensor, Fit]:
        """Return the samples that the next focus is computed from, and the fit to them.

        All samples, or where there are more than two parts of them a part, a new one every round.
        A readout with too few features for a function fits many samples by a single direction,
        which then takes all of the focus; a fit to few samples shows more directions.
        """
        x, y = self.fitted
        part = max(FOCUS_SAMPLES, SAMPLES_PER_VALUE * trial.reservoir.reads(x[:1]).shape[-1])
        if len(x) <= 2 * part:
            return x, trial.fit
        some = torch.randperm(len(x), generator=generator)[:part].to(x.device)
        return x[some], trial.fit.observer.fit(_roots(trial.fit.observer, (x[some], y[some])))

    def trial(
        self, kind: Kind, reservoir: Reservoir, rounds: int = 0, product: Tensor | None = None
    ) -> _Trial:
        """Fit a reservoir and describe the samples that decide."""
        observer = self._observer(reservoir)
        whole = _roots(observer, self.fitted)
        fit = observer.fit(whole)
        errors, spread, count = self._errors(whole, fit)
        unit, varies = whole.target_power / whole.count, fit.scale[1] > 0
        shares = torch.where(varies, errors / torch.where(varies, unit, 1.0), 0.0)
        bits = fit.bits()
        if isinstance(reservoir, Focused):
            focus = reservoir.get_buffer("focus")
            turned = focus - torch.eye(len(focus)).to(focus)
            bits += float(code_length(turned, observer.resolution, observer.code_scale))
        if kind != "frozen":
            bits += math.log2(self.growing.rounds + 1)
        total = float(spread.sum())
        step = Step(
            kind=kind,
            width=reservoir.feature_dim,
            depth=reservoir.layers,
            rounds=rounds,
            model_bits=bits,
            residual_bits=float(torch.log2(1 + shares / PRECISION**2).sum()) * count / 2,
            held_out_variance=1 - float(errors.sum()) / total if total > 0 else 0.0,
        )
        return _Trial(step, reservoir, fit, product)

    def _observer(self, reservoir: Reservoir) -> Observer:
        frozen = self.growing.frozen
        if reservoir is frozen.reservoir:
            return frozen
        return Observer(
            reservoir,
            ridge_penalty=frozen.ridge_penalty,
            resolution=frozen.resolution,
            code_scale=frozen.code_scale,
        )

    def _errors(self, whole: Roots, fit: Fit) -> tuple[Tensor, Tensor, int]:
        """Return mean squared errors of readout and mean on the deciding rows, and their number."""
        observer, (feature_scale, target_scale) = fit.observer, fit.scale
        errors, spread, count = torch.zeros_like(target_scale), torch.zeros_like(target_scale), 0
        for x, y in _batches(observer.reservoir, self.deciding):
            rows = observer.rows(x, y)
            left = (rows.targets.to(errors) - whole.target_mean) * target_scale
            features = (rows.features.to(errors) - whole.feature_mean) * feature_scale
            errors = errors + (left - features @ fit.weights).square().sum(0)
            spread, count = spread + left.square().sum(0), count + len(left)
        return errors / count, spread / count, count


def _best(trials: list[_Trial]) -> _Trial:
    return min(trials, key=lambda one: one.step.total_bits)


def _focus(product: Tensor) -> Tensor:
    """Return A, the symmetric root of (1 - r) M / mean(diag M) + r I."""
    everywhere = UNFOCUSED * torch.eye(len(product)).to(product)
    mixed = (1 - UNFOCUSED) * product / product.diagonal().mean() + everywhere
    values, vectors = torch.linalg.eigh(mixed)
    return (vectors * values.clamp(min=0).sqrt()) @ vectors.T


def _batches(reservoir: Reservoir, samples: Samples) -> Iterator[Samples]:
    x, y = samples
    size = max(1, BATCH * len(y) // max(1, len(reservoir.rows(y))))
    return zip(x.split(size), y.split(size), strict=True)


def _roots(observer: Observer, samples: Samples) -> Roots:
    batches = _batches(observer.reservoir, samples)
    return merge(observer.rows(x, y).roots(observer.accumulate_dtype) for x, y in batches)

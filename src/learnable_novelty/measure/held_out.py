"""The share of variance explained in rows that the readout has not seen, with an interval.

Samples are divided into folds. The readout, its penalty included, is fitted without one fold, and
predicts that fold; the mean of the other folds predicts it too. With e_i and t_i the squared errors
of both on sample i,

    held-out variance = 1 - sum_i e_i / sum_i t_i,

averaged over reservoirs before the division. Its population value is what the same fitted readouts
explain, on average over the folds, of new samples. That they were fitted to nine tenths of the data
is part of the definition, and so is n. Cross-validation is asymptotically normal about this value
(Bayle, Bayle, Janson and Mackey 2020), with the variance of single samples,

    z_i = (e_i - r t_i) / mean t,   r = sum e / sum t,   se(log r) = sd(z) / (r sqrt(n)),

so no fold is fitted again for the interval. Two things that this leaves out are added. Readouts of
equal quality on the folds differ on new samples: with d effective weights, r varies by 2 d / n^2,
relative and squared, in the population and as much in its estimate. And squared errors have heavy
tails, so that log r / se(log r) is not normal: its quantiles are those of resamples of n^0.65
samples, which are right even where squared errors have no variance (Romano and Wolf 1999), and at
least those of Student's distribution. Coverage is measured in the artefact ``nulls``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit
from torch import Tensor

from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs.identity import Identity
from learnable_novelty.observer.summary import Roots, Rows, Scale, merge, squares_of

FOLDS = 10
FEWEST_FITTED = 2
"""Samples beside a fold."""
RESAMPLES, RESAMPLE_POWER, RESAMPLE_SIZES = 999, 0.65, (12, 2000)
"""How many resamples, how large they are as a power of n, and their least and largest size."""
DECISIVE = 10.0
"""Twice the logarithm of a ratio of evidences that is very strong (Kass and Raftery 1995)."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeldOut:
    """Squared errors of samples that a readout has not seen."""

    errors: Array
    """e, (num_samples,): of the readout."""
    spread: Array
    """t, (num_samples,): of the mean."""
    freedom: float
    """d, the effective number of weights of a readout, per target."""
    predicted: Array | None = None
    """(num_samples, target_dim), in the units of the targets; None for lattices and blocks."""
    told: Array | None = None
    """What was asked of the readout without each fold."""

    @staticmethod
    def mean(many: Sequence[HeldOut]) -> HeldOut:
        """Average over reservoirs."""
        guesses = [one.predicted for one in many if one.predicted is not None]
        told = [one.told for one in many if one.told is not None]
        return HeldOut(
            np.mean([one.errors for one in many], axis=0),
            np.mean([one.spread for one in many], axis=0),
            float(np.mean([one.freedom for one in many])),
            np.mean(guesses, axis=0) if guesses else None,
            np.mean(told, axis=0) if told else None,
        )

    @staticmethod
    def of_blocks(observer: Observer, blocks: list[Roots]) -> HeldOut:
        """Predict whole blocks, by readouts that are fitted to the others."""
        others, readout, mean = list(all_but_one(blocks)), [], []
        trained = observer.fits(others)
        for fit, block, whole in zip(trained, blocks, others, strict=True):
            feature_scale, target_scale = fit.scale
            features, targets = block.about(whole)
            left = targets * target_scale
            outside = (squares_of(block.outside) * target_scale.square()).sum()
            error = (left - (features * feature_scale) @ fit.weights).square().sum()
            readout.append(float(error + outside))
            mean.append(float(left.square().sum() + outside))
        freedom = float(np.mean([effective_weights(fit) for fit in trained]))
        return HeldOut(np.array(readout), np.array(mean), freedom)


def effective_weights(fit: Fit) -> float:
    """Return sum k / (k + lambda)."""
    ratio = fit.axes.eigenvalues / fit.penalty
    return float((ratio / (1 + ratio)).sum())


class Trained(NamedTuple):
    """A readout, and the samples that it was fitted to."""

    whole: Roots
    scale: Scale
    weights: Tensor

    def left(self, features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the readout leaves of targets, and what the mean leaves, in its units."""
        left = (targets.to(self.whole.target_mean) - self.whole.target_mean) * self.scale[1]
        inputs = (features.to(left) - self.whole.feature_mean) * self.scale[0]
        return left - inputs @ self.weights, left


def trained_on(wholes: Iterable[Roots], fits: Iterable[Fit]) -> Iterator[Trained]:
    """Yield the readouts of fits."""
    return (Trained(a, fit.scale, fit.weights) for a, fit in zip(wholes, fits, strict=True))


@dataclass(frozen=True)
class Folds:
    """Which samples are predicted together, and which are left out around them."""

    order: Tensor
    """Samples in the order in which they are cut into folds, (num_samples,)."""
    bounds: list[int]
    """Where folds begin and end in that order."""
    gap: int
    """Samples on both sides of a fold that are not fitted to: neighbours in time."""

    @staticmethod
    def of(
        samples: int,
        gap: int | None,
        generator: np.random.Generator,
        groups: NDArray[np.int64] | None = None,
    ) -> Folds | None:
        """Cut samples into folds: at random, or with a gap in time; None where there are too few.

        Args:
            samples: how many.
            gap: None where samples are exchangeable.
            generator: draws the folds of exchangeable samples.
            groups: numbers of the groups that are not divided.
        """
        if groups is not None:
            return _group_folds(groups, generator)
        count = min(FOLDS, samples // 2)
        if count < 2:
            return None
        bounds = [round(i * samples / count) for i in range(count + 1)]
        if gap is None:
            return Folds(torch.from_numpy(generator.permutation(samples)), bounds, 0)
        return Folds(torch.arange(samples), bounds, min(gap, samples // (4 * count)))

    def errors(
        self,
        observer: Observer,
        rows: Rows,
        inputs: Tensor | None = None,
        ask: Callable[[Fit], float] | None = None,
    ) -> HeldOut:
        """Predict all samples, each without its fold.

        Args:
            observer: makes the readouts.
            rows: features and targets.
            inputs: of a table. Where the evidence of a straight line is ``DECISIVE``, it predicts
                the fold.
            ask: for a number of each readout, which is ``told``.
        """
        h, y = self.in_order(rows)
        wholes = self.wholes(observer, h, y)
        fits = observer.fits(wholes)
        told = None if ask is None else np.array([ask(fit) for fit in fits])
        features = [h] * len(fits)
        if inputs is not None and observer.reservoir.has_own_scale:
            line = Observer(
                Identity(inputs.shape[1]),
                ridge_penalty="evidence",
                target_unit=observer.target_unit,
            )
            x, _ = self.in_order(Rows(inputs, rows.targets))
            straight = self.wholes(line, x, y)
            for k, fit in enumerate(line.fits(straight)):
                if fit.evidence() < fits[k].evidence() - DECISIVE:
                    features[k], wholes[k], fits[k] = x, straight[k], fit
        predicted, left = self.predict(features, y, trained_on(wholes, fits))
        error, spread = (left[:, 0].square().sum((1, 2)), left[:, 1].square().sum((1, 2)))
        return HeldOut(
            error.double().cpu().numpy(),
            spread.double().cpu().numpy(),
            float(np.mean([effective_weights(fit) for fit in fits])),
            predicted[:, 0].double().cpu().numpy() if predicted.shape[1] == 1 else None,
            told,
        )

    def in_order(self, rows: Rows) -> tuple[Tensor, Tensor]:
        """Return features and targets, (num_samples, sites, columns), in the order of the folds."""
        shape = (len(self.order), rows.features.shape[0] // len(self.order), -1)
        h, y = (values.reshape(shape)[self.order] for values in (rows.features, rows.targets))
        return h, y

    def predict(
        self, features: Sequence[Tensor], y: Tensor, trained: Iterable[Trained]
    ) -> tuple[Tensor, Tensor]:
        """Predict every fold by its own readout; samples come back in their own order.

        Args:
            features: of all samples, as the readout of each fold takes them.
            y: targets.
            trained: readouts.

        Returns:
            Predictions (num_samples, sites, target_dim); and the errors of the readout and of the
            mean in units of the observer, (num_samples, 2, sites, target_dim).
        """
        predicted, left = [], []
        spans = itertools.pairwise(self.bounds)
        for h, readout, (start, end) in zip(features, trained, spans, strict=True):
            both = readout.left(h[start:end], y[start:end])
            left.append(torch.stack(both, dim=1))
            scale = readout.scale[1]
            used = torch.where(scale > 0, scale, 1.0)
            predicted.append(readout.whole.target_mean + (both[1] - both[0]) / used)
        own = self.order.argsort()
        return torch.cat(predicted)[own], torch.cat(left)[own]

    def wholes(self, observer: Observer, h: Tensor, y: Tensor) -> list[Roots]:
        """Summarize all samples but one fold and its neighbours, for each fold."""
        samples, folds = len(self.order), list(itertools.pairwise(self.bounds))
        ends = {max(0, start - self.gap) for start, _ in folds}
        starts = {min(samples, end + self.gap) for _, end in folds}
        cuts = sorted({0, samples, *ends, *starts})
        spans = _roots_between(observer, h, y, cuts)
        before, after = _running(spans), _running(spans[::-1])[::-1]
        place = {cut: index for index, cut in enumerate(cuts)}
        return [
            merge(
                [
                    *before[place[max(0, start - self.gap)]],
                    *after[place[min(samples, end + self.gap)] - 1],
                ]
            )
            for start, end in folds
        ]


def _group_folds(groups: NDArray[np.int64], generator: np.random.Generator) -> Folds | None:
    """Cut groups in random order into folds of nearly as many samples."""
    sizes = np.bincount(groups)
    count = min(FOLDS, len(sizes))
    if count < 2:
        return None
    place = generator.permutation(len(sizes))
    order = np.argsort(place[groups], kind="stable")
    ends = np.cumsum(sizes[np.argsort(place)])
    wanted = np.arange(1, count) * len(groups) / count
    inner = {int(ends[np.abs(ends - one).argmin()]) for one in wanted} - {0, len(groups)}
    bounds = [0, *sorted(inner), len(groups)]
    if len(groups) - np.diff(bounds).max() < FEWEST_FITTED:
        return None
    return Folds(torch.from_numpy(order), bounds, 0)


def _roots_between(observer: Observer, h: Tensor, y: Tensor, cuts: Sequence[int]) -> list[Roots]:
    """Return the roots of the samples (num_samples, sites, columns) between cuts."""
    return [
        Rows(h[a:b].flatten(0, 1), y[a:b].flatten(0, 1)).roots(observer.accumulate_dtype)
        for a, b in itertools.pairwise(cuts)
    ]


def _running(spans: list[Roots]) -> list[list[Roots]]:
    """Merge the first k spans for k = 0 to all but one; in a list of one, or of none."""
    merged: list[list[Roots]] = [[]]
    for span in spans[:-1]:
        merged.append([merge([*merged[-1], span])])
    return merged


def held_out_share(
    many: Sequence[HeldOut], units: int | NDArray[np.int64], num_rows: int
) -> tuple[float, tuple[float, float]]:
    """Return 1 - sum e / sum t and its interval, each cut at 0.

    Args:
        many: of every reservoir.
        units: how many blocks of consecutive samples are taken as independent of each other, or
            the number of the group of each sample.
        num_rows: regression rows.
    """
    whole = HeldOut.mean(many)
    errors, spread = whole.errors, whole.spread
    # Where no feature is used, errors are those of the mean: rounding must not make them a finding.
    if not spread.sum() > 0 or np.allclose(errors, spread, rtol=1e-9, atol=0):
        return 0.0, (0.0, 0.0)
    e, t = (sums_of(values, units) for values in (errors, spread))
    ratio = e.sum() / t.sum()
    if ratio == 0:
        return 1.0, (1.0, 1.0)
    error = math.hypot(float(_log_error(e, t)), 2 * math.sqrt(whole.freedom) / num_rows)
    below, above = _quantiles(e, t)
    log = math.log(ratio)
    low, high = (1 - math.exp(min(log - q * error, 700.0)) for q in (below, above))
    share, low, high = (max(0.0, float(value)) for value in (1 - ratio, low, high))
    return share, (low, high)


def gain_p_value(many: Sequence[HeldOut], labels: NDArray[np.int64]) -> float:
    """Return p of no gain over the mean in blocks that were held out, by Student's t of the blocks.

    Neighbours that move slowly in inputs and targets look related to any permutation that breaks
    their common borders, and predict nothing in another stretch of rows.
    """
    whole = HeldOut.mean(many)
    gains = sums_of(whole.spread - whole.errors, labels)
    error = gains.std(ddof=1) / math.sqrt(len(gains))
    return float(stdtr(len(gains) - 1, -gains.mean() / error)) if error > 0 else 1.0


def jackknife(value: float, without: Array) -> tuple[float, float]:
    """Return a 95% interval of a value, cut at 0, from the same without each of g parts.

    value +- t(g - 1) sqrt((g - 1) / g sum_i (v_i - mean v)^2)
    """
    parts = len(without)
    error = math.sqrt((parts - 1) * float(without.var())) if parts > 1 else math.nan
    reach = float(stdtrit(max(1, parts - 1), 0.975)) * error
    return max(0.0, value - reach), value + reach


def sums_of(values: Array, units: int | NDArray[np.int64]) -> Array:
    """Sum over the samples of each unit: blocks of consecutive samples, or numbered groups."""
    if not isinstance(units, int):
        return np.bincount(units, weights=values).astype(np.float64)
    units = min(units, values.size)
    return np.add.reduceat(values, [round(i * values.size / units) for i in range(units)])


def _log_error(e: Array, t: Array) -> Array:
    """Return sqrt(sum (e - r t)^2) / sum e, the standard error of log r, over the last axis."""
    ratio = e.sum(-1, keepdims=True) / t.sum(-1, keepdims=True)
    return np.sqrt(np.square(e - ratio * t).sum(-1)) / e.sum(-1)


def _quantiles(e: Array, t: Array) -> tuple[float, float]:
    """Return the 2.5% and 97.5% points of log r / se(log r), from small resamples."""
    least, largest = RESAMPLE_SIZES
    size = min(max(round(e.size**RESAMPLE_POWER), least), e.size, largest)
    chosen = np.random.default_rng(0).integers(e.size, size=(RESAMPLES, size))
    some, spread = e[chosen], t[chosen]
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.log(some.sum(1) / spread.sum(1)) - math.log(e.sum() / t.sum())
        points = away / _log_error(some, spread)
    points, least_point = points[~np.isnan(points)], float(stdtrit(e.size - 1, 0.975))
    if not points.size:
        return -least_point, least_point
    below, above = np.quantile(points, [0.025, 0.975], method="inverted_cdf")
    return min(float(below), -least_point), max(float(above), least_point)


def all_but_one(blocks: list[Roots]) -> Iterator[Roots]:
    """Merge all roots but one, for each one, from running merges of both sides."""
    before, after = _running(blocks), _running(blocks[::-1])[::-1]
    for one, other in zip(before, after, strict=True):
        yield merge([*one, *other])

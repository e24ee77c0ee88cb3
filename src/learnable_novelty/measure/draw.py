"""One reservoir draw: fit, floor, null and held-out errors.

Features are computed once and factored once. Rearrangements multiply the rows by the directions of
the same fit; of data that is read by chunks, whose rows are gone, blocks of them get random signs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.engine import Parcel
from learnable_novelty.measure.held_out import HeldOut
from learnable_novelty.measure.importance import exchange_effects
from learnable_novelty.measure.prepare import SIGN_BLOCKS, PreparedRows
from learnable_novelty.measure.surrogates import shares_beyond_linear, shuffled_shares
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer.checks import check_layout
from learnable_novelty.observer.denoise import FALSE_RATE, FEWEST_ROWS, Denoised, Edge
from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.signed import SignedFit
from learnable_novelty.observer.summary import MOST_TARGETS, Roots, Rows, merge
from learnable_novelty.rearrange import BATCH_VALUES
from learnable_novelty.seeds import numpy_generator

FLOOR_REPEATS, FEWEST_SIGNS = 16, 199
"""Rearrangements of residuals, and signs that test the mean, at least."""
HELD_OUT_BLOCKS = 20
MOST_ASKED = 64
"""Targets of which denoised bits have an interval: each fold denoises its readout for it."""
PENALTY_PER_ROW = 1e-4
"""The ridge of denoised bits where the observer's is chosen by evidence; near the paper's 0.1 for
a thousand rows."""


@dataclass(frozen=True)
class Draw:
    """What one reservoir measured."""

    bits: float
    floor: np.ndarray
    explained: float
    tested: float
    """What of the targets' variance the test looks at: ``explained``, or beyond a linear fit."""
    null_explained: np.ndarray
    mean_null: np.ndarray
    """Explained variances of targets under random signs."""
    spectrum: np.ndarray
    held_out: HeldOut | None
    num_rows: int
    target_dim: int
    denoised: Denoised
    bend: float = math.nan
    """What the features explain of what a straight line leaves."""
    bend_null: np.ndarray | None = None
    """The same under random signs."""
    line_bits: float = math.nan
    """Denoised bits of a straight line as strong as the signal, in the same noise."""
    effects: np.ndarray | None = None
    """Of every input, as ``exchange_effects`` has them; None for lattices and by chunks."""


@torch.no_grad()
def draw_from_rows(observer: Observer, parcel: Parcel) -> Draw:
    """Measure rows in memory with one reservoir."""
    data: PreparedRows = parcel.content
    rows = rows_of(observer, data.inputs, data.targets)
    samples = data.num_samples
    if data.null.kind == "signs":
        bounds = block_bounds(samples, num_sign_blocks(samples))
        blocks = roots_between(observer, rows, samples, bounds)
        return draw_from_blocks(observer, blocks, samples, data.null.drawn, data.settings)
    fit = fit_rows(observer, rows)
    num_rows = rows.features.shape[0]
    moves = data.moves.orders("floor", FLOOR_REPEATS, num_rows)
    floor, _ = fit.rearranged(fit.noise(), moves, same_penalty=True)

    def noise() -> Iterator[Tensor]:
        signs = data.moves.signs("edge", FLOOR_REPEATS, stretches=True)
        return (one for one, _ in signed_products(fit, fit.unexplained(), signs, data.sign_starts))

    tested, mean_null = fit.explained_variance(), signed_shares(fit, data)
    if data.null.kind == "groups":
        null = mean_null[: len(mean_null) // 2]  # random signs
    elif data.series is None:
        null = rearranged_shares(fit, data)
    elif data.beyond_linear is None:
        null = shuffled_shares(observer, data)
    else:
        variances = shares_beyond_linear(observer, *data.beyond_linear)
        tested, null = float(variances[0]), variances[1:]
    inputs = data.inputs if data.inputs.ndim == 2 else None
    denoise, held_out = denoising(fit, noise, data.settings), None
    readout = denoise(fit)
    if data.folds is not None:
        is_asked = readout.bits > 0 and fit.targets.shape[1] <= MOST_ASKED
        ask = (lambda one: denoise(one).bits) if is_asked else None
        held_out = data.folds.errors(observer, rows, inputs, ask)
    drawn = _draw(fit, floor, null, tested, held_out, mean_null, readout)
    if data.inputs.ndim != 2:
        return drawn
    if data.line is not None:
        drawn = replace(drawn, **beside_line(observer, rows, fit, data))
    effects = exchange_effects(fit, data.inputs, data.places)
    return replace(drawn, effects=effects)


@torch.no_grad()
def draw_from_blocks(
    observer: Observer,
    blocks: list[Roots],
    samples: int,
    null_count: int,
    settings: Settings,
) -> Draw:
    """Measure the roots of blocks of samples with one reservoir; null and floor are by signs."""
    fit = SignedFit.of(observer, blocks)
    signs = _signs(settings.seed, "floor", FLOOR_REPEATS, len(blocks))
    floor = fit.floor(signs)
    null = fit.null(_signs(settings.seed, "null", null_count, len(blocks)))[1]
    bounds = block_bounds(len(blocks), min(HELD_OUT_BLOCKS, len(blocks)))
    merged = [merge(blocks[a:b]) for a, b in itertools.pairwise(bounds)]
    enough = len(merged) > 1 and samples > 2 * math.ceil(samples / len(merged))
    held_out = HeldOut.of_blocks(observer, merged) if enough else None
    readout = denoising(fit, lambda: [fit.signed_noise(signs)], settings)(fit)
    tested = fit.explained_variance()
    return _draw(fit, floor, null, tested, held_out, null[:0], readout)


def _draw(
    fit: Fit,
    floor: Tensor,
    null: Tensor,
    tested: float,
    held_out: HeldOut | None,
    mean_null: Tensor,
    readout: Denoised,
) -> Draw:
    num_rows = int(fit.axes.count)
    return Draw(
        bits=fit.bits(),
        floor=floor.cpu().numpy(),
        explained=fit.explained_variance(),
        tested=tested,
        null_explained=null.cpu().numpy(),
        mean_null=mean_null.cpu().numpy(),
        # Roots of few rows may have a few rows more: those are directions without weight.
        spectrum=fit.spectrum()[:num_rows].cpu().numpy(),
        held_out=held_out,
        num_rows=num_rows,
        target_dim=fit.axes.cross.shape[1],
        denoised=readout,
    )


def rows_of(observer: Observer, inputs: Tensor, targets: Tensor) -> Rows:
    """Compute features; inputs and targets were checked when they were scaled."""
    reservoir = observer.reservoir
    features = reservoir(inputs)
    check_layout(features, targets, reservoir.column_axis)
    return Rows(reservoir.rows(features), reservoir.rows(targets))


def roots_between(observer: Observer, rows: Rows, samples: int, cuts: list[int]) -> list[Roots]:
    """Return the roots of the samples between cuts."""
    sites = rows.features.shape[0] // samples
    spans = (slice(a * sites, b * sites) for a, b in itertools.pairwise(cuts))
    return [
        Rows(rows.features[span], rows.targets[span]).roots(observer.accumulate_dtype)
        for span in spans
    ]


def block_bounds(samples: int, blocks: int) -> list[int]:
    """Divide samples into blocks of nearly equal length."""
    return [round(i * samples / blocks) for i in range(blocks + 1)]


def num_sign_blocks(samples: int) -> int:
    """Return into how many blocks samples are divided to draw signs for them."""
    return SIGN_BLOCKS if samples >= SIGN_BLOCKS else min(HELD_OUT_BLOCKS, samples)


def fit_rows(observer: Observer, rows: Rows) -> Fit:
    """Fit all rows from their roots; the rows themselves are kept to be rearranged."""
    whole = rows.roots(observer.accumulate_dtype)
    fit = observer.fit(whole)
    features, targets = (values.to(whole.feature_mean) for values in (rows.features, rows.targets))
    kept = replace(
        whole,
        root=(features - whole.feature_mean) * fit.scale[0],
        along=(targets - whole.target_mean) * fit.scale[1],
        outside=torch.zeros_like(whole.outside),
        scale=fit.scale,
    )
    return replace(fit, rows=kept)


def rearranged_shares(fit: Fit, data: PreparedRows) -> Tensor:
    """Return what is explained of rearranged target rows, (num_orders,)."""
    values, count, purpose = fit.targets, data.null.drawn, "null"
    if values.shape[1] > fit.components.shape[1]:
        products = fit.moved_products(values, data.moves.orders(purpose, count, len(values)))
    else:
        products = map(fit.products_of, data.moves.moved(purpose, count, values))
    power = values.square().sum()
    return fit.shares_of_products((some, power.expand(len(some))) for some in products)


def signed_shares(fit: Fit, data: PreparedRows) -> Tensor:
    """Return what is explained of targets under random weights; none without a test."""
    if not data.null.drawn:
        return fit.targets.new_empty(0)
    count = max(FEWEST_SIGNS, data.null.drawn)
    signs = data.moves.weights("mean", count, stretches=data.null.kind == "shifts")
    return fit.shares_of_products(signed_products(fit, fit.targets, signs, data.sign_starts))


def beside_line(observer: Observer, rows: Rows, fit: Fit, data: PreparedRows) -> dict[str, Any]:
    """Compare with a straight line: what bends, and what a line would have in bits."""
    line, stretches = data.line, data.null.kind == "shifts"
    assert line is not None
    beyond = fit_rows(observer, line.bend(rows.features))
    signs = data.moves.weights("bend", FEWEST_SIGNS, stretches=stretches)
    values = beyond.targets / line.size
    null = beyond.shares_of_products(
        signed_products(beyond, values, signs, data.sign_starts, line.span)
    )
    noise, turn = fit.noise(), next(data.moves.signs("line", 1, stretches=stretches))
    turned = _signed(noise, turn[0].to(noise), data.sign_starts)
    unit = torch.where(fit.scale[1] > 0, fit.scale[1], 1.0)
    signal = line.of_strength((fit.targets.square() - noise.square()).sum(0) / unit.square())
    straight = fit_rows(observer, Rows(rows.features, signal + turned / unit))

    def edge() -> Iterator[Tensor]:
        signs, left = (
            data.moves.signs("edge", FLOOR_REPEATS, stretches=True),
            straight.unexplained(),
        )
        return (one for one, _ in signed_products(straight, left, signs, data.sign_starts))

    readout = denoising(straight, edge, data.settings)(straight)
    return {
        "bend": beyond.explained_variance(),
        "bend_null": null.cpu().numpy(),
        "line_bits": readout.bits,
    }


def _signed(values: Tensor, signs: Tensor, starts: Sequence[int]) -> Tensor:
    """Turn rows, or the steps that the columns of each part belong to, by signs."""
    samples = len(signs) - max(starts)
    parts = values.tensor_split(len(starts), dim=1)
    return torch.cat(
        [
            part * signs[a : a + samples].repeat_interleave(len(values) // samples)[:, None]
            for a, part in zip(starts, parts, strict=True)
        ],
        dim=1,
    )


def signed_products(
    fit: Fit,
    values: Tensor,
    signs: Iterable[Tensor],
    starts: Sequence[int],
    span: Tensor | None = None,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield products of signed rows with the components, and their power; some signs at a time.

    With s the signs or weights of samples, of a column j, and with an orthonormal span Q

        b_j = sum_i s_i p_i y_ij,     power = sum_j |diag(s) y_j|^2 - |Q' diag(s) y_j|^2

    Weights of mean 0 and variance 1 that have two values u and v have s^2 = 1 + (u + v) s, and
    u + v = s - 1 / s: no squares of them are taken.

    Args:
        fit: with its rows.
        values: (num_rows, target_dim), such as its targets.
        signs: of samples, or of the steps of a series, (some, steps); of two values as above.
        starts: where the signs begin for each part of the columns.
        span: Q, (num_rows, size): what is taken off signed rows; the mean by default.

    Yields:
        (some, rank, target_dim) and (some,).
    """
    rows, rank = fit.components.shape
    if span is None:
        span = values.new_full((rows, 1), rows**-0.5)
    beside = torch.cat([fit.components, span], dim=1)
    for some in signs:
        samples, one = some.shape[1] - max(starts), float(some[0, 0])
        crosses, power = [], 0.0
        for start, part in zip(starts, values.tensor_split(len(starts), dim=1), strict=True):
            own = some[:, start : start + samples].to(part)
            squares = part.square().unflatten(0, (samples, -1)).sum((1, 2))
            power = power + squares.sum() + (one - 1 / one) * (own @ squares)
            for columns in part.split(max(1, BATCH_VALUES // beside.numel()), dim=1):
                products = beside[:, None] * columns[:, :, None]
                of_samples = products.unflatten(0, (samples, -1)).sum(1)
                crosses.append((own @ of_samples.flatten(1)).unflatten(1, of_samples.shape[1:]))
        both = torch.cat(crosses, dim=1).mT
        yield both[:, :rank], power - both[:, rank:].square().sum((1, 2))


def _signs(seed: int, purpose: str, count: int, blocks: int) -> Tensor:
    """Draw signs, (count, blocks); the same for every reservoir."""
    drawn = numpy_generator(seed, "signs", purpose).integers(0, 2, size=(count, blocks))
    return torch.from_numpy(2.0 * drawn - 1.0)


def denoising(
    fit: Fit, noise: Callable[[], Iterable[Tensor]], settings: Settings
) -> Callable[[Fit], Denoised]:
    """Return what denoises the readout of a fit, and those of parts of its data.

    A ridge chosen by evidence grows with the noise, so another one is taken: in proportion to the
    number of rows, so that the bits of more rows of the same kind are the same. Of more than a
    thousand targets no covariance is kept, and all is NaN; so it is with fewer than four rows.

    Args:
        fit: of the observed targets.
        noise: yields products of rearranged residuals with the components.
        settings: its rate of false directions is divided among the draws, and targets in units of
            their deviation are then measured in units of their signal's.
    """
    by_evidence = fit.observer.ridge_penalty == "evidence"
    known = fit.axes.cross.shape[1] <= MOST_TARGETS and fit.axes.count >= FEWEST_ROWS
    roots = torch.cat([fit.noise_roots(some) for some in noise()]) if known else None

    def denoise(one: Fit) -> Denoised:
        if roots is None or one.axes.count < FEWEST_ROWS:
            return Denoised(math.nan, one.axes.eigenvalues[:0], math.nan)
        edge = Edge(one.split.noise.law, FALSE_RATE / settings.draws, roots)
        penalty = PENALTY_PER_ROW * one.axes.count if by_evidence else None
        return one.denoised(edge, penalty=penalty, in_signal=settings.target_unit == "sd")

    return denoise

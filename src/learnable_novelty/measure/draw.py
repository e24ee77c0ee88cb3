"""One reservoir draw: fit, jackknife, floor and null.

Features are computed once and factored once, into the roots of blocks of samples. The fit, the
scores that leave a block out, and the test by random signs come from these roots; rearrangements
multiply the rows by the directions of the same fit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.engine import Parcel
from learnable_novelty.measure.denoising import Denoising, denoised
from learnable_novelty.measure.prepare import PreparedRows
from learnable_novelty.observer import Fit, Observer, Roots, Rows, merge
from learnable_novelty.observer.checks import check_layout
from learnable_novelty.observer.denoise import Denoised
from learnable_novelty.observer.signed import SignedFit
from learnable_novelty.observer.standardize import StandardizedRows, scales
from learnable_novelty.seeds import numpy_generator

FLOOR_REPEATS = 16
JACKKNIFE_BLOCKS = 20
SIGN_BLOCKS = 40
"""Blocks that get a sign each; a multiple of those that the jackknife leaves out."""


@dataclass(frozen=True)
class Draw:
    """What one reservoir measured."""

    bits: float
    leave_out_bits: np.ndarray
    floor: np.ndarray
    null_bits: np.ndarray
    explained: float
    null_explained: np.ndarray
    residual_bits: float | None
    spectrum: np.ndarray
    num_rows: int
    target_dim: int
    denoised: Denoised
    effective_rows: float
    """Independent rows that would have as much noise as these."""


@torch.no_grad()
def draw_from_rows(observer: Observer, parcel: Parcel) -> Draw:
    """Measure rows in memory with one reservoir."""
    data: PreparedRows = parcel.content
    rows = rows_of(observer, data.inputs, data.targets)
    samples, signs = data.num_samples, data.null.kind == "signs"
    count = num_sign_blocks(samples) if signs else min(JACKKNIFE_BLOCKS, samples)
    blocks = roots_between(observer, rows, samples, block_bounds(samples, count))
    if signs:
        return draw_from_blocks(
            observer, blocks, samples, data.null.count, data.seed, data.denoising
        )
    fit = _fit(observer, merge(blocks), rows)
    num_rows = rows.features.shape[0]
    moves = data.orders("floor", FLOOR_REPEATS, num_rows)
    floor, _ = fit.rearranged(fit.noise(), moves, same_penalty=True)

    def noise() -> Iterator[Tensor]:
        moves = data.dependent_orders("floor", FLOOR_REPEATS, num_rows)
        return fit.products(fit.unexplained(), moves)

    if data.series is None:
        orders = data.orders("null", data.null.count, num_rows)
        null = fit.rearranged(fit.targets, orders)
    else:
        null = _surrogate_scores(observer, data)
    return _draw(fit, floor, null, blocks, samples, denoised(fit, noise, data.denoising))


@torch.no_grad()
def draw_from_blocks(
    observer: Observer,
    blocks: list[Roots],
    samples: int,
    null_count: int,
    seed: int,
    denoising: Denoising,
) -> Draw:
    """Measure the roots of blocks of samples with one reservoir; null and floor are by signs."""
    fit = SignedFit.of(observer, blocks)
    signs = _signs(seed, "floor", FLOOR_REPEATS, len(blocks))
    floor = fit.floor(signs)
    null = fit.null(_signs(seed, "null", null_count, len(blocks)))
    bounds = block_bounds(len(blocks), min(JACKKNIFE_BLOCKS, len(blocks)))
    merged = [merge(blocks[a:b]) for a, b in itertools.pairwise(bounds)]
    return _draw(
        fit,
        floor,
        null,
        merged,
        samples,
        denoised(fit, lambda: [fit.signed_noise(signs)], denoising),
    )


def _draw(
    fit: Fit,
    floor: Tensor,
    null: tuple[Tensor, Tensor],
    blocks: list[Roots],
    samples: int,
    readout: tuple[Denoised, float],
) -> Draw:
    num_rows = int(fit.axes.count)
    return Draw(
        bits=fit.bits(),
        leave_out_bits=leave_out_bits(fit, blocks, samples),
        floor=floor.cpu().numpy(),
        null_bits=null[0].cpu().numpy(),
        explained=fit.explained_variance(),
        null_explained=null[1].cpu().numpy(),
        residual_bits=fit.residual_bits(),
        # Roots of few rows may have a few rows more: those are directions without weight.
        spectrum=fit.spectrum()[:num_rows].cpu().numpy(),
        num_rows=num_rows,
        target_dim=fit.axes.cross.shape[1],
        denoised=readout[0],
        effective_rows=readout[1],
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
    return SIGN_BLOCKS if samples >= SIGN_BLOCKS else min(JACKKNIFE_BLOCKS, samples)


def _fit(observer: Observer, whole: Roots, rows: Rows) -> Fit:
    """Fit all rows from their roots; the rows themselves are kept to be rearranged."""
    feature_scale, target_scale = scales(whole, observer.target_unit)
    features, targets = (values.to(whole.feature_mean) for values in (rows.features, rows.targets))
    kept = StandardizedRows(
        count=whole.count,
        features=(features - whole.feature_mean) * feature_scale,
        targets=(targets - whole.target_mean) * target_scale,
        outside=torch.zeros_like(target_scale),
    )
    return replace(observer.fit(whole), rows=kept)


def _surrogate_scores(observer: Observer, data: PreparedRows) -> tuple[Tensor, Tensor]:
    """Score surrogates of one series: inputs and targets change together."""
    assert data.series is not None and data.task.windows is not None
    dims = data.series.shape[1] // 2
    reservoir, windows = observer.reservoir, data.task.windows
    # With a history of one, a shuffle reorders inputs that were all seen before.
    table = reservoir(data.series[:, :dims]) if windows.history == 1 else None
    scores: list[tuple[float, float]] = []
    for order, surrogate in data.surrogates():
        targets = windows.targets(surrogate[:, dims:])
        if table is not None and order is not None:
            features = table[order[: targets.shape[0]]]
        else:
            features = reservoir(windows.inputs(surrogate[:, :dims]))
        fit = observer.fit(Rows(features, targets).roots(observer.accumulate_dtype))
        scores.append((fit.bits(), fit.explained_variance()))
    bits, explained = torch.tensor(scores, dtype=torch.float64).reshape(-1, 2).T
    return bits, explained


def _signs(seed: int, purpose: str, count: int, blocks: int) -> Tensor:
    """Draw signs, (count, blocks); the same for every reservoir."""
    drawn = numpy_generator(seed, "signs", purpose).integers(0, 2, size=(count, blocks))
    return torch.from_numpy(2.0 * drawn - 1.0)


def leave_out_bits(fit: Fit, blocks: list[Roots], samples: int) -> np.ndarray:
    """Score the data less one block, for each block; NaN where less than two samples are left.

    A ridge chosen by evidence is that of all the data.
    """
    observer = fit.observer
    penalty = fit.penalty if observer.ridge_penalty == "evidence" else None
    if len(blocks) < 2 or samples - math.ceil(samples / len(blocks)) < 2:
        return np.full(len(blocks), math.nan)
    return np.array([observer.fit(rest, penalty=penalty).bits() for rest in all_but_one(blocks)])


def all_but_one(blocks: list[Roots]) -> Iterator[Roots]:
    """Merge all roots but one, for each one, from running merges of both sides."""
    after: list[Roots | None] = [None]
    for block in reversed(blocks[1:]):
        after.insert(0, block if after[0] is None else block + after[0])
    before: Roots | None = None
    for block, rest in zip(blocks, after, strict=True):
        yield merge(side for side in (before, rest) if side is not None)
        before = block if before is None else before + block

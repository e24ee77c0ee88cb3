"""From what single reservoirs saw to one ``Score``: average over draws first, then compare."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from learnable_novelty.measure.result import Score
from learnable_novelty.observer import Observer
from learnable_novelty.observer.readout import residual_bits
from learnable_novelty.observer.refit import bits_of_roots
from learnable_novelty.observer.roots import Roots, merge_roots
from learnable_novelty.observer.signed import SignedFit
from learnable_novelty.seeds import numpy_generator

FLOOR_REPEATS = 16
JACKKNIFE_BLOCKS = 20
SIGN_BLOCKS = 40
"""Blocks that get a sign each; a multiple of those that the jackknife leaves out."""


@dataclass(frozen=True)
class Draw:
    """What one reservoir saw."""

    bits: float
    leave_out_bits: np.ndarray
    floor: np.ndarray
    null_bits: np.ndarray
    explained: float
    null_explained: np.ndarray
    residual_bits: float | None
    spectrum: np.ndarray
    num_rows: int


@dataclass(frozen=True)
class About:
    """What a score says of its data and of its null."""

    num_samples: int
    target_dim: int
    rearranged: str
    hypothesis: str
    standardization: str
    seed: int


def block_bounds(samples: int, blocks: int) -> list[int]:
    """Divide samples into blocks of equal length, as far as that goes."""
    return [round(i * samples / blocks) for i in range(blocks + 1)]


def num_sign_blocks(samples: int) -> int:
    """Return into how many blocks samples are divided to draw signs for them."""
    return SIGN_BLOCKS if samples >= SIGN_BLOCKS else min(JACKKNIFE_BLOCKS, samples)


@torch.no_grad()
def measure_blocks(observer: Observer, blocks: list[Roots], count: int, seed: int) -> Draw:
    """Score one draw from the roots of blocks of samples, with null and floor by signs."""
    fit = SignedFit.of(observer, blocks)
    floor = fit.floor(_signs(seed, "floor", FLOOR_REPEATS, len(blocks)))
    null_bits, null_explained = fit.null(_signs(seed, "null", count, len(blocks)))
    grouped = min(JACKKNIFE_BLOCKS, len(blocks))
    bounds = block_bounds(len(blocks), grouped)
    parts = [merge_roots(blocks[a:b]) for a, b in itertools.pairwise(bounds)]
    return Draw(
        bits=fit.bits(),
        leave_out_bits=leave_out_bits(observer, parts),
        floor=floor.cpu().numpy(),
        null_bits=null_bits.cpu().numpy(),
        explained=fit.explained_variance(),
        null_explained=null_explained.cpu().numpy(),
        residual_bits=residual_bits(fit.residual_power(), observer.noise_variance(fit.penalty)),
        spectrum=torch.linalg.svdvals(fit.readout()).cpu().numpy(),
        num_rows=int(fit.axes.count),
    )


def _signs(seed: int, purpose: str, count: int, blocks: int) -> torch.Tensor:
    """Draw signs, (count, blocks); the same for every reservoir."""
    drawn = numpy_generator(seed, "signs", purpose).integers(0, 2, size=(count, blocks))
    return torch.from_numpy(2.0 * drawn - 1.0)


def leave_out_bits(observer: Observer, parts: list[Roots]) -> np.ndarray:
    """Score the data less one part, for each part."""
    rests = list(all_but_one(parts)) if len(parts) > 1 else []
    if not rests or min(rest.count for rest in rests) < 2:
        return np.full(len(parts), math.nan)
    return np.array([bits_of_roots(observer, rest) for rest in rests])


def all_but_one(parts: list[Roots]) -> Iterator[Roots]:
    """Merge all roots but one, for each one, from running merges of both sides."""
    after: list[Roots | None] = [None]
    for part in reversed(parts[1:]):
        held = after[0]
        after.insert(0, part if held is None else part + held)
    before: Roots | None = None
    for part, rest in zip(parts, after, strict=True):
        yield merge_roots(side for side in (before, rest) if side is not None)
        before = part if before is None else before + part


def summarize(parts: list[Draw], about: About, observer: Observer) -> Score:
    """Average over draws first, then compare."""

    def mean(name: str) -> np.ndarray:
        return np.mean([getattr(part, name) for part in parts], axis=0)

    bits = np.array([part.bits for part in parts])
    floor, left_out, null_explained = mean("floor"), mean("leave_out_bits"), mean("null_explained")
    explained, count = float(mean("explained")), null_explained.size
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null_explained >= explained - 1e-10).sum())
    bits_se, floor_sd = _jackknife_error(left_out), _deviation(floor)
    return Score(
        bits=float(bits.mean()),
        bits_sd=_deviation(bits),
        bits_se=bits_se,
        floor_bits=float(floor.mean()),
        floor_sd=floor_sd,
        excess_bits=float(bits.mean() - floor.mean()),
        excess_se=math.hypot(bits_se, floor_sd),
        null_bits=float(mean("null_bits").mean()) if count else None,
        p_value=(1 + beaten) / (1 + count) if count else None,
        explained_variance=explained,
        null_explained_variance=tuple(null_explained.tolist()),
        residual_bits=None if parts[0].residual_bits is None else float(mean("residual_bits")),
        spectrum=tuple(mean("spectrum").tolist()),
        num_samples=about.num_samples,
        num_rows=parts[0].num_rows,
        target_dim=about.target_dim,
        draws=len(parts),
        null_count=count,
        rearranged=about.rearranged,
        hypothesis=about.hypothesis,
        # The seed of the first draw would say nothing of the others.
        observer=repr(observer).replace(f", seed={observer.reservoir.seed}", ""),
        standardization=about.standardization,
        seed=about.seed,
    )


def _jackknife_error(left_out: np.ndarray) -> float:
    """Return sqrt((B - 1)/B sum (S_b - mean)^2) over B blocks left out."""
    blocks = left_out.size
    return math.sqrt((blocks - 1) / blocks * float(((left_out - left_out.mean()) ** 2).sum()))


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0

"""From what single reservoirs measured to one ``Score``."""

from __future__ import annotations

import math

import numpy as np

from learnable_novelty.measure.draw import Draw
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.task import Settings
from learnable_novelty.observer import Observer


def summarize(
    draws: list[Draw],
    observer: Observer,
    settings: Settings,
    num_samples: int,
    null: tuple[str, str],
) -> Score:
    """Average over draws first, then compare.

    Args:
        draws: one for each reservoir.
        observer: the first of them.
        settings: what was asked for.
        num_samples: how many samples there were.
        null: what it rearranges, and what it claims.
    """

    def mean(name: str) -> np.ndarray:
        return np.mean([getattr(draw, name) for draw in draws], axis=0)

    bits = np.array([draw.bits for draw in draws])
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
        residual_bits=None if draws[0].residual_bits is None else float(mean("residual_bits")),
        spectrum=tuple(mean("spectrum").tolist()),
        num_samples=num_samples,
        num_rows=draws[0].num_rows,
        target_dim=draws[0].target_dim,
        draws=len(draws),
        null_count=count,
        rearranged=null[0],
        hypothesis=null[1],
        # The seed of the first draw would say nothing of the others.
        observer=repr(observer).replace(f", seed={observer.reservoir.seed}", ""),
        standardization=settings.standardization,
        seed=settings.seed,
    )


def _jackknife_error(left_out: np.ndarray) -> float:
    """Return sqrt((B - 1)/B sum (S_b - mean)^2) over B blocks left out."""
    blocks = left_out.size
    return math.sqrt((blocks - 1) / blocks * float(((left_out - left_out.mean()) ** 2).sum()))


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0

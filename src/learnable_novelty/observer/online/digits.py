"""The rule of rounding for streams: a score is right to six digits, or it is refused.

A stream keeps A = H~'H~ + lambda I and B = H~'Y~ as sums of n rank-one terms. Each addition rounds
a sum by half a unit in its last place, so that after n pairs they are off by about

    |dA| = eps g (T + lambda),                    T = tr(H~'H~),   g = 4 + sqrt(n) / 2,
    |dB| = eps g (sum_i max_t |B_i(t)|^2)^1/2 + 4 eps sqrt(T) |mean_y - y_1|,

where the largest past size of the rows of B counts, for a sum that has become small again keeps the
rounding of when it was large. A readout W = U diag(s) V' then has singular values that are off by

    d_i = |A^-1 u_i| (|dB| + |dA| s_i) + eps g s_1,

and the score by  alpha sum_i log2 (1 + eta (s_i + d_i)^2) / (1 + eta s_i^2),  which is at most

    alpha / log(2) min(m, D) (2 b + 8 b^2 + 2 a + 2 a^2),

    a = |dA| / lambda,   b = eta^1/2 |dB| / lambda.

This bound needs no factorization. Only where it does not suffice are singular values taken.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from learnable_novelty.observer.online.streams import Setting

TOLERANCE = 1e-6
"""Largest error of a score: relative, or in bits where the score is below one bit."""
EPS = torch.finfo(torch.float64).eps


class Problem(NamedTuple):
    """The regressions of some streams: float64 tensors whose first axis is the stream."""

    num_pairs: Tensor
    """n, (streams,)."""
    gram: Tensor
    """H~'H~ of standardized features, (streams, feature_dim, feature_dim)."""
    cross: Tensor
    """B, in units of eta^-1/2, (streams, feature_dim, target_dim)."""
    largest: Tensor
    """(sum_i max_t |B_i(t)|^2)^1/2 in the same units, (streams,)."""
    offset: Tensor
    """|mean_y - y_1| in the same units, (streams,)."""
    power: Tensor
    """sum (y - mean_y)^2 of each target, (streams, target_dim)."""
    mean: Tensor
    """mean_y of each target, (streams, target_dim)."""


def rounding(problem: Problem, penalty: float) -> tuple[Tensor, Tensor]:
    """Return |dA| and |dB|, (streams,)."""
    trace = problem.gram.diagonal(dim1=-2, dim2=-1).sum(-1)
    growth = EPS * (4 + problem.num_pairs.sqrt() / 2)
    offset = 4 * EPS * trace.sqrt() * problem.offset
    return growth * (trace + penalty), growth * problem.largest + offset


def largest_error(da: Any, db: Any, rank: int, setting: Setting) -> Any:
    """Bound the error of a score from |dA| and |dB| alone, in bits: the last formula above."""
    a, b = da / setting.penalty, db / setting.penalty
    return setting.bits * rank * (2 * b + 8 * b * b + 2 * a + 2 * a * a)


def safe_power(problem: Problem, steps: int, rank: int, setting: Setting) -> float:
    """Bound sum |deviations|^2 of the next steps, so that no score can lose digits; -1: it can.

    With n' = n + steps and p the sum, B~ grows at most to (n'/n)^1/2 |B~| + (n' p)^1/2, because
    the sum of squares of a feature only grows; with given constants of scale c to |B~| + c p. A
    target that is constant but for rounding must not come to matter either.
    """
    counts = problem.num_pairs + steps
    spread = float(max(setting.fixed_scale)) if len(setting.fixed_scale) else None
    growing = 1.0 if spread is not None else (counts / problem.num_pairs.clamp(min=1)).sqrt()
    largest, offset = float((problem.largest * growing).max()), float(problem.offset.max())
    trace = float(problem.gram.diagonal(dim1=-2, dim2=-1).sum(-1).max())
    count, most = float(counts.max()), 0.0
    growth, harmless = EPS * (4 + math.sqrt(count) / 2), power_of_constants(count, setting) / 4
    for exponent in range(1000, -1000, -4):
        size = math.sqrt(2.0**exponent)
        reach = math.sqrt(count) if spread is None else spread * size
        whole = count if spread is None else trace + reach * reach
        added = size * setting.root_weight
        db = growth * (largest + reach * added) + 4 * EPS * math.sqrt(whole) * (offset + added)
        if largest_error(growth * (whole + setting.penalty), db, rank, setting) <= TOLERANCE:
            most = min(2.0**exponent, harmless)
            break
    farthest = problem.mean.abs() + math.sqrt(most)
    unclear = ~(problem.power > setting.target_ratio * counts[:, None] * farthest.square())
    matters = (problem.mean.square() * unclear).sum(-1) > harmless
    return -1.0 if most == 0.0 or bool(matters.any()) else most


def careful_scores(problem: Problem, setting: Setting) -> tuple[Tensor, Tensor]:
    """Score by the singular values of the readout, in bits, and bound the errors, (streams,).

    Where the error is not finite, no score can be computed.
    """
    da, db = rounding(problem, setting.penalty)
    a = problem.gram + setting.penalty * torch.eye(problem.gram.shape[-1]).to(problem.gram)
    factor, failed = torch.linalg.cholesky_ex(a)
    readout = torch.cholesky_solve(problem.cross, factor)
    lost = (failed > 0) | ~readout.isfinite().all(-1).all(-1)
    readout[lost] = 0.0
    left, values, _ = torch.linalg.svd(readout, full_matrices=False)
    reach = torch.linalg.vector_norm(torch.cholesky_solve(left, factor), dim=-2)
    growth = EPS * (4 + problem.num_pairs.sqrt() / 2)
    off = reach * (db[:, None] + da[:, None] * values) + growth[:, None] * values[:, :1]
    one = torch.ones_like(values)
    # log(1 + s^2) as 2 log |(1, s)|: the square itself may overflow.
    size, larger = torch.hypot(one, values), torch.hypot(one, values + off)
    bits = 2 * setting.bits * size.log().sum(-1)
    errors = 2 * setting.bits * (larger / size).log().sum(-1)
    return bits, torch.where(lost, math.inf, errors)


def constant_targets(count: Tensor, power: Tensor, mean: Tensor, setting: Setting) -> Tensor:
    """Tell which targets are constant, by the rule of ``standardize``, (streams, target_dim)."""
    return ~(power > setting.target_ratio * count[:, None] * mean.square())


def power_of_constants(count: float, setting: Setting) -> float:
    """Return up to which sum of |mean|^2 the score of targets that only rounding changes is small.

    Their deviations are at most r |mean|, so that |B| <= n r |mean| and the score is at most
    alpha / log(2) eta (n r |mean| / lambda)^2.
    """
    if setting.target_ratio == 0.0:
        return math.inf
    size = count / setting.penalty * setting.root_weight
    return TOLERANCE / setting.bits / setting.target_ratio / size / size


def refusal(stream: int, problem: Problem, wrong: Tensor, setting: Setting) -> str:
    """Say why a score is refused, and what to do."""
    largest = float(problem.cross[wrong][0].abs().max())
    count = int(problem.num_pairs[wrong][0])
    return (
        f"expected a score that is right to 6 digits in float64, but the targets of stream "
        f"{stream} are too large for it after {count} pairs: cross products reach {largest:.1e} "
        f"at ridge_penalty={setting.penalty:g}; choose a larger target_unit or ridge_penalty, "
        "clip the targets, or reset the stream"
    )

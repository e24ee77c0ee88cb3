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

This bound needs no factorization, and it says for how many pairs of what size no score can be
wrong. Within that budget a step costs one comparison. Beyond it the state is copied, the step is
taken, and the scores that may be wrong are computed again from singular values, with their error.
If that is too large, the copy is restored and the pair refused.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.online.streams import DOUBTFUL, NOT_FINITE, Setting, Streams

TOLERANCE = 1e-6
"""Largest error of a score: relative, or in bits where the score is below one bit."""
MAX_COUNT_PER_PENALTY = 1e8
"""Largest n/lambda accepted; the error there is measured in docs/solvers.md."""
EPS = torch.finfo(torch.float64).eps
UNUSABLE = (
    "inputs and targets must be finite, and targets at most about 1e150 target units, got NaN, "
    "infinite values or larger ones"
)


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
    constant: Tensor
    """Which targets are constant, by the rule of ``standardize``, (streams, target_dim)."""


class RoundingGuard:
    """Takes the steps of streams, so that each score is right to six digits or refused."""

    def __init__(self, streams: Streams, rank: int) -> None:
        self._streams, self._rank = streams, rank
        self.forget()

    def forget(self) -> None:
        """Do not rely on what is known of streams or settings that have changed since."""
        # The sum of squared deviations that is safe, and what a step costs of it beside its own.
        self._budget, self._cost = -1.0, 0.0

    def advance(self, signs: Any, active: Tensor | None, setting: Setting) -> None:
        """Add the pairs that the streams have read, or raise, and nothing has changed."""
        power = self._streams.advance(signs, active, setting, self._budget)
        if power < 0.0:
            power = self._advance_with_care(power, signs, active, setting)
        self._budget -= power + self._cost
        if self._streams.some_doubtful[0]:
            self._compute_again(self._streams.route == DOUBTFUL, setting)

    def _advance_with_care(
        self, reason: float, signs: Any, active: Tensor | None, setting: Setting
    ) -> float:
        """Add pairs after which scores may have lost digits, and return their power."""
        streams = self._streams
        if reason == NOT_FINITE:
            raise UserError(UNUSABLE)
        self._refuse_too_long(active, setting.penalty)
        self._find_budget(setting)
        power = streams.advance(signs, active, setting, self._budget)
        if power >= 0.0:
            return power
        before = streams.state()
        power = streams.advance(signs, active, setting, math.inf)
        if power < 0.0:  # errors beyond float64
            raise UserError(UNUSABLE)
        try:
            wrong = self._may_be_wrong(setting) & (True if active is None else active.cpu().numpy())
            self._compute_again(wrong | (streams.route == DOUBTFUL), setting)
        except UserError:
            streams.load_state(before)
            raise
        streams.some_doubtful[:] = False
        return power

    def _refuse_too_long(self, active: Tensor | None, penalty: float) -> None:
        counts = self._streams.count
        longest = float((counts if active is None else counts * active).max()) + 1
        if longest / penalty > MAX_COUNT_PER_PENALTY:
            raise UserError(
                f"expected num_pairs / ridge_penalty of at most {MAX_COUNT_PER_PENALTY:g}, got "
                f"{longest:g} / {penalty:g}; reset the stream or raise the penalty"
            )

    def _find_budget(self, setting: Setting) -> None:
        """Find out how many steps and how large deviations are safe from here."""
        longest = float(self._streams.count.max())
        most = MAX_COUNT_PER_PENALTY * setting.penalty - longest
        steps = int(min(longest + 16, max(most, 1)))
        heads = range(self._streams.num_heads)
        problems = (self._problem(head, setting) for head in heads)
        self._budget = min(safe_power(each, steps, self._rank, setting) for each in problems)
        self._cost = max(self._budget / steps, 0.0)

    def _may_be_wrong(self, setting: Setting) -> Any:
        """Tell where the simple bound of the error is too large, (num_heads, num_streams)."""
        streams, wrong = self._streams, list[Any]()
        for head in range(streams.num_heads):
            problem = self._problem(head, setting)
            most = largest_error(*rounding(problem, setting.penalty), self._rank, setting)
            scores = streams.tensor(streams.scores[head]).clamp(min=1)
            # A target that only rounding changes is left out, which determinants do not do.
            rounded = (problem.constant & (problem.power > 0)).any(-1)
            wrong.append((rounded | ~(most <= TOLERANCE * scores)).cpu().numpy())
        return np.stack(wrong)

    def _compute_again(self, which: Any, setting: Setting) -> None:
        """Write the given scores, (num_heads, num_streams), from singular values, or raise."""
        scores = self._streams.tensor(self._streams.scores)
        for head in range(self._streams.num_heads):
            chosen = torch.from_numpy(np.flatnonzero(which[head])).to(scores.device)
            if not len(chosen):
                continue
            problem = self._problem(head, setting, chosen)
            bits, errors = careful_scores(problem, setting)
            wrong = ~(errors <= TOLERANCE * bits.clamp(min=1))
            if bool(wrong.any()):
                largest = float(problem.cross[wrong][0].abs().max())
                raise UserError(
                    "expected a score that is right to 6 digits in float64, but the targets of "
                    f"stream {int(chosen[wrong][0])} are too large for it after "
                    f"{int(problem.num_pairs[wrong][0])} pairs: cross products reach {largest:.1e} "
                    f"at ridge_penalty={setting.penalty:g}; choose a larger target_unit or "
                    "ridge_penalty, clip the targets, or reset the stream"
                )
            scores[head, chosen] = bits

    def _problem(self, head: int, setting: Setting, chosen: Any = slice(None)) -> Problem:
        """Collect what says how exact the scores of the chosen streams are."""
        streams, m = self._streams, self._streams.feature_dim
        sums = {name: value[chosen] for name, value in streams.tensors(head).items()}
        count, power, gram = sums["count"], sums["power"], sums["products"][:, 1]
        scale, mean = streams.scale(sums, setting), (sums["origin"] + sums["mean"])[:, m:]
        constant = ~(power > setting.target_ratio * count[:, None] * mean.square())
        root_eta, rows = math.sqrt(setting.resolution), scale
        if not len(setting.fixed_scale):  # also of a feature that is constant so far
            squares = gram.diagonal(dim1=1, dim2=2)
            rows = torch.where(squares > 0, (count[:, None] / (squares * m)).sqrt(), 0.0)
        return Problem(
            num_pairs=count,
            gram=gram * scale[:, :, None] * scale[:, None, :],
            cross=sums["cross"] * scale[:, :, None] * root_eta * ~constant[:, None, :],
            largest=(sums["peak"].sqrt() * rows).norm(dim=-1) * root_eta,
            offset=sums["mean"][:, m:].norm(dim=-1) * root_eta,
            power=power,
            mean=mean,
            constant=constant,
        )


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
    counts, fixed = problem.num_pairs + steps, len(setting.fixed_scale) > 0
    growing = 1.0 if fixed else (counts / problem.num_pairs.clamp(min=1)).sqrt()
    largest, offset = float((problem.largest * growing).max()), float(problem.offset.max())
    trace = float(problem.gram.diagonal(dim1=-2, dim2=-1).sum(-1).max())
    count, most, root_eta = float(counts.max()), 0.0, math.sqrt(setting.resolution)
    growth, harmless = EPS * (4 + math.sqrt(count) / 2), power_of_constants(count, setting) / 4
    for exponent in range(1000, -1000, -4):
        size = math.sqrt(2.0**exponent)
        reach = float(max(setting.fixed_scale)) * size if fixed else math.sqrt(count)
        whole = trace + reach * reach if fixed else count
        added = size * root_eta
        db = growth * (largest + reach * added) + 4 * EPS * math.sqrt(whole) * (offset + added)
        if largest_error(growth * (whole + setting.penalty), db, rank, setting) <= TOLERANCE:
            most = min(2.0**exponent, harmless)
            break
    farthest = problem.mean.abs() + math.sqrt(most)
    unclear = ~(problem.power > setting.target_ratio * counts[:, None] * farthest.square())
    matters = (problem.mean.square() * unclear).sum(-1) > harmless
    return -1.0 if most == 0.0 or bool(matters.any()) else most


def power_of_constants(count: float, setting: Setting) -> float:
    """Return up to which sum of |mean|^2 the score of targets that only rounding changes is small.

    Their deviations are at most r |mean|, so that |B| <= n r |mean| and the score is at most
    alpha / log(2) eta (n r |mean| / lambda)^2.
    """
    if setting.target_ratio == 0.0:
        return math.inf
    size = count / setting.penalty * math.sqrt(setting.resolution)
    return TOLERANCE / setting.bits / setting.target_ratio / size / size


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

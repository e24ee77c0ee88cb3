"""Watches that no score of a stream loses its digits: what ``digits`` says, applied to steps.

While streams are short and their targets small, which two numbers tell, no score can be wrong and
nothing is looked at. Past that a step is tried: the state is kept, the error of each score is
bounded, and where the bound is too large the step is undone and refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.online import digits
from learnable_novelty.observer.online.streams import NOT_FINITE, TOO_LARGE, Setting, Streams

MAX_COUNT_PER_PENALTY = 1e8
"""Largest n/lambda accepted; the error there is measured in docs/solvers.md."""
UNUSABLE = (
    "inputs and targets must be finite, and targets at most about 1e150 target units, got NaN, "
    "infinite values or larger ones"
)


class Guard:
    """Takes the steps of streams, so that each score is right to six digits or refused."""

    def __init__(self, streams: Streams, rank: int) -> None:
        self._streams, self._rank = streams, rank
        self.forget()

    def forget(self) -> None:
        """Do not rely on what is known of streams that have changed since."""
        # With this setting, this many steps and this sum of squared deviations are safe.
        self._setting: Setting | None = None
        self._safe_steps, self._safe_power = 0, -1.0

    def advance(self, draw: Callable[[], Any], active: Tensor | None, setting: Setting) -> None:
        """Add the pairs that the streams have read, or raise, and nothing has changed."""
        streams = self._streams
        safe = setting is self._setting and self._safe_steps > 0
        power = streams.advance(draw, active, setting, self._safe_power if safe else -1.0)
        if power < 0.0:
            power = self._advance_with_care(power, draw, active, setting)
        self._safe_power -= power
        self._safe_steps -= 1
        if np.count_nonzero(streams.doubtful):
            self._settle(streams.doubtful, setting)

    def _advance_with_care(
        self, problem: float, draw: Callable[[], Any], active: Tensor | None, setting: Setting
    ) -> float:
        """Add pairs after which scores may have lost digits, and return their power."""
        if problem == NOT_FINITE:
            raise UserError(UNUSABLE)
        streams = self._streams
        self._refuse_too_long(active, setting.penalty)
        self._look(setting)
        power = streams.advance(draw, active, setting, self._safe_power)
        if power >= 0.0:
            return power
        before = streams.state()
        try:
            power = streams.advance(draw, active, setting, math.inf)
            if power == TOO_LARGE:  # NaN: errors beyond float64
                raise UserError(UNUSABLE)
            mask = np.True_ if active is None else active.cpu().numpy()
            self._settle(streams.doubtful | self._may_be_wrong(setting) & mask, setting)
        except UserError:
            streams.load_state(before)
            raise
        streams.doubtful[:] = False
        return power

    def _refuse_too_long(self, active: Tensor | None, penalty: float) -> None:
        counts = self._streams.count
        longest = float((counts if active is None else counts * active).max()) + 1
        if longest / penalty > MAX_COUNT_PER_PENALTY:
            raise UserError(
                f"expected num_pairs / ridge_penalty of at most {MAX_COUNT_PER_PENALTY:g}, got "
                f"{longest:g} / {penalty:g}; reset the stream or raise the penalty"
            )

    def _look(self, setting: Setting) -> None:
        """Find out how many steps and how large deviations are safe from here."""
        streams, self._setting = self._streams, setting
        longest = float(streams.count.max())
        most = MAX_COUNT_PER_PENALTY * setting.penalty - longest
        self._safe_steps = int(min(longest + 16, max(most, 1)))
        every, heads = range(len(streams.count)), range(streams.num_heads)
        problems = [self._problem(head, every, setting) for head in heads]
        self._safe_power = min(
            digits.safe_power(problem, self._safe_steps, self._rank, setting)
            for problem in problems
        )

    def _problem(self, head: int, chosen: Any, setting: Setting) -> digits.Problem:
        """Collect what says how exact the scores of the chosen streams are."""
        streams, m = self._streams, self._streams.feature_dim
        chosen = torch.as_tensor(chosen, device=streams.count.device)
        tensors = {name: value[chosen] for name, value in streams.tensors(head).items()}
        count, power, gram = tensors["count"], tensors["power"], tensors["products"][:, 1]
        scale = streams.scale(tensors, setting)[:, :, None]
        mean = (tensors["origin"] + tensors["mean"])[:, m:]
        varies = ~digits.constant_targets(count, power, mean, setting)
        rows = scale[:, :, 0]
        if not len(setting.fixed_scale):  # also of a feature that is constant so far
            squares = gram.diagonal(dim1=1, dim2=2)
            rows = torch.where(squares > 0, (count[:, None] / (squares * m)).sqrt(), 0.0)
        return digits.Problem(
            num_pairs=count,
            gram=gram * scale * scale.mT,
            cross=tensors["cross"] * scale * setting.root_weight * varies[:, None, :],
            largest=(tensors["peak"].sqrt() * rows).norm(dim=-1) * setting.root_weight,
            offset=tensors["mean"][:, m:].norm(dim=-1) * setting.root_weight,
            power=power,
            mean=mean,
        )

    def _may_be_wrong(self, setting: Setting) -> Any:
        """Tell where the simple bound of the error is too large, (num_heads, num_streams)."""
        streams, wrong = self._streams, list[Any]()
        for head in range(streams.num_heads):
            problem = self._problem(head, range(len(streams.count)), setting)
            errors = digits.rounding(problem, setting.penalty)
            largest = digits.largest_error(*errors, self._rank, setting)
            scores = streams.tensor(streams.scores[head]).clamp(min=1)
            # A target that only rounding changes is left out, which determinants do not do.
            constant = digits.constant_targets(*problem[:1], *problem[5:], setting)
            rounded = (constant & (problem.power > 0)).any(-1)
            wrong.append((rounded | ~(largest <= digits.TOLERANCE * scores)).cpu().numpy())
        return np.stack(wrong)

    def _settle(self, which: Any, setting: Setting) -> None:
        """Write the given scores, (num_heads, num_streams), from singular values, or raise."""
        scores = self._streams.tensor(self._streams.scores)
        for head in range(self._streams.num_heads):
            chosen = torch.from_numpy(np.flatnonzero(which[head])).to(scores.device)
            if not len(chosen):
                continue
            problem = self._problem(head, chosen, setting)
            bits, errors = digits.careful_scores(problem, setting)
            wrong = ~(errors <= digits.TOLERANCE * bits.clamp(min=1))
            if bool(wrong.any()):
                raise UserError(digits.refusal(int(chosen[wrong][0]), problem, wrong, setting))
            scores[head, chosen] = bits

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
from learnable_novelty.observer.online.setting import Setting
from learnable_novelty.observer.online.streams import NOT_FINITE, TOO_LARGE, Streams

UNUSABLE = (
    "inputs and targets must be finite, and targets at most about 1e150 target units, got NaN, "
    "infinite values or larger ones"
)


class Guard:
    """Takes the steps of streams, so that each score is right to six digits or refused."""

    def __init__(self, streams: Streams, rank: int) -> None:
        self._streams, self._rank = streams, rank
        self.longest = 0.0
        """No stream has seen more pairs than this."""
        self._power = 0.0  # no stream has a larger sum of |y - mean|^2 and |mean|^2
        # Up to this many pairs and this power no score can lose digits, and up to the last power
        # no target can be constant but for rounding and matter.
        self._safe_count = self._safe_power = self._power_of_constants = 0.0
        self._setting: Setting | None = None

    def forget(self) -> None:
        """Do not rely on what is known of streams that have changed since."""
        self.longest, self._safe_count = float(self._streams.count.max()), 0.0

    def advance(self, draw: Callable[[], Any], active: Tensor | None, setting: Setting) -> None:
        """Add the pairs that the streams have read, or raise, and nothing has changed."""
        streams = self._streams
        known = setting is self._setting and self.longest < self._safe_count
        allowed = self._safe_power - self._power if known else -1.0
        power = streams.advance(draw, active, setting, allowed)
        if power == NOT_FINITE:
            raise UserError(UNUSABLE)
        if power == TOO_LARGE:
            power = self._advance_with_care(draw, active, setting)
        self._power += power
        if self._power > self._power_of_constants:
            streams.doubtful |= self._has_constant_targets(active, setting)
        if np.count_nonzero(streams.doubtful):
            self._settle(streams.doubtful, setting)
        self.longest += 1.0

    def _advance_with_care(
        self, draw: Callable[[], Any], active: Tensor | None, setting: Setting
    ) -> float:
        """Add pairs after which scores may have lost digits, and return their power."""
        streams = self._streams
        self._look(setting)
        power = streams.advance(draw, active, setting, self._safe_power - self._power)
        if power != TOO_LARGE:
            return power
        before = streams.state()
        try:
            power = streams.advance(draw, active, setting, math.inf)
            if power == TOO_LARGE:  # NaN: errors beyond float64
                raise UserError(UNUSABLE)
            streams.doubtful |= self._has_constant_targets(active, setting)
            mask = np.True_ if active is None else active.cpu().numpy()
            self._settle(streams.doubtful | self._may_be_wrong(setting) & mask, setting)
        except UserError:
            streams.load_state(before)
            raise
        streams.doubtful[:] = False
        return power

    def _look(self, setting: Setting) -> None:
        """Find out how long the streams are, how large their targets, and what is safe."""
        streams, self._setting = self._streams, setting
        self.longest = float(streams.count.max())
        self._safe_count = 2 * self.longest + 16
        self._safe_power = digits.largest_safe_power(self._safe_count, self._rank, setting)
        self._power_of_constants = digits.power_of_constants(self._safe_count, setting)
        sums = map(streams.target_sums, range(streams.num_heads))
        self._power = max(float((power + mean.square()).sum(-1).max()) for power, mean in sums)

    def _has_constant_targets(self, active: Tensor | None, setting: Setting) -> Any:
        """Tell which streams have targets that only rounding changes, (num_heads, num_streams)."""
        count = self._streams.count
        some: list[Any] = []
        for head in range(self._streams.num_heads):
            constant = digits.constant_targets(count, *self._streams.target_sums(head), setting)
            which = (constant & (self._streams.target_sums(head)[0] > 0)).any(-1)
            some.append((which if active is None else which & active).cpu().numpy())
        return np.stack(some)

    def _problem(self, head: int, chosen: Tensor, setting: Setting) -> digits.Problem:
        """Collect what says how exact the scores of the chosen streams are."""
        tensors = self._streams.tensors(head)
        sums = self._streams.sums(head, setting)
        power, mean = self._streams.target_sums(head)
        varies = ~digits.constant_targets(sums.count, power, mean, setting)
        scale = sums.scale[chosen, :, None]
        rows = scale * setting.root_weight
        offset = tensors["mean"][chosen, self._streams.feature_dim :]
        return digits.Problem(
            num_pairs=sums.count[chosen],
            gram=sums.gram[chosen] * scale * scale.mT,
            cross=tensors["cross"][chosen] * rows * varies[chosen, None, :],
            largest=(tensors["peak"][chosen].sqrt() * rows[:, :, 0]).norm(dim=-1),
            offset=offset.norm(dim=-1) * setting.root_weight,
        )

    def _may_be_wrong(self, setting: Setting) -> Any:
        """Tell where the simple bound of the error is too large, (num_heads, num_streams)."""
        streams, wrong = self._streams, list[Any]()
        every = torch.arange(len(streams.count), device=streams.count.device)
        for head in range(streams.num_heads):
            errors = digits.rounding(self._problem(head, every, setting), setting.penalty)
            largest = digits.largest_error(*errors, self._rank, setting)
            scores = streams.tensor(streams.scores[head]).clamp(min=1)
            wrong.append((~(largest <= digits.TOLERANCE * scores)).cpu().numpy())
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

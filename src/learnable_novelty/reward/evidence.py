"""Streams scored with the ridge penalty of largest evidence, with which noise scores about 0.

The penalty is estimated again from all pairs so far, by an eigendecomposition, which is too slow
for every step. So a stream collects ``every`` pairs, merges their moments into its own, and is then
paid what they added together. The rest is paid when the episode ends. The payments still add up to
the score; they come up to ``every - 1`` steps late.

Where targets follow exactly from features, the evidence asks for a ridge of almost nothing, and
rounding would show in the score. Then the ridge is ten times as large, and ten times again, until
the score is right to its digits.
"""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.digits import RoundingError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Array

MOST_TENFOLDS = 12
"""How often the ridge is made ten times as large, at most."""


class EvidenceStreams:
    """Score parallel streams every few pairs, each at its own noise level.

    Args:
        reservoir: a frozen feature map on vectors.
        num_streams: how many streams.
        resolution: eta.
        every: pairs between evaluations of a stream.
    """

    def __init__(
        self, reservoir: Reservoir, *, num_streams: int, resolution: float = 1.0, every: int = 16
    ) -> None:
        if every < 1:
            raise UserError(f"expected an evaluation every 1 or more pairs, got {every}")
        self.reservoir, self.num_streams, self.every = reservoir, num_streams, every
        self._observer = Observer(reservoir, ridge_penalty="evidence", resolution=resolution)
        self.cumulative = torch.zeros(num_streams, dtype=torch.float64)
        """The score of each stream at its last evaluation, in bits, (num_streams,)."""
        self._moments: list[Moments | None] = [None] * num_streams
        self._waiting: list[list[tuple[Tensor, Tensor]]] = [[] for _ in range(num_streams)]

    @torch.no_grad()
    def advance(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Array:
        """Add one pair to every active stream; return what was paid, (num_streams,)."""
        features = self.reservoir(inputs)
        chosen = range(self.num_streams) if active is None else active.nonzero()[:, 0].tolist()
        before = self.cumulative.clone()
        for stream in chosen:
            self._waiting[stream].append((features[stream], targets[stream].clone()))
            if len(self._waiting[stream]) == self.every:
                self._evaluate(stream)
        return (self.cumulative - before).numpy()

    @torch.no_grad()
    def settle(self, streams: Tensor) -> Array:
        """Evaluate the given streams (a boolean mask); return what is still due to each."""
        before = self.cumulative.clone()
        for stream in streams.nonzero()[:, 0].tolist():
            if self._waiting[stream]:
                self._evaluate(stream)
        return (self.cumulative - before).numpy()

    def _evaluate(self, stream: int) -> None:
        features, targets = map(torch.stack, zip(*self._waiting[stream], strict=True))
        added, before = Moments.of(features, targets), self._moments[stream]
        self._moments[stream] = moments = added if before is None else before + added
        self._waiting[stream].clear()
        self.cumulative[stream] = self._bits(moments)

    def _bits(self, moments: Moments) -> float:
        """Return the score with the ridge of largest evidence, or with the next that is right."""
        observer = self._observer
        for _ in range(MOST_TENFOLDS):
            try:
                return float(observer.bits(moments))
            except RoundingError as error:
                observer = Observer(
                    self.reservoir,
                    ridge_penalty=10 * error.penalty,
                    resolution=self._observer.resolution,
                )
        return float(observer.bits(moments))

    def reset(self, streams: Tensor | None = None) -> None:
        """Forget the given streams (indices or a boolean mask), or all of them."""
        chosen = torch.arange(self.num_streams)
        for stream in (chosen if streams is None else chosen[streams]).tolist():
            self._moments[stream] = None
            self._waiting[stream].clear()
            self.cumulative[stream] = 0.0

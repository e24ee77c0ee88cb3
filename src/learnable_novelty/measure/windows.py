"""From a series to pairs: what was, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.checks import whole_number


@dataclass(frozen=True)
class Windows:
    """How a series becomes inputs and targets.

    An input holds the last ``history`` values, the target the values at the lead times.
    """

    history: int
    leads: tuple[int, ...]

    @staticmethod
    def of(window: int | None, history: int, leads: Sequence[int] | None) -> Windows:
        """Check the two ways to choose the future: ``window`` next steps, or lead times."""
        if (window is None) == (leads is None):
            raise UserError("expected either window or leads, got both or neither")
        past = whole_number("history", history, 1)
        if window is not None:
            return Windows(past, tuple(range(1, whole_number("window", window, 1) + 1)))
        chosen = tuple(whole_number("a lead", lead, 0) for lead in ([] if leads is None else leads))
        if not chosen:
            raise UserError("expected at least one lead, got none")
        return Windows(past, chosen)

    @property
    def reach(self) -> int:
        """How many steps a pair spans after its first one."""
        return self.history - 1 + max(self.leads)

    def num_pairs(self, length: int) -> int:
        """Return how many pairs a series of this length makes."""
        return length - self.reach

    def check(self, length: int) -> None:
        """Raise unless the series is long enough for two pairs."""
        if self.num_pairs(length) < 2:
            need = self.history + max(self.leads) + 1
            raise UserError(
                f"history={self.history} and a farthest lead of {max(self.leads)} need a series "
                f"of at least {need} steps, got {length}"
            )

    def inputs(self, series: Tensor) -> Tensor:
        """Return (num_pairs, history * dims), oldest value first."""
        n = self.num_pairs(series.shape[0])
        return torch.cat([series[i : i + n] for i in range(self.history)], dim=1)

    def targets(self, series: Tensor) -> Tensor:
        """Return (num_pairs, len(leads) * dims)."""
        n, now = self.num_pairs(series.shape[0]), self.history - 1
        return torch.cat([series[now + lead : now + lead + n] for lead in self.leads], dim=1)


def choose_windows(window: int | None, history: int, leads: Sequence[int] | None) -> Windows | None:
    """Return how a series is cut, or None where rows are samples."""
    if window is None and leads is None:
        if history != 1:
            raise UserError("history goes with a window or leads, for a series")
        return None
    return Windows.of(window, history, leads)

"""How a series is cut, chosen on its first half: the past that predicts, and how far it reaches.

A history or a window that is chosen because it scores well would score well on noise too. So it is
chosen on the first half of the series, and the second half, which was not looked at, is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from learnable_novelty.data.memory import MemoryRows
from learnable_novelty.data.source import Source
from learnable_novelty.errors import UserError
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import number_groups
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.task import Settings, Windows

HISTORIES = (1, 2, 4, 8, 16)
WINDOWS = (1, 2, 4, 8, 16, 32)
FEWEST_STEPS = 40
"""Steps of a half that a history or a window can be chosen on."""
NEARLY = 0.01
"""Held-out share that a longer history must add."""


@dataclass(frozen=True)
class Auto:
    """Chooses history and window by the held-out variance of a first half."""

    settings: Settings
    score: Callable[[Source, Settings], Score]

    def history(self, first: Source, lead: int) -> tuple[int, str]:
        """Return the shortest history that predicts nearly as well as the best, and why."""
        steps = _steps(first)
        tried = [h for h in HISTORIES if 10 * (h + lead) <= steps]
        scores = [self._scored(first, Windows(h, (lead,))) for h in tried]
        shares = [one.held_out_variance for one in scores]
        best = next(
            h for h, share in zip(tried, shares, strict=True) if share >= max(shares) - NEARLY
        )
        return best, f"chosen among {', '.join(map(str, tried))} on the first {steps} steps"

    def window(self, first: Source, history: int) -> tuple[int, str]:
        """Return the farthest of the leads whose steps can all be predicted; at least one step."""
        steps, farthest = _steps(first), 1
        tried = [w for w in WINDOWS if 10 * (history + w) <= steps]
        for lead in tried:
            result = self._scored(first, Windows(history, (lead,)))
            if not result.held_out_interval[0] > 0:
                break
            farthest = lead
        return farthest, f"chosen among {', '.join(map(str, tried))} on the first {steps} steps"

    def _scored(self, first: Source, windows: Windows) -> Score:
        quick = replace(self.settings, windows=windows, draws=min(2, self.settings.draws))
        return self.score(first, replace(quick, null=Null(0)))


def cut_by_first_half(
    source: Source,
    settings: Settings,
    window: int | str | None,
    history: int | str,
    score: Callable[[Source, Settings], Score],
) -> tuple[Source, Settings, list[str]]:
    """Choose what is "auto" on the first half; return the second, how it is cut, and why."""
    if settings.windows is None:
        raise UserError('history="auto" goes with a window or leads, for a series')
    (first, early), (second, settings) = halves(source, settings)
    assert settings.windows is not None
    auto, windows, decisions = Auto(early, score), settings.windows, []
    if history == "auto":
        past, why = auto.history(first, windows.leads[0])
        windows = replace(windows, history=past)
        decisions.append(f"history {past}, {why}; the others are judged")
    if window == "auto":
        ahead, why = auto.window(first, windows.history)
        windows = Windows.of(ahead, windows.history, None)
        decisions.append(f"window {ahead}, {why}; the others are judged")
    return second, replace(settings, windows=windows), decisions


def halves(
    source: Source, settings: Settings
) -> tuple[tuple[Source, Settings], tuple[Source, Settings]]:
    """Divide a series in memory: to choose on the first half, and to judge the second."""
    rows, groups = source.rows, settings.groups
    if not isinstance(source, Source) or rows is None:
        raise UserError("expected a series in memory to choose history or window, got chunks")
    middle = rows.count // 2
    if groups is not None:
        ends = np.flatnonzero(np.diff(number_groups(groups, rows.count))) + 1
        middle = int(min(ends, key=lambda end: abs(end - middle), default=middle))
    if min(middle, rows.count - middle) < FEWEST_STEPS:
        raise UserError(
            f"expected at least {2 * FEWEST_STEPS} steps to choose history or window on one half "
            f"and judge the other, got {rows.count}; name both"
        )

    def part(span: slice) -> tuple[Source, Settings]:
        y = None if rows.targets is None else rows.targets[span]
        some = replace(source, partitions=[MemoryRows(rows.inputs[span], y)])
        return some, replace(settings, groups=None if groups is None else groups[span])

    return part(slice(0, middle)), part(slice(middle, None))


def _steps(source: Source) -> int:
    assert source.rows is not None
    return source.rows.count

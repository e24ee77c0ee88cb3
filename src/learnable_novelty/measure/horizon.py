"""How far ahead a series can be learned: what is explained against the lead time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from learnable_novelty.data.open import open_source
from learnable_novelty.engine import Report
from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.measure.auto import Auto, halves
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import labels_of, number_groups, split_groups
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score_source
from learnable_novelty.measure.task import Settings, Windows
from learnable_novelty.measure.threads import few_threads
from learnable_novelty.measure.words import jsonable, plain, share_words
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.seeds import check_seed

LEADS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
SPAN = 10
"""The farthest lead is at most that part of the judged steps."""


@dataclass(frozen=True)
class Horizon:
    """What can be learned of a series so many steps ahead."""

    leads: tuple[int, ...]
    scores: tuple[Score, ...]
    """Of every lead."""
    history: int
    chosen: str | None
    """How the history was chosen, where it was not given."""

    @property
    def reach(self) -> int:
        """The farthest lead up to which all intervals of held-out variance lie above 0, or 0.

        Leads are tested in their order and the first that fails ends it, so the 5% level holds for
        all of them together. (A shuffled series is no null here: far leads of a slow series look
        related beside one that has no memory at all.)
        """
        farthest = 0
        for lead, one in zip(self.leads, self.scores, strict=True):
            if not one.held_out_interval[0] > 0:
                break
            farthest = lead
        return farthest

    def rows(self) -> list[dict[str, Any]]:
        """List lead, held-out variance with its interval, and denoised bits."""
        return [
            {
                "lead": lead,
                "held_out_variance": one.held_out_variance,
                "low": one.held_out_interval[0],
                "high": one.held_out_interval[1],
                "denoised_bits": one.denoised_bits,
            }
            for lead, one in zip(self.leads, self.scores, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        chosen = {"reach": self.reach, "history": self.history, "chosen": self.chosen}
        return jsonable({**chosen, "leads": self.rows()})

    def __str__(self) -> str:
        how_far = f"{self.reach} step{'s' * (self.reach > 1)} ahead" if self.reach else "not at all"
        lines = [f"How far ahead it can be learned: {how_far} (95% interval above 0)."]
        lines.append(f"  {'lead':>5}  {'held-out variance':<26}{'bits':>6}")
        for row in self.rows():
            share = share_words(row["held_out_variance"], (row["low"], row["high"]))
            lines.append(f"  {row['lead']:>5}  {share:<26}{plain(row['denoised_bits']):>6}")
        chosen = f", {self.chosen}; judged on the others" if self.chosen else ""
        return "\n".join([*lines, f"  history {self.history}{chosen}"])

    def plot(self, path: str | Path | None = None, ax: Any = None) -> Any:
        """Draw held-out variance and bits against the lead; needs the [plot] extra.

        Args:
            path: where to save the picture; not saved by default.
            ax: matplotlib axes to draw into.

        Returns:
            The matplotlib figure.
        """
        with needs_extra("a plot", "plot"):
            from learnable_novelty.measure.plot import draw_horizon
        return draw_horizon(self, path, ax)


@few_threads
def horizon(
    series: Any,
    targets: Any = None,
    *,
    leads: Sequence[int] | None = None,
    history: int | Literal["auto"] = "auto",
    draws: int = 2,
    groups: Any = None,
    seed: int = 0,
    progress: Report | None = None,
) -> Horizon:
    """Measure how far ahead a series, or another from it, can be learned.

    Args:
        series: as for ``score`` with a window, in memory.
        targets: another series of the same length; its own future by default.
        leads: how many steps ahead; by default 1, 2, 3, 5, 8, ... up to a tenth of the steps.
        history: how many past values make an input; "auto" chooses it on the first half, and all
            leads are then judged on the second half.
        draws: reservoirs to average over.
        groups: a column of the table, or a label for each step, where there are many series one
            after the other.
        seed: of reservoirs.
        progress: called with the number of leads done and to do.

    >>> import numpy as np
    >>> ahead = horizon(np.sin(0.3 * np.arange(200)), leads=[1, 2], history=2, draws=1)
    >>> [round(row["held_out_variance"], 1) for row in ahead.rows()]
    [1.0, 1.0]
    """
    series, labels = split_groups(series, groups)
    source, chosen = open_source(series, targets, is_series=True), None
    labels = labels_of(source, labels)
    settings = Settings(Windows(1, (1,)), draws, Null(0), check_seed(seed), groups=labels)
    if source.rows is None:
        raise UserError("expected a series in memory, got data that is read by chunks")
    if history == "auto":
        (first, early), (source, settings) = halves(source, settings)
        history, chosen = Auto(early, score_source).history(first, 1)
    past = whole_number("history", history, 1)
    assert source.rows is not None
    longest = source.rows.count
    if settings.groups is not None:
        longest = int(np.bincount(number_groups(settings.groups, longest)).min())
    most = max(1, (longest - past) // SPAN)
    wanted = tuple(lead for lead in LEADS if lead <= most) if leads is None else tuple(leads)
    scores = []
    for lead in wanted:
        windows = Windows.of(None, past, [lead])
        scores.append(score_source(source, replace(settings, windows=windows)))
        if progress is not None:
            progress(len(scores), len(wanted))
    return Horizon(wanted, tuple(scores), past, chosen)

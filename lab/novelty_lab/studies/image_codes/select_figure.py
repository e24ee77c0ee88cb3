"""How the jury judged codes and lengths of training: excess bits by juror, and the mean rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, list_down, new_figure


def tables(record: Record) -> list[Table]:
    """List every candidate, and every length of the chosen ones, as the jury judged them."""
    chosen, lengths = record.results["chosen"], record.results["lengths"]
    longer = [
        _table(record, f"{name}: excess bits by training steps", lengths[name], [str(steps)])
        for name, steps in zip(chosen, record.results["chosen_steps"], strict=True)
    ]
    title = "Excess bits on unseen images, by juror"
    return [_table(record, title, record.results, chosen), *longer]


def _table(record: Record, title: str, judged: dict[str, Any], chosen: list[str]) -> Table:
    rows = [
        [
            f"{name} (chosen)" if name in chosen else name,
            *(f"{bits:.1f}" for bits in candidate["excess"]),
            f"{judged['mean_rank'][name]:.2f}",
            f"{candidate['effective_rank']:.1f}",
        ]
        for name, candidate in judged["candidates"].items()
    ]
    columns = [*record.results["jurors"], "mean rank", "effective rank of the code"]
    return Table(title, ["", *columns], rows)


def figure(record: Record) -> Figure:
    """Draw the excess of each code by juror, as a share of the juror's best, and the mean rank."""
    results = record.results
    names = list(results["candidates"])
    fig = new_figure(9.5, 0.9 + 0.3 * len(names))
    shares, ranks = fig.subplots(1, 2, sharey=True, width_ratios=(1.5, 1))
    excess = np.array([candidate["excess"] for candidate in results["candidates"].values()])
    looks = zip(results["jurors"], (excess / excess.max(0)).T, ("o", "s", "^", "D"), strict=True)
    for juror, share, marker in looks:
        shares.plot(share, range(len(names)), marker, ms=5, alpha=0.8, label=juror)
    shares.set_xlabel("excess bits, share of the juror's best")
    shares.grid(axis="y", color="0.9")
    shares.set_axisbelow(True)
    shares.legend(fontsize=7)
    label_panel(shares, "a", "by juror")
    colours = [BLUE if name in results["chosen"] else GREY for name in names]
    ranks.barh(range(len(names)), list(results["mean_rank"].values()), color=colours)
    ranks.set_xlabel("mean rank")
    list_down(ranks, names)
    label_panel(ranks, "b", "blue: chosen")
    return fig

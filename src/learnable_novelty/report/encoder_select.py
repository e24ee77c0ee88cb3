"""How the jury judged the codes: excess bits by juror, and the mean rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnable_novelty.records import Record
from learnable_novelty.report.base import Table
from learnable_novelty.report.style import BLUE, GREY, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tables(record: Record) -> list[Table]:
    """List every candidate with its excess by juror and its mean rank."""
    jurors = record.results["jurors"]
    chosen = record.results["chosen"]
    rows = [
        [
            f"{name} (chosen)" if name in chosen else name,
            *(f"{bits:.1f}" for bits in found["excess"]),
            f"{record.results['mean_rank'][name]:.2f}",
            f"{found['effective_rank']:.1f}",
        ]
        for name, found in record.results["candidates"].items()
    ]
    columns = ["encoder by observer", *jurors, "mean rank", "effective rank of the code"]
    return [Table("Excess bits on unseen images, by juror", columns, rows)]


def figure(record: Record) -> Figure:
    """Draw the excess of each code as a share of the juror's best, and the mean rank."""
    names = list(record.results["candidates"])
    excess = np.array([record.results["candidates"][name]["excess"] for name in names])
    share = excess / excess.max(0)
    fig = new_figure(9.5, 0.9 + 0.38 * len(names))
    heat, ranks = fig.subplots(1, 2, width_ratios=(1.5, 1))
    image = heat.imshow(share, cmap="Blues", vmin=0.4, vmax=1.0, aspect="auto")
    for row, values in enumerate(excess):
        for column, bits in enumerate(values):
            dark = share[row, column] > 0.8
            colour = "white" if dark else "black"
            heat.text(
                column, row, f"{bits:.0f}", ha="center", va="center", color=colour, fontsize=8
            )
    jurors = [juror.replace(", resolution", "\nresolution") for juror in record.results["jurors"]]
    heat.set(xticks=range(len(jurors)), yticks=range(len(names)), yticklabels=names)
    heat.set_xticklabels(jurors, fontsize=7)
    fig.colorbar(image, ax=heat, label="share of the juror's best", fraction=0.05)
    label_panel(heat, "a", "excess bits by juror")
    places = np.arange(len(names))
    mean = [record.results["mean_rank"][name] for name in names]
    colours = [BLUE if name in record.results["chosen"] else GREY for name in names]
    ranks.barh(places, mean, color=colours)
    ranks.set(yticks=places, yticklabels=[], ylim=(len(names) - 0.5, -0.5), xlabel="mean rank")
    label_panel(ranks, "b", "lower is better (blue: chosen)")
    return fig

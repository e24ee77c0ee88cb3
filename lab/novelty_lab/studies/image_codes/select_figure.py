"""How the jury judged codes and lengths of training: excess bits by juror, and the mean rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure


def tables(record: Record) -> list[Table]:
    """List every candidate, and every length of the chosen ones, as the jury judged them."""
    chosen, lengths = record.results["chosen"], record.results["lengths"]
    steps = dict(zip(chosen, map(str, record.results["chosen_steps"]), strict=True))
    title = "Excess bits on unseen images, by juror"
    longer = [
        _table(record, f"{name}: excess bits by training steps", lengths[name], [steps[name]])
        for name in chosen
    ]
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
    """Draw the excess of each code, the mean rank, and the excess along longer trainings."""
    names, chosen = list(record.results["candidates"]), record.results["chosen"]
    best_steps = record.results["chosen_steps"]
    fig = new_figure(9.5, 3.6 + 0.38 * len(names))
    heights = 0.9 + 0.38 * len(names), 2.7
    above, below = np.asarray(fig.subfigures(2, 1, height_ratios=heights))
    heat, ranks = above.subplots(1, 2, width_ratios=(1.5, 1))
    _heat(heat, record, names)
    places = np.arange(len(names))
    mean = [record.results["mean_rank"][name] for name in names]
    ranks.barh(places, mean, color=[BLUE if name in chosen else GREY for name in names])
    ranks.set(yticks=places, yticklabels=[], ylim=(len(names) - 0.5, -0.5), xlabel="mean rank")
    label_panel(ranks, "b", "blue: chosen")
    panels = np.atleast_1d(below.subplots(1, len(chosen), sharey=True))
    for letter, axes, name, steps in zip("cdefghijk", panels, chosen, best_steps, strict=False):
        _lengths(axes, record, name, steps)
        label_panel(axes, letter, f"{name}, longer")
    handles = panels[0].get_legend_handles_labels()
    below.legend(*handles, loc="outside lower center", ncols=5, fontsize=7, handlelength=4)
    return fig


def _heat(axes: Axes, record: Record, names: list[str]) -> None:
    """Draw excess bits by juror, coloured by the share of the juror's best."""
    excess = np.array([record.results["candidates"][name]["excess"] for name in names])
    share = excess / excess.max(0)
    image = axes.imshow(share, cmap="Blues", vmin=0.2, vmax=1.0, aspect="auto")
    for row, values in enumerate(excess):
        for column, bits in enumerate(values):
            look = {"color": "white" if share[row, column] > 0.8 else "black", "fontsize": 8}
            axes.text(column, row, f"{bits:.0f}", ha="center", va="center", **look)
    jurors = [juror.replace(", resolution", "\nresolution") for juror in record.results["jurors"]]
    axes.set(xticks=range(len(jurors)), yticks=range(len(names)), yticklabels=names)
    axes.set_xticklabels(jurors, fontsize=7)
    axes.figure.colorbar(image, ax=axes, label="share of the juror's best", fraction=0.05)
    label_panel(axes, "a", "excess bits by juror")


def _lengths(axes: Axes, record: Record, name: str, chosen: int) -> None:
    """Draw each juror's excess bits against how long the recipe was trained."""
    judged = record.results["lengths"][name]["candidates"]
    steps = [int(length) for length in judged]
    excess = np.array([candidate["excess"] for candidate in judged.values()])
    styles = zip(record.results["jurors"], excess.T, (BLUE, BLUE, ORANGE, ORANGE), strict=True)
    for number, (juror, bits, colour) in enumerate(styles):
        axes.plot(steps, bits, "o-" if number % 2 else "o--", ms=4, color=colour, label=juror)
    axes.axvline(chosen, color=GREY, zorder=0, label="chosen: best mean rank")
    axes.set(xscale="log", xlabel="training steps", ylabel="excess bits")
    axes.set_xticks(steps, [f"{count:,}" for count in steps])
    axes.minorticks_off()

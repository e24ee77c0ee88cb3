"""A picture of a test of independence: the data, the functions that were found, the null."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from learnable_novelty.storage import write_figure

if TYPE_CHECKING:
    from learnable_novelty.independence.result import Dependence

BLUE, GREY = "#0072B2", "#999999"


def draw_dependence(result: Dependence, path: str | Path | None = None) -> Figure:
    """Draw a result; see ``Dependence.plot``."""
    count = 3 if result.sample is not None else 2
    figure = Figure(figsize=(3.2 * count, 3.2), layout="constrained")
    *scatters, null = figure.subplots(1, count)
    if result.sample is not None:
        scatters[0].plot(*result.sample, ".", color=GREY, markersize=3)
        scatters[0].set(xlabel="x", ylabel="y", title="data")
    scatters[-1].plot(*result.functions, ".", color=BLUE, markersize=3)
    scatters[-1].set(
        xlabel="f(x)", ylabel="g(y)", title=f"held-out correlation {result.effect:.2f}"
    )
    null.hist(result.null_statistics, bins=40, color=GREY, label="null")
    null.axvline(result.statistic, color=BLUE, label="observed")
    null.set(xlabel="largest statistic", ylabel="rearrangements", title=f"p = {result.p_value:.3g}")
    null.legend(frameon=False, fontsize=8)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{result.verdict}, {result.where}", fontsize=9, wrap=True)
    if path is not None:
        write_figure(path, figure)
    return figure

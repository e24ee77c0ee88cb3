"""A picture of one score: denoised and raw bits, the test, and the spectrum."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from learnable_novelty.measure.result import Score

BLUE, SKY, GREY, RED = "#0072B2", "#56B4E9", "#999999", "#D55E00"


def draw_score(score: Score, path: str | Path | None = None) -> Figure:
    """Draw a score; see ``Score.plot``."""
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    bars, test, spectrum = figure.subplots(1, 3)
    _draw_bits(bars, score)
    _draw_test(test, score)
    _draw_spectrum(spectrum, score)
    figure.suptitle(textwrap.fill(score.verdict, 100), fontsize=10)
    for axes in (bars, test, spectrum):
        axes.spines[["top", "right"]].set_visible(False)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure


def _draw_bits(axes: Axes, score: Score) -> None:
    axes.bar(0, score.denoised_bits, color=BLUE, width=0.6)
    # The floor is not below zero, and the excess stands on it.
    axes.bar(1, score.floor_bits, color=GREY, width=0.6, label="floor of raw bits")
    excess = max(0.0, score.excess_bits)
    axes.bar(1, excess, bottom=score.floor_bits, color=SKY, width=0.6, label="excess over it")
    if score.null_bits is not None:
        axes.plot([0.6, 1.4], [score.null_bits] * 2, color=RED, linestyle="--", label="null")
    axes.set(xlim=(-0.5, 3.6), ylabel="bits", title="learnable novelty")
    axes.set_xticks([0, 1], ["denoised", "raw"])
    axes.legend(frameon=False, fontsize=8)


def _draw_test(axes: Axes, score: Score) -> None:
    if score.null_count:
        values = score.null_explained_variance
        ends = (min(values), max(*values, score.tested_variance) + 1e-9)
        axes.hist(values, bins=40, range=ends, color=GREY, label="null")
    axes.axvline(score.tested_variance, color=BLUE, label="observed")
    p = "not tested" if score.p_value is None else f"p = {score.p_value:.3g}"
    axes.set(xlabel="explained variance", ylabel="rearrangements", title=p)
    axes.legend(frameon=False, fontsize=8)


def _draw_spectrum(axes: Axes, score: Score) -> None:
    values = [value for value in score.spectrum if value > 1e-12]
    axes.bar(range(1, len(values) + 1), values, color=GREY, label="raw")
    denoised = score.denoised_spectrum
    axes.bar(range(1, len(denoised) + 1), denoised, color=BLUE, width=0.5, label="denoised")
    axes.legend(frameon=False, fontsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="direction", ylabel="singular value", title="spectrum of the readout")
    axes.set_xlim(0, max(4, len(values) + 1))

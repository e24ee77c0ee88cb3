"""Pictures of scores, horizons and scans; only this file imports matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from learnable_novelty.measure.words import percent
from learnable_novelty.storage import write_figure
from learnable_novelty.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from learnable_novelty.measure.horizon import Horizon
    from learnable_novelty.measure.result import Score
    from learnable_novelty.measure.scan_result import Scan
    from learnable_novelty.observer.growing.growth import Step

BLUE, SKY, GREY, RED = "#0072B2", "#56B4E9", "#999999", "#D55E00"
NOT_FOUND = "#BBBBBB"
SHARES = LinearSegmentedColormap.from_list("shares", ["#FFFFFF", "#56B4E9", "#003F6B"])
MOST_POINTS, MOST_BARS, MOST_NUMBERS, LONGEST = 2_000, 60, 16, 28
"""Samples and bars that are drawn, columns up to which cells have numbers, letters of a name."""


def draw_score(score: Score, path: str | Path | None = None) -> Figure:
    """Draw a score; see ``Score.plot``."""
    count = 3 + (score.profile is not None)
    figure = Figure(figsize=(3.3 * count, 3.4), layout="constrained")
    relation, *between, test, bars = figure.subplots(1, count)
    if score.profile is not None:
        draw_profile(between.pop(), score.profile)
    draw_relation(relation, score)
    _draw_test(test, score)
    _draw_bits(bars, score)
    figure.suptitle(textwrap.fill(score.verdict, 100), fontsize=10)
    for axes in (*between, test, bars):
        axes.spines[["top", "right"]].set_visible(False)
    if path is not None:
        write_figure(path, figure)
    return figure


def draw_relation(axes: Axes, score: Score) -> Figure:
    """Draw targets and their held-out predictions against the input, or against each other."""
    held, share = score.predictions, percent(score.held_out_variance)
    axes.set_title(f"{share} explained on held-out rows", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    if held is None:
        axes.text(0.5, 0.5, "no points are kept of this data", ha="center", va="center")
        axes.set_axis_off()
        return axes.get_figure(root=True)  # pyright: ignore[reportReturnType]
    chosen = np.arange(0, held.observed.size, max(1, -(-held.observed.size // MOST_POINTS)))
    observed, predicted = held.observed.ravel()[chosen], held.predicted.ravel()[chosen]
    size = max(2.0, min(14.0, 4000 / len(chosen)))
    unit = " (deviations)" if held.in_deviations else ""
    if held.input is not None:
        inputs = held.input[chosen // held.observed.shape[1]]
        axes.scatter(inputs, observed, s=size, color=GREY, alpha=0.6, label="observed")
        axes.scatter(inputs, predicted, s=size, color=BLUE, label="predicted")
        axes.set(xlabel="input", ylabel=f"{score.target_text}{unit}")
        axes.legend(frameon=False, fontsize=8)
    else:
        axes.scatter(predicted, observed, s=size, color=BLUE, alpha=0.5)
        ends = [float(observed.min()), float(observed.max())]
        axes.plot(ends, ends, color=GREY, linewidth=1)
        axes.set(xlabel=f"predicted, held out{unit}", ylabel=f"observed: {score.target_text}")
    return axes.get_figure(root=True)  # pyright: ignore[reportReturnType]


def draw_profile(axes: Axes, profile: Sequence[Step]) -> None:
    """Draw model bits and residual bits of every step that growth tried."""
    places = range(len(profile))
    names = [f"focus {one.rounds}" if one.kind == "focus" else f"{one.width}" for one in profile]
    names = [
        f"{name}, {one.depth} layers" if one.kind == "depth" else name
        for name, one in zip(names, profile, strict=True)
    ]
    axes.plot(places, [one.residual_bits for one in profile], ".-", color=GREY)
    axes.set_ylabel("residual bits", color=GREY)
    axes.set_xticks(places, names, rotation=90, fontsize=7)
    axes.axvline(next(i for i, one in enumerate(profile) if one.kept), color=RED, linestyle=":")
    models = axes.twinx()
    models.plot(places, [one.model_bits for one in profile], ".-", color=BLUE)
    models.set_ylabel("model bits", color=BLUE)
    axes.set_title("growth; dotted: kept", fontsize=10)
    axes.spines["top"].set_visible(False)
    models.spines["top"].set_visible(False)


def _draw_test(axes: Axes, score: Score) -> None:
    if score.null_count:
        values = score.null_explained_variance
        ends = (min(values), max(*values, score.tested_variance) + 1e-9)
        axes.hist(values, bins=40, range=ends, color=GREY, label="null")
    axes.axvline(score.tested_variance, color=BLUE, label="observed")
    title = "not tested" if score.p_value is None else score.p_text
    axes.set(xlabel="explained variance, rows that were seen", ylabel="rearrangements")
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=8)


def _draw_bits(axes: Axes, score: Score) -> None:
    axes.bar(0, score.denoised_bits, color=BLUE, width=0.6)
    # The floor is not below zero, and the excess stands on it.
    axes.bar(1, score.floor_bits, color=GREY, width=0.6, label="floor of raw bits")
    excess = max(0.0, score.excess_bits)
    axes.bar(1, excess, bottom=score.floor_bits, color=SKY, width=0.6, label="excess over it")
    has_line = not math.isnan(score.line_bits) and score.denoised_bits > 0
    if has_line:
        axes.axhline(score.line_bits, color=RED, linewidth=0.8, linestyle=":")
    highest = max(axes.dataLim.y1, 1e-3)
    axes.set(xlim=(-0.5, 1.6), ylim=(0, 1.35 * highest), ylabel="bits")
    axes.set_title("bits; dotted: a straight line" if has_line else "bits", fontsize=10)
    known = not math.isnan(score.denoised_bits)
    axes.set_xticks([0, 1], ["denoised" if known else "denoised:\nnot known", "raw"])
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def draw_horizon(horizon: Horizon, path: str | Path | None, ax: Any) -> Figure:
    """Draw a curve; see ``Horizon.plot``."""
    figure = Figure(figsize=(6.0, 3.6), layout="constrained") if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    rows = horizon.rows()
    leads, shares, bits = (
        np.array([row[name] for row in rows], dtype=float)
        for name in ("lead", "held_out_variance", "denoised_bits")
    )
    ends = np.array([[row["low"], row["high"]] for row in rows], dtype=float)
    axes.fill_between(leads, *ends.T, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(leads, shares, "o-", color=BLUE)
    axes.set(xlabel="steps ahead", ylim=(0, 1.02), xscale="log")
    axes.set_xticks(leads, [f"{lead:.0f}" for lead in leads])
    axes.minorticks_off()
    axes.set_ylabel("held-out variance", color=BLUE)
    other = axes.twinx()
    other.plot(leads, bits, "s--", color=RED, markersize=4)
    other.set_ylabel("denoised bits", color=RED)
    other.set_ylim(0, max(1e-3, 1.1 * float(np.nanmax(bits, initial=0.0))))
    if horizon.reach:
        axes.axvline(horizon.reach, color=GREY, linestyle=":")
    axes.set_title(
        f"can be learned {horizon.reach} steps ahead; history {horizon.history}", fontsize=10
    )
    for one in (axes, other):
        one.spines["top"].set_visible(False)
    if path is not None:
        write_figure(path, figure)
    return figure


def draw_scan(scan: Scan, path: str | Path | None, ax: Any) -> Figure:
    """Draw a scan; see ``Scan.plot``."""
    size = len(scan.names)
    side, height = 2.8 + 0.34 * size, 1.4 + 0.28 * min(size, MOST_BARS)
    shape = (side, side) if scan.pairs else (7.5, height)
    figure = Figure(figsize=shape, layout="constrained") if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    (_heat_map if scan.pairs else _bars)(axes, scan)
    if path is not None:
        write_figure(path, figure)
    return figure


def _bars(axes: Axes, scan: Scan) -> None:
    shown = [one for one in scan.relations if one.p_value is not None][:MOST_BARS][::-1]
    shares = np.array([one.held_out_variance for one in shown])
    ends = np.array([one.held_out_interval for one in shown]).reshape(-1, 2)
    errors = np.abs(ends.T - shares)
    colors = [BLUE if one.is_found else NOT_FOUND for one in shown]
    axes.barh(range(len(shown)), shares, color=colors, xerr=errors, ecolor="#444444", capsize=2)
    axes.set_yticks(range(len(shown)), [_short(one.target) for one in shown])
    axes.set(xlim=(0, 1), xlabel="share of variance explained on held-out rows")
    axes.set_title(f"{len(scan.discoveries())} of {len(scan.relations)} columns found", fontsize=10)
    axes.xaxis.set_major_formatter(lambda value, _place: f"{value:.0%}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.02)


def _heat_map(axes: Axes, scan: Scan) -> None:
    order = scan.clustered()
    names = [_short(scan.names[index]) for index in order]
    is_discovery = np.zeros((len(names),) * 2, dtype=bool)
    place = {scan.names[index]: where for where, index in enumerate(order)}
    for one in scan.discoveries():
        is_discovery[place[one.inputs[0]], place[one.target]] = True
    values = np.where(is_discovery, np.nan_to_num(scan.matrix()[np.ix_(order, order)]), 0.0)
    image = axes.imshow(values, cmap=SHARES, vmin=0, vmax=1)
    np.fill_diagonal(is_discovery, False)
    for i, j in zip(*np.nonzero(is_discovery), strict=True):
        if len(names) <= MOST_NUMBERS:
            ink = "white" if values[i, j] > 0.6 else "black"
            text = percent(float(values[i, j])).rstrip("%")
            axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=7)
    for index in range(len(names)):
        axes.plot(index, index, marker="s", color="#DDDDDD", markersize=4)
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="about this column", ylabel="this column tells")
    axes.set_title(f"{len(scan.discoveries())} of {len(scan.relations)} pairs found", fontsize=10)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6)
    bar.set_label("held-out variance")


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

"""The picture of the comparison: who ranks what high, who falls for noise, what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy.stats import rankdata

from novelty_lab.records import Record
from novelty_lab.style import (
    BLACK,
    BLUE,
    CLASS_COLOURS,
    CLASS_NAMES,
    ORANGE,
    label_panel,
    new_figure,
)

MEASURES = {
    "bits": "learnable novelty, raw",
    "excess": "learnable novelty, excess",
    "evidence_excess": "  excess, evidence ridge",
    "prequential_structure": "trained network, structure",
    "predictive_information": "predictive information",
    "prequential_rate": "trained network, whole code",
    "gzip": "gzip",
    "lempel_ziv": "Lempel-Ziv",
    "permutation_entropy": "permutation entropy",
    "sample_entropy": "sample entropy",
}
"""What is drawn, those that claim to find structure first."""
STRUCTURE = 5
"""How many those are."""
FIGURES = {
    "lyapunov": "largest\nLyapunov exp.",
    "entropy": "Pesin\nentropy",
    "kaplan_yorke": "Kaplan-Yorke\ndimension",
    "correlation": "correlation\ndimension",
    "multiscale": "multiscale\nentropy",
}
SAMPLINGS = {"period": "leads in periods", "fixed": "leads of 0.1 to 1"}
DRAWN = ("lyapunov", "entropy", "kaplan_yorke")
"""Published figures in the picture; the tables have all."""
TIMED = {"excess": "bits", "evidence_excess": "evidence_bits"} | {
    "prequential_rate": "prequential_structure"
}
"""Numbers that come with another one, at its cost."""
CONTROLS = {
    "coins": ("*", "noise"),
    "white noise": ("*", "noise"),
    "red noise": ("P", "red noise"),
    "sine": ("D", "sine"),
    "constant": ("s", "constant"),
    "constant cells": ("s", "constant"),
}
CLASS_SIZES = {1: 14, 2: 14, 3: 22, 4: 34}


def figure(record: Record) -> Figure:
    """Draw both rankings with noise in them, the correlations, and the cost."""
    fig = new_figure(11.0, 8.6)
    grid = fig.add_gridspec(2, 1, height_ratios=[1.0, 0.95])
    upper = grid[0].subgridspec(1, 2, width_ratios=[1.0, 1.0])
    lower = grid[1].subgridspec(1, 2, width_ratios=[2.1, 1.0])
    _automata(fig.add_subplot(upper[0]), record)
    _flows(fig.add_subplot(upper[1]), record)
    _heat(fig.add_subplot(lower[0]), record)
    _cost(fig.add_subplot(lower[1]), record)
    return fig


def _automata(axes: Axes, record: Record) -> None:
    rows = [row for row in record.results["rows"] if row["kind"] in ("automaton", "cells")]
    shares = record.results["below_noise"]["automaton"]["steps"]
    for place, key in enumerate(MEASURES):
        for row, x in _ranked(rows, key):
            if row["kind"] == "cells":
                continue
            group = row["class"]
            look = {"color": CLASS_COLOURS[group], "linewidths": 0, "alpha": 0.85}
            axes.scatter(x, place + 0.12 * (group - 2.5), s=CLASS_SIZES[group], **look)
    for group, colour in CLASS_COLOURS.items():
        label = f"class {CLASS_NAMES[group]}"
        axes.scatter([], [], s=CLASS_SIZES[group], color=colour, label=label)
    _controls(axes, rows, ("coins", "constant cells"))
    _measures_down(axes, shares, names=True)
    axes.set_xlabel("place in the ranking: lowest to highest")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, -0.34), ncols=3, handletextpad=0.2)
    _kinds(axes)
    label_panel(axes, "a", f"{sum(r['kind'] == 'automaton' for r in rows)} automata and coins")


def _flows(axes: Axes, record: Record) -> None:
    results = record.results
    rows = [r for r in results["rows"] if r["sampling"] == "period" or r["kind"] == "control"]
    flows = [row for row in rows if row["kind"] == "flow"]
    published = results["published"]
    speed = {n: max(p["lyapunov"] * p["period"], 1e-3) for n, p in published.items()}
    order = {name: i for i, name in enumerate(sorted(speed, key=lambda name: speed[name]))}
    for place, key in enumerate(MEASURES):
        ranked = [(order[r["name"]], x) for r, x in _ranked(rows, key) if r["kind"] == "flow"]
        # Height alternates by name, so that neighbours do not hide each other.
        heights = [place + 0.16 * (number % 3 - 1) for number, _ in ranked]
        shades = [number / max(1, len(order) - 1) for number, _ in ranked]
        look = {"s": 13, "cmap": "viridis", "vmin": 0, "vmax": 1, "linewidths": 0}
        axes.scatter([x for _, x in ranked], heights, c=shades, **look)
    _controls(axes, rows, ("white noise", "red noise", "sine", "constant"))
    _measures_down(axes, results["below_noise"]["flow"]["period"], names=False)
    axes.set_xlabel(
        "place in the ranking: lowest to highest\n"
        "(colour: largest Lyapunov exponent per period, by rank)"
    )
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, -0.34), ncols=4, handletextpad=0.2)
    colours = ScalarMappable(Normalize(0, 1), "viridis")
    bar = axes.figure.colorbar(colours, ax=axes, fraction=0.035, pad=0.13, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["least", "", "most"])
    bar.ax.text(0.5, 1.04, "chaotic", transform=bar.ax.transAxes, ha="center", fontsize=8)
    label_panel(axes, "b", f"{len(flows)} flows and noise, leads in periods")


def _controls(axes: Axes, rows: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    """Mark noise and its like in every ranking."""
    for name in names:
        marker, label = CONTROLS[name]
        points = [
            (x, place)
            for place, key in enumerate(MEASURES)
            for row, x in _ranked(rows, key)
            if row["name"] == name
        ]
        look = {"s": 38, "linewidths": 0.9, "facecolor": BLACK, "edgecolor": "white", "zorder": 3}
        if marker == "*":
            look |= {"s": 110, "zorder": 4}
        if marker == "s":
            look |= {"facecolor": "white", "edgecolor": BLACK}
        axes.scatter(*np.reshape(points, (-1, 2)).T, marker=marker, label=label, **look)


def _measures_down(axes: Axes, shares: dict[str, float], *, names: bool) -> None:
    """Name the measures down the side, and write what share of systems each puts below noise."""
    axes.set_yticks(range(len(MEASURES)), list(MEASURES.values()) if names else [])
    axes.set_ylim(len(MEASURES) - 0.4, -0.6)
    axes.set_xlim(-0.03, 1.03)
    axes.axhline(STRUCTURE - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    for place, key in enumerate(MEASURES):
        if key in shares:
            axes.text(1.05, place, f"{100 * shares[key]:.0f}%", va="center", fontsize=8)
        else:
            axes.text(0.5, place, "not measured", va="center", ha="center", fontsize=7, color="0.5")
    axes.text(1.05, -0.75, "below\nnoise", va="bottom", fontsize=7)


def _kinds(axes: Axes) -> None:
    """Say beside the names which measures look for structure and which for surprise."""
    for first, last, name in ((0, STRUCTURE, "structure"), (STRUCTURE, len(MEASURES), "surprise")):
        at = (0, (first + last - 1) / 2)
        offset = {"xytext": (-142, 0), "textcoords": "offset points"}
        look = {"rotation": 90, "ha": "center", "va": "center", "color": "0.4"}
        axes.annotate(name, at, xycoords=("axes fraction", "data"), **offset, **look)


def _ranked(rows: list[dict[str, Any]], key: str) -> list[tuple[dict[str, Any], float]]:
    """Place rows from 0, the lowest, to 1; equal values share a place."""
    measured = [row for row in rows if row["values"].get(key) is not None]
    ranks = rankdata([float(row["values"][key]) for row in measured])
    places = (ranks - 1) / max(1, len(measured) - 1)
    return list(zip(measured, places.tolist(), strict=True))


def _heat(axes: Axes, record: Record) -> None:
    """Draw the correlations with their intervals; bold where the interval leaves out 0."""
    columns = [(sampling, figure) for sampling in SAMPLINGS for figure in DRAWN]
    rho = {sampling: correlations(record, sampling) for sampling in SAMPLINGS}
    cells = np.full((len(MEASURES), len(columns)), np.nan)
    for down, key in enumerate(MEASURES):
        for across, (sampling, figure) in enumerate(columns):
            if (key, figure) in rho[sampling]:
                cells[down, across] = rho[sampling][key, figure]["rho"]
                _correlation(axes, across, down, rho[sampling][key, figure])
    axes.imshow(cells, cmap="PuOr", vmin=-1, vmax=1, aspect="auto")
    axes.set_yticks(range(len(MEASURES)), list(MEASURES.values()))
    axes.set_xticks(range(len(columns)), [FIGURES[figure] for _, figure in columns], fontsize=7)
    axes.axvline(len(DRAWN) - 0.5, color="white", linewidth=4)
    axes.axhline(STRUCTURE - 0.5, color="white", linewidth=2)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    for start, name in zip((0, len(DRAWN)), SAMPLINGS.values(), strict=True):
        axes.text(start + (len(DRAWN) - 1) / 2, -0.62, name, ha="center", fontsize=8)
    _kinds(axes)
    label_panel(axes, "c", "rank correlation with what is published of the flows, 95% interval\n")


def _correlation(axes: Axes, x: int, y: int, row: dict[str, Any]) -> None:
    """Write a correlation with its interval."""
    text = "{rho:+.2f}\n[{low:+.2f}, {high:+.2f}]".format(**row)
    look: dict[str, Any] = {
        "fontweight": "bold" if row["low"] > 0 or row["high"] < 0 else "normal",
        "color": "white" if abs(row["rho"]) > 0.62 else "black",
    }
    axes.text(x, y, text, ha="center", va="center", fontsize=6.5, linespacing=0.95, **look)


def _cost(axes: Axes, record: Record) -> None:
    for kind, colour, marker in (("automaton", ORANGE, "s"), ("flow", BLUE, "o")):
        seconds = record.results["seconds"][kind]
        points = [
            (1000 * seconds[TIMED.get(key, key)], place)
            for place, key in enumerate(MEASURES)
            if TIMED.get(key, key) in seconds
        ]
        label = "a rule" if kind == "automaton" else "a flow"
        axes.plot(*np.reshape(points, (-1, 2)).T, marker, color=colour, markersize=6, label=label)
    axes.set_xscale("log")
    axes.set_yticks(range(len(MEASURES)), [])
    axes.set_ylim(len(MEASURES) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.axhline(STRUCTURE - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    axes.set_xlabel("CPU time (ms), median")
    axes.legend(loc="upper left")
    label_panel(axes, "d", "what it costs\n")


def correlations(record: Record, sampling: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return rank correlations by measure and published figure."""
    return {
        (row["measure"], row["figure"]): row
        for row in record.results["correlations"]
        if row["sampling"] == sampling
    }

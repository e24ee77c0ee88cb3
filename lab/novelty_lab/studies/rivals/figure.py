"""Learnable novelty beside its rivals: who ranks what high, and who falls for noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy.stats import rankdata

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, CLASS_COLOURS, CLASS_NAMES, label_panel, new_figure

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
    "lyapunov": "largest Lyapunov exp.",
    "entropy": "Pesin entropy",
    "kaplan_yorke": "Kaplan-Yorke dimension",
    "correlation": "correlation dimension",
    "multiscale": "multiscale entropy",
}
SAMPLINGS = {"period": "leads in periods", "fixed": "leads of 0.1 to 1"}
MARKERS = {
    "coins": ("*", "noise"),
    "white noise": ("*", "noise"),
    "red noise": ("P", "red noise"),
    "sine": ("D", "sine"),
    "constant": ("s", "constant"),
    "constant cells": ("s", "constant"),
}
CLASS_SIZES = {1: 14, 2: 14, 3: 22, 4: 34}
VECTORS = ("white noise", "red noise", "sine", "constant")
CONTROLS = [("cells", "coins"), *(("control", name) for name in VECTORS)]
"""Kind and name of the rows without structure, or with nothing else."""


def tables(record: Record) -> list[Table]:
    """List who is fooled by noise at what cost, and the correlations."""
    return [_noise_table(record), *_correlation_tables(record)]


def _noise_table(record: Record) -> Table:
    results = record.results
    values = {(row["kind"], row["name"]): row["values"] for row in results["rows"]}
    below, seconds = results["below_noise"], results["seconds"]
    shares = below["automaton"]["steps"], below["flow"]["period"], below["flow"]["fixed"]
    rows = [
        [
            name.strip(),
            *(_form("{:.3g}", values[control].get(key)) for control in CONTROLS),
            *(_form("{:.0%}", share.get(key)) for share in shares),
            *(_form("{:.3g}", seconds[kind].get(key)) for kind in ("automaton", "flow")),
        ]
        for key, name in MEASURES.items()
    ]
    columns = ["measure", "coins", *VECTORS]
    columns += ["moving rules below noise", "flows below noise (periods)", "(0.1 to 1)"]
    columns += ["CPU s, rule", "CPU s, flow"]
    return Table("Who is fooled by noise, and at what cost", columns, rows)


def _correlation_tables(record: Record) -> list[Table]:
    columns = ["measure", *FIGURES.values()]
    shown: list[Table] = []
    for sampling, leads in SAMPLINGS.items():
        own = [row for row in record.results["correlations"] if row["sampling"] == sampling]
        rho = {(row["measure"], row["figure"]): row for row in own}
        rows = [
            [name.strip(), *(_rho(rho.get((key, figure))) for figure in FIGURES)]
            for key, name in MEASURES.items()
        ]
        shown.append(Table(f"Rank correlation over the flows, {leads}", columns, rows))
    return shown


def _rho(correlation: dict[str, Any] | None) -> str:
    form = "{rho:+.2f} [{low:+.2f}, {high:+.2f}]"
    return "" if correlation is None else form.format(**correlation)


def _form(form: str, value: float | str | None) -> str:
    return "" if value is None else form.format(float(value))


def figure(record: Record) -> Figure:
    """Draw both rankings with noise in them."""
    fig = new_figure(11.0, 4.6)
    left, right = fig.subplots(1, 2)
    _automata(left, record)
    _flows(right, record)
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
        marker, label = MARKERS[name]
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

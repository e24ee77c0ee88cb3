"""What a code of images is worth beside its controls."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.intervals import half_interval
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure

MEASURES = {
    "linear": "linear probe",
    "neighbours": "5 nearest neighbours",
    "clusters": "k-means accuracy",
    "information": "k-means NMI",
}
TITLES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST", "digits": "digits"}


def tables(record: Record) -> list[Table]:
    """List all codes, one table per set of images."""
    shown: list[Table] = []
    for dataset, codes in record.results["table"].items():
        rows = [
            [_name(record, code), *(_cell(measured[m]) for m in MEASURES)]
            for code, measured in codes.items()
        ]
        title = f"{TITLES[dataset]}: test accuracy, mean ± 95% interval over seeds"
        shown.append(Table(title, ["code", *MEASURES.values()], rows))
    return shown


def _name(record: Record, code: str) -> str:
    if code in record.configuration["selected"]:
        return f"{code} (chosen)"
    unmoved = code in record.configuration.get("chosen_unmoved", ())
    return f"{code} (chosen unmoved)" if unmoved else code


def _cell(measured: dict[str, Any]) -> str:
    half = half_interval(measured)
    return f"{measured['mean']:.4f}" + (f" ± {half:.4f}" if half else "")


def figure(record: Record) -> Figure:
    """Draw both probes of every code, one row of panels per set of images."""
    datasets = list(record.results["table"])
    fig = new_figure(10, 0.6 + 2.5 * len(datasets))
    panels = fig.subplots(len(datasets), 2, squeeze=False)
    letters = iter("abcdefgh")
    for row, dataset in zip(panels, datasets, strict=True):
        for axes, measure in zip(row, ("linear", "neighbours"), strict=True):
            _draw(axes, record, record.results["table"][dataset], measure)
            label_panel(axes, next(letters), f"{TITLES[dataset]}, {MEASURES[measure]}")
        row[1].set_yticklabels([])
    handles = panels[0, 0].get_legend_handles_labels()
    fig.legend(*handles, loc="outside lower center", ncols=2, fontsize=8)
    return fig


def _draw(axes: Axes, record: Record, codes: dict[str, Any], measure: str) -> None:
    places = np.arange(len(codes))
    for place, (code, measured) in zip(places, codes.items(), strict=True):
        value, chosen = measured[measure], code in record.configuration["selected"]
        colour = BLUE if chosen else ORANGE if code == "paper" else GREY
        look = {"fmt": "o", "ms": 5, "color": colour, "capsize": 2}
        axes.errorbar(value["mean"], place, xerr=half_interval(value), **look)
    for code, style in (("pixels", ":"), ("PCA-64", "--")):
        if code in codes:
            level = codes[code][measure]["mean"]
            axes.axvline(level, color="0.6", ls=style, lw=0.8, zorder=0, label=code)
    axes.set(
        yticks=places,
        yticklabels=[_name(record, code) for code in codes],
        ylim=(len(codes) - 0.5, -0.5),
        xlabel="test accuracy (95% interval)",
    )

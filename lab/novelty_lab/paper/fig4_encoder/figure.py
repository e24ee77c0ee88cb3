"""The encoder: projections of its code, its score, and what probes recover, by checkpoint."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from novelty_lab.ledger.claims import claim
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, label_panel, new_figure

CLAIMS = {"linear": "mnist.linear", "neighbours": "mnist.knn"}
"""The paper's accuracies before and after training on MNIST."""
PROBES = {"linear": ("linear probe", BLUE, "o"), "neighbours": ("5 nearest", ORANGE, "s")}
SMALL = {"linear": "small_linear", "neighbours": "small_neighbours"}
"""The same from few codes, which are not standardized."""
DIGIT_COLOURS = ("#332288", "#E69F00", "#117733", "#CC3311", "#88CCEE",
                 "#882255", "#CC79A7", "#777777", "#BBBB33", "#009988")  # fmt: skip
"""Ten colours of unequal lightness (after Tol, and Okabe and Ito); panels also name the digits."""
CONTROLS = {"pixels": "raw pixels", "pca": "principal components"}


def tables(record: Record) -> list[Table]:
    """Set both probes beside the paper's, and list every checkpoint."""
    results, config = record.results, record.configuration
    many, few = f"{config['probe_train']:,} codes", f"{config['small_probe_train']:,} plain codes"
    rows = [(name, many, name) for name in PROBES] + [(n, few, SMALL[n]) for n in PROBES]
    beside = [
        [
            f"{PROBES[name][0]}, {fitted}",
            *(f"{value:.2f}" if config["dataset"] == "mnist" else "" for value in _paper(name)),
            _spread(results[key], 0),
            _spread(results[key], -1),
            *(f"{results['controls'][control][key]:.3f}" for control in CONTROLS),
        ]
        for name, fitted, key in rows
    ]
    path = [
        [str(step), _spread(results["bits"], place, 1)]
        + [_spread(results[m], place) for m in PROBES]
        for place, step in enumerate(results["steps"])
    ]
    columns = ["probe", "paper, untrained", "paper, trained", "ours, untrained", "ours, trained"]
    title = f"Accuracy beside figure 4 (mean ± sd of {len(record.arrays['scores'])} training seeds)"
    heads = ["step", "bits", "linear probe", "5 nearest"]
    return [
        Table(title, [*columns, *CONTROLS.values()], beside),
        Table("At the checkpoints, on held-out images", heads, path),
    ]


def figure(record: Record) -> Figure:
    """Draw the projections above, the score and the probes below."""
    steps = record.results["steps"]
    fig = new_figure(9.0, 5.2)
    grid = fig.add_gridspec(3, 1, height_ratios=[1.0, 0.06, 1.7])
    upper = grid[0].subgridspec(1, len(steps))
    lower = grid[2].subgridspec(1, 2, width_ratios=[1.0, 1.15])
    for column, step in enumerate(steps):
        axes = fig.add_subplot(upper[column])
        _projection(axes, record, column)
        label_panel(axes, "a" if column == 0 else "", f"step {step}")
    legend = fig.add_subplot(grid[1])
    legend.axis("off")
    _classes(legend, record)
    _score(fig.add_subplot(lower[0]), record)
    _accuracies(fig.add_subplot(lower[1]), record)
    return fig


def _projection(axes: Axes, record: Record, place: int) -> None:
    """Draw the codes of one checkpoint in the plane, coloured by a label they never met."""
    points = record.arrays["projection"][place]
    labels = record.arrays["projected_labels"]
    axes.scatter(*points.T, c=_colours()[labels], s=2.0, linewidths=0, rasterized=True)
    if place:  # before training the classes lie over each other
        for label in np.unique(labels):
            x, y = np.median(points[labels == label], axis=0)
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": "bold"}
            look["path_effects"] = [withStroke(linewidth=2.2, foreground="w")]
            axes.text(x, y, str(label), fontsize=9, **look)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set(linewidth=0.5, color="0.7")
    axes.set_box_aspect(1)


def _classes(axes: Axes, record: Record) -> None:
    colours = _colours()
    for label in np.unique(record.arrays["projected_labels"]):
        axes.scatter([], [], color=colours[label], s=16, label=str(label))
    axes.legend(loc="center", ncols=10, handletextpad=0.0, columnspacing=1.0, borderpad=0.0)


def _score(axes: Axes, record: Record) -> None:
    scores, results = record.arrays["scores"], record.results
    for seed, curve in enumerate(scores):
        first = seed == 0
        look: dict[str, Any] = {"alpha": 1.0 if first else 0.3, "linewidth": 1.2 if first else 0.7}
        axes.plot(curve, color=BLUE, label="batch of the step" if first else None, **look)
    for step in results["steps"]:
        axes.axvline(step, color=GREY, linestyle=":", linewidth=0.8)
    look = {"color": "black", "markerfacecolor": "white", "markersize": 5, "clip_on": False}
    bits = record.arrays["bits"][0]
    axes.plot(results["steps"], bits, "o", label="held-out images", zorder=5, **look)
    axes.set_ylim(bottom=0)
    axes.set(xlabel="training step", ylabel="raw bits of the code")
    axes.legend(loc="lower right", frameon=True, framealpha=1.0, edgecolor="none")
    label_panel(axes, "b", f"raw bits; dark: the seed of panel a, pale: {len(scores) - 1} more")


def _accuracies(axes: Axes, record: Record) -> None:
    results, config = record.results, record.configuration
    steps, of_paper = results["steps"], config["dataset"] == "mnist"
    for name, (label, colour, marker) in PROBES.items():
        for key, width, size in ((name, 1.5, 4), (SMALL[name], 0.8, 2.5)):
            look = {"color": colour, "marker": marker, "markersize": size, "linewidth": width}
            look |= {"capsize": 3.0, "label": label if key == name else None}
            axes.errorbar(steps, results[key]["mean"], yerr=results[key]["sd"], **look)
        if of_paper:
            look = {"color": colour, "markerfacecolor": "none", "markersize": 9}
            axes.plot([steps[0], steps[-1]], _paper(name), marker, **look)
        axes.axhline(results["controls"]["pixels"][name], color=colour, ls="--", linewidth=0.9)
    axes.axhline(results["chance"], color="0.3", linestyle=":", linewidth=1.0)
    few = f"thin: {config['small_probe_train']:,} plain codes"
    axes.plot([], [], ".-", color="0.3", linewidth=0.8, label=few)
    axes.plot([], [], "--", color="0.3", linewidth=0.9, label="raw pixels")
    axes.plot([], [], ":", color="0.3", linewidth=1.0, label="largest class")
    if of_paper:
        axes.plot([], [], "o", color="0.3", markerfacecolor="none", markersize=9, label="paper")
    axes.set(ylim=(0, 1.02), xlabel="training step", ylabel="accuracy")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 0.12), ncols=2)
    label_panel(axes, "c", f"labels recovered from {config['probe_train']:,} codes")


def _paper(probe: str) -> list[float]:
    return claim(CLAIMS[probe]).numbers


def _colours() -> np.ndarray:
    return np.array(DIGIT_COLOURS)


def _spread(values: dict[str, list[float]], place: int, digits: int = 3) -> str:
    return f"{values['mean'][place]:.{digits}f} ± {values['sd'][place]:.{digits}f}"

"""The encoder: projections of its code, its score, and what probes recover, by checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnable_novelty.records import Record
from learnable_novelty.report.base import Table
from learnable_novelty.report.style import BLUE, GREY, ORANGE, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLAIMS = {"linear": (0.53, 0.89), "neighbours": (0.66, 0.89)}
"""The paper's accuracies before and after training on MNIST."""
PROBES = {"linear": ("linear probe", BLUE, "o"), "neighbours": ("5 nearest", ORANGE, "s")}
CONTROLS = {"pixels": "raw pixels", "pca": "principal components"}


def tables(record: Record) -> list[Table]:
    """Set both probes beside the paper's, and list every checkpoint."""
    results, of_paper = record.results, record.configuration["dataset"] == "mnist"
    beside = [
        [
            PROBES[name][0],
            *(f"{value:.2f}" if of_paper else "" for value in CLAIMS[name]),
            _spread(results[name], 0),
            _spread(results[name], -1),
            *(f"{results['controls'][control][name]:.3f}" for control in CONTROLS),
        ]
        for name in PROBES
    ]
    path = [
        [str(step), _spread(results["bits"], place, 1)]
        + [_spread(results[m], place) for m in ("linear", "neighbours", "clusters", "information")]
        for place, step in enumerate(results["steps"])
    ]
    columns = ["probe", "paper, untrained", "paper, trained", "ours, untrained", "ours, trained"]
    seeds = len(record.arrays["scores"])
    return [
        Table(
            f"Accuracy beside figure 4 (mean ± sd of {seeds} training seeds)",
            [*columns, *CONTROLS.values()],
            beside,
        ),
        Table(
            "At the checkpoints, on held-out images",
            ["step", "bits", "linear probe", "5 nearest", "k-means accuracy", "k-means NMI"],
            path,
        ),
    ]


def figure(record: Record) -> Figure:
    """Draw the projections above, the score and the probes below."""
    steps = record.results["steps"]
    fig = new_figure(8.4, 4.9)
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
    axes.scatter(*points.T, c=_colours()[labels], s=1.2, linewidths=0, rasterized=True)
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
        axes.plot(
            curve,
            color=BLUE,
            alpha=1.0 if seed == 0 else 0.3,
            linewidth=1.2 if seed == 0 else 0.7,
            label="batch of the step" if seed == 0 else None,
        )
    for step in results["steps"]:
        axes.axvline(step, color=GREY, linestyle=":", linewidth=0.8)
    axes.plot(
        results["steps"],
        record.arrays["bits"][0],
        "o",
        color="black",
        markerfacecolor="white",
        markersize=5,
        label="held-out images",
        clip_on=False,
        zorder=5,
    )
    axes.set_ylim(bottom=0)
    axes.set(xlabel="training step", ylabel=r"learnable novelty $S^\phi$ (bits)")
    axes.legend(loc="lower right", frameon=True, framealpha=1.0, edgecolor="none")
    label_panel(axes, "b", f"score of {len(scores)} training seeds; dark: that of a")


def _accuracies(axes: Axes, record: Record) -> None:
    results = record.results
    steps = results["steps"]
    for name, (label, colour, marker) in PROBES.items():
        axes.errorbar(
            steps,
            results[name]["mean"],
            yerr=results[name]["sd"],
            color=colour,
            marker=marker,
            markersize=4,
            capsize=3.0,
            label=label,
        )
        if record.configuration["dataset"] == "mnist":
            ends, paper = [steps[0], steps[-1]], CLAIMS[name]
            axes.plot(ends, paper, marker, color=colour, markerfacecolor="none", markersize=8)
        pixels = results["controls"]["pixels"][name]
        axes.axhline(pixels, color=colour, linestyle="--", linewidth=0.9)
    axes.axhline(results["chance"], color="0.3", linestyle=":", linewidth=1.0)
    axes.set(ylim=(0, 1.02), xlabel="training step", ylabel="accuracy")
    axes.plot([], [], "--", color="0.3", linewidth=0.9, label="raw pixels")
    axes.plot([], [], ":", color="0.3", linewidth=1.0, label="largest class")
    if record.configuration["dataset"] == "mnist":
        axes.plot([], [], "o", color="0.3", markerfacecolor="none", markersize=8, label="paper")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 0.12), ncols=2)
    label_panel(axes, "c", "labels recovered from the code")


def _colours() -> np.ndarray:
    from matplotlib import colormaps

    return np.asarray(colormaps["tab10"].resampled(10)(range(10)))


def _spread(values: dict[str, list[float]], place: int, digits: int = 3) -> str:
    return f"{values['mean'][place]:.{digits}f} ± {values['sd'][place]:.{digits}f}"

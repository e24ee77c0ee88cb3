"""The picture of the start page: six kinds of data, and how much of their score is structure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from novelty_lab import records
from novelty_lab.style import BLUE, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = {
    "constant": "a constant",
    "noise": "pure noise",
    "identity": "a copy of the input",
    "identity + noise": "a copy in noise",
    "Lorenz": "the Lorenz flow",
    "rule 110": "rule 110",
}
"""Names in the floor record, and what the picture calls them."""
SKETCHES = ("constant", "noise", "identity", "identity + noise")
"""Data without a portrait in the records: a sketch says what they are."""
RULE = "rule 110"


def figure(root: Path) -> Figure:
    """Draw what the data look like above, and their raw and denoised bits below."""
    floor, flows, automata = (
        records.load(root / name / "paper-seed0") for name in ("floor", "flows", "eca")
    )
    fig = new_figure(8.0, 4.4)
    grid = fig.add_gridspec(2, len(SHOWN), height_ratios=[1.0, 2.2])
    for place, name in enumerate(SHOWN):
        axes = fig.add_subplot(grid[0, place])
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)
        axes.spines[:].set_color(GREY)
        axes.set_box_aspect(1)
        if name == RULE:
            axes.imshow(automata.arrays["inset_110"], cmap="binary", interpolation="nearest")
        elif name in SKETCHES:
            _sketch(axes, name)
        else:
            path = flows.arrays[f"portrait_{name}"]
            axes.plot(path[..., 0], path[..., -1], color=BLUE, linewidth=0.5)
    _bars(fig.add_subplot(grid[1, :]), floor.results["rows"])
    return fig


def _sketch(axes: Axes, name: str) -> None:
    """Draw targets against inputs."""
    random = np.random.default_rng(0)
    inputs, noise = random.standard_normal((2, 150))
    targets = {
        "constant": np.zeros(150),
        "noise": noise,
        "identity": inputs,
        "identity + noise": inputs + noise,
    }[name]
    axes.plot(inputs, targets, ".", color=BLUE, markersize=2)
    axes.set(xlim=(-3.2, 3.2), ylim=(-4.2, 4.2))


def _bars(axes: Axes, of_floor: list[dict[str, Any]]) -> None:
    """Draw the rows of the floor record at its largest number of samples."""
    size = max(row["n"] for row in of_floor)
    by_name = {row["name"]: row for row in of_floor if row["n"] == size}
    rows = [by_name[name] for name in SHOWN]
    x = np.arange(len(rows))
    raw = np.array([row["bits"] for row in rows])
    denoised = np.array([row["denoised_bits"] for row in rows])
    label = "denoised bits: without the part that noise explains"
    bars = (
        axes.bar(x - 0.19, raw, 0.36, color=GREY, label="raw bits: the paper's score"),
        axes.bar(x + 0.19, denoised, 0.36, color=BLUE, label=label),
    )
    for bar in bars:
        axes.bar_label(bar, fmt="{:.0f}", padding=2, fontsize=8)
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_ylim(0, 1.3 * float(raw.max()))
    axes.set_xticks(x, list(SHOWN.values()))
    axes.set_ylabel("bits")
    axes.legend(loc="upper left", ncols=2)
    axes.set_xlabel(f"each with {size:,} samples, read by the paper's observers")

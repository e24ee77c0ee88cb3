"""The picture of the start page: five kinds of data, and how much of their score is structure."""

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
    "stable node": "a decay to rest",
    "Lorenz": "the Lorenz flow",
    "rule 110": "rule 110",
}
"""Names in the floor record, and what the picture calls them."""
RULE = "rule 110"


def figure(root: Path) -> Figure:
    """Draw what the data look like above, and their bits as floor and excess below."""
    floor, flows, automata = (
        records.load(root / name / "paper-seed0") for name in ("floor", "flows", "eca")
    )
    portraits = {
        "Lorenz": flows.arrays["portrait_Lorenz"],
        "stable node": flows.arrays["portrait_stable node"],
        RULE: automata.arrays["inset_110"],
    }
    fig = new_figure(8.0, 4.4)
    grid = fig.add_gridspec(2, len(SHOWN), height_ratios=[1.0, 1.9])
    for place, name in enumerate(SHOWN):
        _portrait(fig.add_subplot(grid[0, place]), name, portraits.get(name))
    _bars(fig.add_subplot(grid[1, :]), floor.results["rows"])
    return fig


def _portrait(axes: Axes, name: str, path: np.ndarray | None) -> None:
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(GREY)
    axes.set_box_aspect(1)
    if path is not None and name == RULE:
        axes.imshow(path, cmap="binary", interpolation="nearest")
    elif path is not None:
        axes.plot(path[..., 0], path[..., -1], color=BLUE, linewidth=0.5)
    else:
        # Neither has anything to record: a sketch of what noise and a constant are.
        steps = np.random.default_rng(0).standard_normal(120) if name == "noise" else np.zeros(120)
        axes.plot(steps, color=BLUE, linewidth=0.7)
        axes.set_ylim(-3.2, 3.2)


def _bars(axes: Axes, of_floor: list[dict[str, Any]]) -> None:
    """Draw the rows of the floor record at its largest number of samples."""
    size = max(row["n"] for row in of_floor)
    by_name = {row["name"]: row for row in of_floor if row["n"] == size}
    rows = [by_name[name] for name in SHOWN]
    x = np.arange(len(rows))
    bits = np.array([row["bits"] for row in rows])
    floor = np.minimum(bits, [row["floor_bits"] for row in rows])
    axes.bar(x, floor, 0.5, color=GREY, label="floor: what noise of that size would score")
    axes.bar(x, bits - floor, 0.5, bottom=floor, color=BLUE, label="excess: learnable structure")
    for place, row in zip(x, rows, strict=True):
        excess = f"{row['excess_bits']:z.1f} ± {row['excess_se']:.1f} above the floor"
        axes.annotate(
            excess.replace("-", "\N{MINUS SIGN}"),
            (float(place), row["bits"]),
            (0, 3),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7.5,
        )
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_ylim(0, 1.3 * float(bits.max()))
    axes.set_xticks(x, list(SHOWN.values()))
    axes.set_ylabel("score (bits)")
    axes.legend(loc="upper right", ncols=2)
    axes.set_xlabel(f"each with {size:,} samples, read by the paper's observers")

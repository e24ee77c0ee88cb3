"""One look for all figures: colour-blind-safe, readable in print and in a talk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette.
BLACK, ORANGE, SKY, GREEN = "#222222", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
CLASS_COLOURS = {1: GREY, 2: SKY, 3: ORANGE, 4: RED}
CLASS_NAMES = {1: "I constant", 2: "II periodic", 3: "III chaotic", 4: "IV complex"}
FLOW_NAMES = {"Rossler": "Rössler"}
"""Where the name of a flow differs from that in the records."""
BITS = r"$S^\phi$ (bits)"
"""The score, as the label of an axis."""

SETTINGS: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "legend.fontsize": 8.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "lines.linewidth": 1.5,
}


@contextmanager
def in_style() -> Iterator[None]:
    """Draw with the settings above and leave the user's own alone."""
    import matplotlib as mpl
    from cycler import cycler

    with mpl.rc_context({**SETTINGS, "axes.prop_cycle": cycler(color=PALETTE)}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make a figure that no window owns, laid out without overlaps."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def label_panel(axes: Axes, letter: str, title: str) -> None:
    """Title a panel as the paper does: a bold letter and what it shows."""
    axes.set_title(rf"$\bf{{{letter}}}$  {title}", loc="left")


def label_row(part: Any, letter: str, title: str) -> None:
    """Title a row of panels, which is a part of the figure, in the same way."""
    part.suptitle(rf"$\bf{{{letter}}}$  {title}", fontsize=10, x=0.01, ha="left")


def draw_band(
    axes: Axes, x: Sequence[float] | np.ndarray, mean: np.ndarray, sd: np.ndarray, **look: Any
) -> None:
    """Shade one deviation around a curve."""
    axes.fill_between(x, mean - sd, mean + sd, linewidth=0, **look)


def draw_equal_line(axes: Axes, top: float) -> None:
    """Draw the diagonal on which both axes are equal."""
    axes.plot([0, top], [0, top], color="0.5", linestyle="--", linewidth=1)


def name_equal_line(axes: Axes, at: float, offset: tuple[float, float]) -> None:
    """Name the diagonal."""
    look = {"fontsize": 7, "color": "0.4", "va": "top"}
    axes.annotate("equal", (at, at), xytext=offset, textcoords="offset points", **look)


def list_down(axes: Axes, names: Sequence[str]) -> None:
    """Name rows down the vertical axis, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()

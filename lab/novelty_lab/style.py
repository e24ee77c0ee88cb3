"""One look for all figures: colour-blind-safe, readable in print and in a talk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette.
BLACK, ORANGE, SKY, GREEN = "#222222", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
CLASS_COLOURS = {1: GREY, 2: SKY, 3: ORANGE, 4: RED}
CLASS_NAMES = {1: "I constant", 2: "II periodic", 3: "III chaotic", 4: "IV complex"}

SETTINGS: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "legend.fontsize": 8.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "lines.linewidth": 1.5,
}


@contextmanager
def in_style() -> Iterator[None]:
    """Draw with the settings above and leave the user's own alone."""
    with mpl.rc_context(SETTINGS):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make a figure that no window owns, laid out without overlaps."""
    return Figure(figsize=(width, height), layout="constrained")


def label_panel(axes: Axes, letter: str, title: str) -> None:
    """Title a panel as the paper does: a bold letter and what it shows."""
    axes.set_title(rf"$\bf{{{letter}}}$  {title}", loc="left")

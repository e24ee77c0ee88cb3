"""Figure 1 with real numbers: surprise per item, its learnable part, and how bits grow."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BITS, BLACK, BLUE, GREEN, ORANGE, RED, label_panel, new_figure
from novelty_lab.tables import gathered, table

COLOURS = (BLUE, RED, BLACK)
GROWTH = {
    "directions": ("independent targets", GREEN),
    "copies": ("copies of one target", ORANGE),
    "scale": ("scale of one target", BLUE),
}


COLUMNS = {
    "stream": "{name}",
    "total surprise, bits": "{total_bits:.0f}",
    "surprise that stays, bits an item": "{floor_bits_per_item:.2f}",
    "noise alone, bits an item": "{noise_bits_per_item:.2f}",
    "learnable, bits": "{bits_above_floor:.0f} ± {bits_above_floor_se:.0f}",
}


def tables(record: Record) -> list[Table]:
    """List the learnable and the irreducible part of each stream."""
    rows = gathered(record.results["bits_above_floor"], record.results)
    return [table("What each stream cost to learn", COLUMNS, rows)]


def figure(record: Record) -> Figure:
    """Draw surprise per item with what stays of it, and the growth curves."""
    fig = new_figure(10.0, 3.5)
    stream, number, scale = fig.subplots(1, 3, width_ratios=[1.7, 1.0, 1.0])
    _streams(stream, record)
    label_panel(stream, "a", "surprise of a learner, item by item")
    _growth(number, record, "number of targets", ("directions", "copies"))
    label_panel(number, "b", "new and repeated directions")
    _growth(scale, record, "scale of the target", ("scale",))
    scale.set_xscale("log")
    label_panel(scale, "c", "scale")
    return fig


def _streams(axes: Axes, record: Record) -> None:
    stays = record.results["floor_bits_per_item"]
    learnable, errors = record.results["bits_above_floor"], record.results["bits_above_floor_se"]
    for colour, (name, rest) in zip(COLOURS, stays.items(), strict=True):
        curve = record.arrays[f"surprise {name}"]
        items = np.arange(1, curve.size + 1)
        bits = f"{learnable[name]:.0f} ± {errors[name]:.0f} bits learnable"
        axes.plot(items, _smooth(curve), color=colour, label=f"{name}: {bits}")
        axes.axhline(rest, color=colour, linewidth=0.8, linestyle="--")
        if colour == BLUE:
            above = np.maximum(_smooth(curve), rest)
            axes.fill_between(items, rest, above, color=BLUE, alpha=0.2, linewidth=0)
            axes.annotate("learnable", (2.2, rest + 1.0), color=BLUE, fontsize=8)
            look = {"color": BLUE, "fontsize": 8, "ha": "right", "va": "top"}
            offset = {"xytext": (0, -2), "textcoords": "offset points"}
            axes.annotate("surprise that stays", (items[-1], rest), **look, **offset)
    axes.set_xscale("log")
    top = max(float(np.max(curve)) for curve in record.arrays.values())
    axes.set(xlabel="item", ylabel="surprise (bits)", ylim=(-0.4, top * 1.3))
    axes.legend(loc="upper right")


def _smooth(curve: np.ndarray) -> np.ndarray:
    """Average neighbouring items over a tenth of their age, for the eye."""
    padded = np.concatenate([[0.0], np.cumsum(curve)])
    place = np.arange(curve.size)
    reach = place // 10
    low, high = place - reach, np.minimum(place + reach + 1, curve.size)
    return (padded[high] - padded[low]) / (high - low)


def _growth(axes: Axes, record: Record, label: str, names: tuple[str, ...]) -> None:
    for name in names:
        curve = record.results["growth"][name]
        text, colour = GROWTH[name]
        look = {"color": colour, "marker": "o", "markersize": 3.5, "capsize": 2}
        axes.errorbar(curve["values"], curve["mean"], yerr=curve["sd"], label=text, **look)
    axes.set(xlabel=label, ylabel=BITS)
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")

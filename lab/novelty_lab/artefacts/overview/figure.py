"""Figure 1 with real numbers: surprise per item, its learnable part, and how bits grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (BLUE, RED, BLACK)
GROWTH = {
    "directions": ("independent targets", GREEN),
    "copies": ("copies of one target", ORANGE),
    "scale": ("scale of one target", BLUE),
}


def tables(record: Record) -> list[Table]:
    """List the learnable and the irreducible part of each stream."""
    results = record.results
    rows = [
        [
            name,
            f"{results['total_bits'][name]:.0f}",
            f"{results['floor_bits_per_item'][name]:.2f}",
            f"{results['noise_bits_per_item'][name]:.2f}",
            f"{bits:.0f} ± {results['bits_above_floor_se'][name]:.0f}",
        ]
        for name, bits in results["bits_above_floor"].items()
    ]
    columns = [
        "stream",
        "total surprise, bits",
        "floor, bits an item",
        "noise alone, bits an item",
        "above the floor, bits",
    ]
    return [Table("What each stream cost to learn", columns, rows)]


def figure(record: Record) -> Figure:
    """Draw surprise per item with its floor, and the growth curves."""
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
    floors = record.results["floor_bits_per_item"]
    learnable, errors = record.results["bits_above_floor"], record.results["bits_above_floor_se"]
    for colour, (name, floor) in zip(COLOURS, floors.items(), strict=True):
        curve = record.arrays[f"surprise {name}"]
        items = np.arange(1, curve.size + 1)
        axes.plot(
            items,
            _smooth(curve),
            color=colour,
            label=f"{name}: {learnable[name]:.0f} ± {errors[name]:.0f} bits above its floor",
        )
        axes.axhline(floor, color=colour, linewidth=0.8, linestyle="--")
        if colour == BLUE:
            axes.fill_between(
                items, floor, np.maximum(_smooth(curve), floor), color=BLUE, alpha=0.2, linewidth=0
            )
            axes.annotate("learnable", (2.2, floor + 1.0), color=BLUE, fontsize=8)
            axes.annotate(
                "floor of this learner",
                (items[-1], floor),
                color=GREY,
                fontsize=7.5,
                ha="right",
                va="top",
                xytext=(0, -2),
                textcoords="offset points",
            )
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
        held = record.results["growth"][name]
        text, colour = GROWTH[name]
        axes.errorbar(
            held["values"],
            held["mean"],
            yerr=held["sd"],
            color=colour,
            marker="o",
            markersize=3.5,
            capsize=2,
            label=text,
        )
    axes.set(xlabel=label, ylabel=r"$S^\phi$ (bits)")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")

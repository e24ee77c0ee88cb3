"""The flows: bits per system, how Lorenz depends on its start, and phase portraits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import GREY, ORANGE, PALETTE, RED, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLAIMS: dict[str, tuple[float, float]] = {
    "Lorenz": (46.0, 46.0),
    "Rossler": (25.0, 25.0),
    "Thomas": (17.0, 17.0),
    "rotation": (6.9, 8.4),
    "damped spiral": (6.9, 8.4),
    "stable node": (6.9, 8.4),
}
"""The paper's numbers, as ranges."""
SHOWN_NAMES = {"Rossler": "Rössler"}


def tables(record: Record) -> list[Table]:
    """Set the scores beside the paper's, and list what the open choices do."""
    scores, results = record.scores or {}, record.results
    beside = Table(
        "Flows beside appendix F",
        ["flow", "paper, bits", "ours, bits", "sd of reservoirs", "sd of ensembles", "deviation"],
        [
            [
                _shown(name),
                _range(*CLAIMS[name]),
                f"{bits:.1f}",
                f"{results['sd'][name]:.1f}",
                f"{results['ensemble_sd'][name]:.1f}",
                f"{_deviation(bits, *CLAIMS[name]):+.1f}",
            ]
            for name, bits in scores.items()
        ],
    )
    starts = Table(
        "What the paper leaves open: where the chaotic flows start",
        ["flow", "initial sd", "settling time", "bits", "sd"],
        [
            [
                _shown(start["flow"]),
                f"{start['initial_sd']:g}",
                f"{start['settle_time']:g}",
                f"{start['bits']:.1f}",
                f"{start['sd']:.1f}",
            ]
            for start in results["starts"]
        ],
    )
    return [beside, starts]


def figure(record: Record) -> Figure:
    """Draw the scores, what the start does to them, and six phase portraits."""
    fig = new_figure(8.0, 4.9)
    grid = fig.add_gridspec(2, 1, height_ratios=[2.4, 1.0])
    upper = grid[0].subgridspec(1, 2, width_ratios=[1.2, 1.0])
    lower = grid[1].subgridspec(1, 6)
    _bars(fig.add_subplot(upper[0]), record)
    _starts(fig.add_subplot(upper[1]), record.results["starts"])
    for column, name in enumerate(record.scores or {}):
        axes = fig.add_subplot(lower[column])
        _portrait(axes, name, record.arrays[f"portrait_{name}"])
        label_panel(axes, "c" if column == 0 else "", _shown(name.split()[-1]))
    return fig


def _bars(axes: Axes, record: Record) -> None:
    scores, results = record.scores or {}, record.results
    colours = [RED if results["chaotic"][name] else GREY for name in scores]
    axes.bar(
        range(len(scores)),
        list(scores.values()),
        yerr=[results["sd"][name] for name in scores],
        color=colours,
        error_kw={"elinewidth": 1.0, "capsize": 3.0},
    )
    for place, name in enumerate(scores):
        low, high = CLAIMS[name]
        axes.fill_between(
            [place - 0.45, place + 0.45],
            low,
            high,
            facecolor="none",
            edgecolor="black",
            linewidth=1.5,
        )
    axes.set_xticks(range(len(scores)), [_shown(n).replace(" ", "\n") for n in scores])
    axes.set_ylabel(r"learnable novelty $S^\phi$ (bits)")
    handles = [axes.bar(0, 0, color=RED), axes.bar(0, 0, color=GREY)]
    handles += [axes.bar(0, 0, facecolor="none", edgecolor="black", linewidth=1.5)]
    axes.legend(handles, ["chaotic", "linear", "paper: a number, or a range"])
    label_panel(axes, "a", f"six flows, {record.configuration['draws']} reservoirs")


def _starts(axes: Axes, starts: list[dict[str, Any]]) -> None:
    """Draw bits by start: settled flows by time, Lorenz also by initial deviation."""
    ticks: list[str] = []
    for colour, name in zip(
        (RED, ORANGE, PALETTE[0]), ("Lorenz", "Rossler", "Thomas"), strict=True
    ):
        held = [start for start in starts if start["flow"] == name]
        held.sort(key=lambda start: (start["settle_time"], start["initial_sd"]))
        places = range(len(ticks), len(ticks) + len(held))
        axes.errorbar(
            places,
            [start["bits"] for start in held],
            yerr=[start["sd"] for start in held],
            marker="o",
            markersize=4,
            color=colour,
            capsize=3.0,
            label=_shown(name),
        )
        axes.hlines(CLAIMS[name][0], places[0], places[-1], color=colour, linestyle=":")
        ticks += [f"{start['initial_sd']:g}\n{start['settle_time']:g}" for start in held]
    axes.plot([], [], color="0.3", linestyle=":", label="paper")
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(
        "sd of the initial conditions (above)\nsettling time before the burn-in (below)"
    )
    axes.set_ylabel("bits")
    axes.legend(loc="upper right")
    label_panel(axes, "b", "what the paper leaves open")


def _portrait(axes: Axes, name: str, path: Any) -> None:
    """Draw two coordinates of each trajectory, and where it begins."""
    across, up = 0, 2 if name == "Lorenz" else 1
    for state in range(path.shape[1]):
        colour = PALETTE[state % len(PALETTE)]
        axes.plot(path[:, state, across], path[:, state, up], color=colour, linewidth=0.5)
        axes.plot(path[0, state, across], path[0, state, up], ".", color=colour, markersize=4)
    axes.set_xlabel("$x$", labelpad=0.0)
    axes.set_ylabel("$z$" if up == 2 else "$y$", labelpad=0.0)
    axes.locator_params(nbins=2)
    axes.tick_params(labelsize=7, pad=1)
    axes.set_box_aspect(1)


def _shown(name: str) -> str:
    return SHOWN_NAMES.get(name, name)


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def _deviation(bits: float, low: float, high: float) -> float:
    """Return how far bits lie outside the paper's range."""
    return bits - min(max(bits, low), high)

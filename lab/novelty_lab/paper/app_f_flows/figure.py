"""The flows: bits per system, how Lorenz depends on its start, and phase portraits."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.ledger.claims import claim
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import FLOW_NAMES, GREY, ORANGE, PALETTE, RED, label_panel, new_figure
from novelty_lab.tables import gathered, table

CLAIMS = {"Lorenz": "flows.lorenz", "Rossler": "flows.rossler", "Thomas": "flows.thomas"}
"""Claims about single flows; the others share one."""
OUTLINE: dict[str, Any] = {"facecolor": "none", "edgecolor": "black", "linewidth": 1.5}
BESIDE = {
    "flow": "{shown}",
    "paper, bits": "{paper}",
    "ours, bits": "{bits:.1f}",
    "sd of reservoirs": "{sd:.1f}",
    "sd of ensembles": "{ensemble_sd:.1f}",
    "deviation": "{deviation:+.1f}",
}
STARTS = {
    "flow": "{shown}",
    "initial sd": "{initial_sd:g}",
    "settling time": "{settle_time:g}",
    "bits": "{bits:.1f}",
    "sd": "{sd:.1f}",
}


def _published(name: str) -> tuple[float, float]:
    """Return the ends of the paper's range, which are equal where it gives a number."""
    numbers = claim(CLAIMS.get(name, "flows.linear")).numbers
    return numbers[0], numbers[-1]


def tables(record: Record) -> list[Table]:
    """Set the scores beside the paper's, and list the effect of what the paper leaves open."""
    scores = record.scores or {}
    rows = gathered(scores, {**record.results, "bits": scores})
    for row in rows:
        low, high = _published(row["name"])
        row |= {
            "shown": _shown(row["name"]),
            "paper": f"{low:g}" if low == high else f"{low:g}-{high:g}",
            "deviation": row["bits"] - min(max(row["bits"], low), high),
        }
    starts = [{**start, "shown": _shown(start["flow"])} for start in record.results["starts"]]
    return [
        table("Flows beside appendix F", BESIDE, rows),
        table("What the paper leaves open: where the chaotic flows start", STARTS, starts),
    ]


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
    sd = [results["sd"][name] for name in scores]
    look = {"color": colours, "error_kw": {"elinewidth": 1.0, "capsize": 3.0}}
    axes.bar(range(len(scores)), list(scores.values()), yerr=sd, **look)
    for place, name in enumerate(scores):
        axes.fill_between([place - 0.45, place + 0.45], *_published(name), **OUTLINE)
    axes.set_xticks(range(len(scores)), [_shown(n).replace(" ", "\n") for n in scores])
    axes.set_ylabel(r"learnable novelty $S^\phi$ (bits)")
    handles = [axes.bar(0, 0, color=RED), axes.bar(0, 0, color=GREY)]
    handles += [axes.bar(0, 0, **OUTLINE)]
    axes.legend(handles, ["chaotic", "linear", "paper: a number, or a range"])
    label_panel(axes, "a", f"six flows, {record.configuration['draws']} reservoirs")


def _starts(axes: Axes, starts: list[dict[str, Any]]) -> None:
    """Draw bits by start: settled flows by time, Lorenz also by initial deviation."""
    ticks: list[str] = []
    for colour, name in zip((RED, ORANGE, PALETTE[0]), CLAIMS, strict=True):
        group = [start for start in starts if start["flow"] == name]
        group.sort(key=lambda start: (start["settle_time"], start["initial_sd"]))
        places = range(len(ticks), len(ticks) + len(group))
        bits, sd = ([start[key] for start in group] for key in ("bits", "sd"))
        look = {"marker": "o", "markersize": 4, "capsize": 3.0}
        axes.errorbar(places, bits, yerr=sd, color=colour, label=_shown(name), **look)
        axes.hlines(_published(name)[0], places[0], places[-1], color=colour, linestyle=":")
        ticks += [f"{start['initial_sd']:g}\n{start['settle_time']:g}" for start in group]
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
    return FLOW_NAMES.get(name, name)

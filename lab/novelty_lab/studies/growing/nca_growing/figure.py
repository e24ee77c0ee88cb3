"""An automaton against an observer that grows: scores, judges, what travels, pictures."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.intervals import half_interval
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import (
    BITS,
    BLUE,
    GREY,
    ORANGE,
    RED,
    draw_band,
    label_panel,
    label_row,
    new_figure,
)

COLOURS = {"frozen": GREY, "large": ORANGE, "growing": BLUE}
NAMES = {"frozen": "the paper's observer", "large": "large from the start", "growing": "growing"}
SMOOTH = 20
"""Steps that a drawn training curve is averaged over."""
TRAVELLING = "travelling"
NOT_JUDGES = ("own", TRAVELLING, "seconds")
"""What is compared beside the bits of judges."""
CYCLE = "twilight"
"""A cyclic map: the state of a site is a direction in the plane."""


def tables(record: Record) -> list[Table]:
    """List the arms at the end, the growing one against the others, and its phases."""
    summaries = record.results["summary"]
    keys = list(next(iter(next(iter(summaries.values()))["ends"].values())))
    ends = [
        [update, NAMES[arm], *(_spread(end[key], 2 if key == TRAVELLING else 1) for key in keys)]
        for update, summary in summaries.items()
        for arm, end in summary["ends"].items()
    ]
    differences = [
        [
            update,
            NAMES[arm],
            *(interval(against[key], 2 if key == TRAVELLING else 1) for key in keys),
        ]
        for update, summary in summaries.items()
        for arm, against in summary.get("differences", {}).items()
    ]
    judges = [key for key in keys if key not in NOT_JUDGES[1:]]
    phases = [
        [update, name, *_phase_cells(phase, judges)]
        for update, summary in summaries.items()
        for name, phase in summary.get("phases", {}).items()
    ]
    heads = ["phase", "observers (runs)", "then grew", "steps"]
    shown = [Table("At the end: bits by judge, mean ± sd over seeds", ["", "arm", *keys], ends)]
    if differences:
        title = "The growing arm less the others: by seed, mean ± 95% interval"
        shown.append(Table(title, ["", "less", *keys], differences))
    if phases:
        title = "Phases of the growing arm: bits gained in each, mean ± 95% interval"
        shown.append(Table(title, ["", *heads, *judges], phases))
    return shown


def _phase_cells(phase: dict[str, Any], keys: list[str]) -> list[str]:
    sizes = Counter(phase["sizes"]).most_common()
    return [
        "; ".join(f"{size} ({runs})" for size, runs in sizes),
        f"{phase['stalled']} of {len(phase['steps'])}",
        f"{min(phase['steps'])} to {max(phase['steps'])}",
        *(interval(phase["gained"][key]) for key in keys),
    ]


def interval(measured: dict[str, Any], digits: int = 1) -> str:
    """Write a mean with half its 95% interval, if there is one."""
    half = f" ± {half_interval(measured):.{digits}f}" if measured["runs"] > 1 else ""
    return f"{measured['mean']:+.{digits}f}{half}"


def _spread(values: list[float], digits: int) -> str:
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) < 2 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def figure(record: Record) -> Figure:
    """Draw curves, judges, gains, what travels, and space-time before and after growth."""
    summaries = record.results["summary"]
    rows = len(summaries)
    fig = new_figure(12.0, 5.0 + 2.3 * rows)
    heights = [5.0] + [2.3] * rows
    top, *pictures = np.asarray(fig.subfigures(1 + rows, 1, height_ratios=heights))
    panels = top.subplots(2, rows + 2, squeeze=False)
    first = [
        *((f"{update}: training", partial(_draw_curves, record, update)) for update in summaries),
        *(
            (f"{update}: growing, end", partial(_draw_differences, summary))
            for update, summary in summaries.items()
        ),
    ]
    second = [
        *((f"{update}: one judge", partial(_draw_judge, record, update)) for update in summaries),
        ("gain by phase", partial(_draw_gains, summaries)),
        ("solitons at the end", partial(_draw_travelling, summaries)),
    ]
    letters = iter("abcdefghijkl")
    for row, shown in zip(panels, (first, second), strict=True):
        for axes, (title, draw) in zip(row, shown, strict=False):
            draw(axes)
            label_panel(axes, next(letters), title)
        for axes in row[len(shown) :]:
            axes.set_axis_off()
    for part, update in zip(pictures, summaries, strict=True):
        _draw_pictures(part, record, update, next(letters))
    return fig


def runs_of(record: Record, update: str, arm: str) -> dict[str, dict[str, Any]]:
    """Return the runs of an update and an arm, by name."""
    runs = record.results["runs"].items()
    return {name: run for name, run in runs if (run["update"], run["arm"]) == (update, arm)}


def _draw_curves(record: Record, update: str, axes: Axes) -> None:
    grown: list[float] = []
    for arm, colour in COLOURS.items():
        for number, (name, run) in enumerate(runs_of(record, update, arm).items()):
            key = name.replace(" ", "-")
            curve, compute = (record.arrays[f"{part}/{key}"] for part in ("curve", "compute"))
            label = NAMES[arm] if number == 0 else None
            for phase in run["phases"]:
                inside = (compute >= phase["begin"] - 0.5) & (compute < phase["end"] - 1e-3)
                smooth = _smoothed(curve[inside])
                x = np.linspace(phase["begin"], phase["end"], len(smooth))
                axes.plot(x, smooth, color=colour, linewidth=0.8, label=label)
                label = None
            grown += [phase["end"] for phase in run["phases"] if phase["tried"]]
    axes.set(xlabel="compute (steps of the frozen arm)", ylabel=f"own {BITS}")
    low, high = axes.get_ylim()
    room = 0.4 * (high - low)  # for the legend
    above = [high + 0.1 * room] * len(grown)
    axes.plot(grown, above, "v", color=COLOURS["growing"], markersize=4, label="it grows here")
    axes.set_ylim(low - room, high + 0.2 * room)
    axes.legend(fontsize=7, loc="lower right")


def _smoothed(curve: np.ndarray) -> np.ndarray:
    width = min(SMOOTH, len(curve))
    return np.convolve(curve.astype(np.float64), np.full(width, 1 / width), "valid")


def _draw_judge(record: Record, update: str, axes: Axes) -> None:
    """Draw the mean over seeds of the bits that the largest judge gives."""
    grid = np.linspace(0, record.configuration["nca"]["steps"], 60)
    for arm, colour in COLOURS.items():
        lines = []
        for run in runs_of(record, update, arm).values():
            judge = list(run["judged"][0])[-1]
            points = [(one["compute"], one[judge]) for one in run["judged"]]
            lines.append(np.interp(grid, *np.transpose(points)))
            axes.set_ylabel(f"{BITS} by {judge}")
        if lines:
            mean, sd = np.mean(lines, axis=0), np.std(lines, axis=0)
            axes.plot(grid, mean, color=colour)
            draw_band(axes, grid, mean, sd, color=colour, alpha=0.15)
    axes.set_xlabel("compute (steps of the frozen arm)")


def _draw_differences(summary: dict[str, Any], axes: Axes) -> None:
    """Draw how the growing arm differs at the end, by judge, with 95% intervals."""
    axes.axhline(0, color="0.6", linewidth=1)
    for place, (arm, against) in enumerate(summary.get("differences", {}).items()):
        judges = [key for key in against if key not in NOT_JUDGES]
        means = [against[key]["mean"] for key in judges]
        halves = [half_interval(against[key]) for key in judges]
        x = np.arange(len(judges)) + 0.16 * place
        look: dict[str, Any] = {"color": COLOURS[arm], "markersize": 4, "fmt": "o"}
        axes.errorbar(x, means, halves, label=f"less {NAMES[arm]}", **look)
        axes.set_xticks(range(len(judges)), judges, rotation=45, fontsize=7)
    axes.set(xlabel="judge (channels x layers)", ylabel="difference (bits)")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.3 * (high - low))  # room for the legend
    axes.legend(fontsize=7, loc="upper left")


def _draw_gains(summaries: dict[str, Any], axes: Axes) -> None:
    """Draw what the score gained within each phase, under its own observer and the last judge."""
    axes.axhline(0, color="0.6", linewidth=1)
    for colour, (update, summary) in zip((BLUE, RED), summaries.items(), strict=False):
        phases = summary.get("phases", {})
        keys = ("own", list(phases["0"]["gained"])[-1]) if phases else ()
        for place, (key, marker) in enumerate(zip(keys, "os", strict=False)):
            gained = [phase["gained"][key] for phase in phases.values()]
            means, halves = [one["mean"] for one in gained], [half_interval(g) for g in gained]
            words = "own observer" if key == "own" else f"judge {key}"
            look: dict[str, Any] = {"color": colour, "fmt": marker, "markersize": 4}
            x = np.arange(len(means)) + 0.12 * place + 0.24 * (colour == RED)
            axes.errorbar(x, means, halves, label=f"{update}, {words}", **look)
        axes.set_xticks(range(len(phases)), list(phases))
    axes.set(xlabel="phase (0: before the first growth)", ylabel="gained in it (bits)")
    axes.legend(fontsize=7)


def _draw_travelling(summaries: dict[str, Any], axes: Axes) -> None:
    """Draw the share that travels at the end, one point a seed."""
    for place, summary in enumerate(summaries.values()):
        for shift, (arm, ends) in enumerate(summary["ends"].items()):
            x = [4 * place + shift] * len(ends["travelling"])
            axes.plot(x, ends["travelling"], "o", color=COLOURS[arm], markersize=4, alpha=0.7)
    axes.set_xticks([4 * place + 1 for place in range(len(summaries))], list(summaries))
    axes.set_ylabel("share of variance that travels")


def _draw_pictures(part: Any, record: Record, update: str, letter: str) -> None:
    """Show the first seed: the growing arm at the start and after each phase, then the controls."""
    shown: list[tuple[str, np.ndarray]] = []
    for arm in ("growing", "frozen", "large"):
        for name, run in list(runs_of(record, update, arm).items())[:1]:
            pictures = record.arrays[f"pictures/{name.replace(' ', '-')}"]
            if arm != "growing":
                shown.append((_caption(f"{NAMES[arm]}: end", run, -1), pictures[-1]))
                continue
            for number, picture in enumerate(pictures):
                shown.append((_caption(_when(run, number), run, number), picture))
    panels = part.subplots(1, len(shown), squeeze=False)[0]
    for axes, (words, picture) in zip(panels, shown, strict=True):
        look: dict[str, Any] = {"vmin": 0, "vmax": 256}  # a direction has one colour everywhere
        axes.imshow(picture, cmap=CYCLE, aspect="auto", interpolation="nearest", **look)
        axes.set(xticks=[], yticks=[])
        axes.set_title(words, fontsize=7)
    panels[0].set_ylabel("time ↓", fontsize=8)
    label_row(part, letter, f"{update}, first seed: space-time of the fixed rule, and what travels")


def _when(run: dict[str, Any], number: int) -> str:
    """Say after which phase of the growing arm a picture was taken."""
    if number == 0:
        return "untrained"
    phase = run["phases"][number - 1]
    words = "annealed" if phase["annealed"] else f"after phase {number - 1}"
    return f"{words}, {phase['channels']}x{phase['depth']}{' focused' * phase['focused']}"


def _caption(words: str, run: dict[str, Any], number: int) -> str:
    return f"{words}\ntravelling {100 * run['solitons'][number]['travelling']:.0f}%"

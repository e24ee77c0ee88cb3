"""Figure 3 and appendix G: snapshots, curves, all final rules, wider lattices, what travels."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.ledger.claims import claim
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import (
    BITS,
    BLUE,
    GREY,
    ORANGE,
    PALETTE,
    draw_band,
    label_panel,
    label_row,
    new_figure,
)
from novelty_lab.tables import named, table

COLOURS = {"residual": BLUE, "direct": ORANGE}
FEWEST_COLUMNS = 6
MOST_SNAPSHOTS = 6
SUMMARY = {
    "update": "{name}",
    "final bits": "{low:.1f} to {high:.1f}, mean {final_mean:.1f} ± {final_sd:.1f}",
    "seeds whose travelling share rises": "{seeds_that_travel_more} of {seeds}",
    "seeds with more crossings": "{seeds_with_more_crossings} of {seeds}",
}
CYCLE = "twilight"
"""A cyclic map: the state of a site is a direction in the plane."""


def tables(record: Record) -> list[Table]:
    """List the runs and a summary by update rule, and the paper's claims beside ours."""
    columns = ["run", "bits", "judged", "fixed rule", "travelling", "left", "crossings (chance)"]
    rows = [[name, *_cells(run)] for name, run in record.results["runs"].items()]
    return [
        Table("Neural automata: from the first step to the last", columns, rows),
        table("All seeds", SUMMARY, map(_summary, named(record.results["summary"]))),
    ]


def _cells(run: dict[str, Any]) -> list[str]:
    start, end = run["solitons"]["start"], run["solitons"]["end"]
    travelling, remaining, crossings = (
        (np.mean(start[key]), np.mean(end[key])) for key in ("travelling", "remaining", "crossings")
    )
    return [
        f"{run['start']:.0f} → {run['final']:.1f}",
        f"{run['judged'][0]:.0f} → {run['judged'][1]:.1f} ± {run['judged_sd'][1]:.1f}",
        f"{run['fixed_rule']:.1f}",
        "{:.2f} → {:.2f}".format(*travelling),
        "{:.2f} → {:.2f}".format(*remaining),
        "{:.0f} → {:.0f} ({:.0f})".format(*crossings, np.mean(end["chance_crossings"])),
    ]


def _summary(update: dict[str, Any]) -> dict[str, Any]:
    low, high = update["final_range"]
    return {**update, "low": low, "high": high}


def figure(record: Record) -> Figure:
    """Draw snapshots, curves, the grid of final rules, and a wide lattice."""
    updates = record.configuration["updates"]
    seeds = record.configuration["seeds"]
    shown = seeds[: record.configuration["shown"]]
    heights = [0.3 + 1.0 * len(shown), 2.2, 0.3 + 1.25 * len(updates), 1.3]
    fig = new_figure(8.4, sum(heights))
    subfigures: Any = fig.subfigures(4, 1, height_ratios=heights)
    _draw_snapshots(subfigures[0], record, updates[0], shown)
    panels = subfigures[1].subplots(1, 3)
    _draw_curves(panels[0], record, updates[0], shown)
    _draw_bands(panels[1], record)
    _draw_travelling(panels[2], record)
    _draw_grid(subfigures[2], record, updates, seeds)
    _draw_wide(subfigures[3], record, updates, shown[0])
    return fig


def _show(axes: Axes, field: np.ndarray, kind: str = "nearest") -> None:
    # A shrunk picture is averaged in colours: directions would jump at the end of the cycle, and
    # every n-th site alone would show patterns that are not there.
    look: dict[str, Any] = {"interpolation": kind, "interpolation_stage": "rgba"}
    axes.imshow(field, cmap=CYCLE, vmin=0, vmax=255, aspect="auto", **look)
    axes.set(xticks=[], yticks=[])


def _draw_snapshots(part: Any, record: Record, update: str, shown: list[int]) -> None:
    steps = record.results["checkpoints"]
    places = np.unique(np.linspace(0, len(steps) - 1, MOST_SNAPSHOTS).round().astype(int))
    panels = part.subplots(len(shown), len(places), squeeze=False)
    for row, seed in zip(panels, shown, strict=True):
        fields = record.arrays[f"pictures/{update}-seed-{seed}"]
        for axes, place in zip(row, places, strict=True):
            _show(axes, fields[place])
            if seed == shown[0]:
                axes.set_title(f"step {steps[place]}", fontsize=8)
        row[0].set_ylabel(f"seed {seed}\ntime ↓", fontsize=8)
    title = f"The fixed rule from a random state, {update} update"
    label_row(part, "a", f"{title} (colour: direction of the state, space →)")


def _draw_curves(axes: Axes, record: Record, update: str, shown: list[int]) -> None:
    for seed, colour in zip(shown, PALETTE, strict=False):
        curve = record.arrays[f"curve/{update}-seed-{seed}"]
        axes.plot(np.arange(len(curve)), curve, color=colour, lw=1, label=f"seed {seed}")
    axes.set(xlabel="training step", ylabel=BITS, ylim=(0, None))
    axes.legend(loc="lower right")
    label_panel(axes, "b", f"single seeds, {update}")


def _draw_bands(axes: Axes, record: Record) -> None:
    for update in record.configuration["updates"]:
        names = [f"curve/{update}-seed-{seed}" for seed in record.configuration["seeds"]]
        curves = np.stack([record.arrays[name] for name in names])
        mean, sd = curves.mean(0), curves.std(0, ddof=1 if len(curves) > 1 else 0)
        steps, colour = np.arange(len(mean)), COLOURS[update]
        axes.plot(steps, mean, color=colour, label=f"{update} (n = {len(curves)})")
        draw_band(axes, steps, mean, sd, color=colour, alpha=0.25)
    if record.config == "paper":
        look = {"color": GREY, "alpha": 0.35, "lw": 0, "label": "paper's final range"}
        axes.axhspan(*claim("nca.final").numbers, **look)
    axes.set(xlabel="training step", ylabel=BITS, ylim=(0, None))
    axes.legend(loc="lower right")
    label_panel(axes, "c", "mean ± sd over seeds")


def _draw_travelling(axes: Axes, record: Record) -> None:
    for place, update in enumerate(record.configuration["updates"]):
        for number, seed in enumerate(record.configuration["seeds"]):
            solitons = record.results["runs"][f"{update} seed {seed}"]["solitons"]
            ends = [
                np.mean(np.multiply(solitons[when]["travelling"], solitons[when]["remaining"]))
                for when in ("start", "end")
            ]
            offset, label = 0.06 * (place - 0.5), update if number == 0 else None
            look = {"color": COLOURS[update], "lw": 0.8, "ms": 3, "label": label}
            axes.plot([offset, 1 + offset], ends, "o-", **look)
    axes.set(xlim=(-0.25, 1.25), ylim=(0, None), ylabel="share on moving lines")
    axes.set_xticks([0, 1], ["step 0", "last step"])
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, -0.12))
    label_panel(axes, "d", "variance that travels")


def _draw_grid(part: Any, record: Record, updates: list[str], seeds: list[int]) -> None:
    # Few seeds keep the shape of a lattice in time instead of filling the page.
    panels = part.subplots(len(updates), max(len(seeds), FEWEST_COLUMNS), squeeze=False)
    for axes in panels[:, len(seeds) :].flat:
        axes.axis("off")
    for row, update in zip(panels, updates, strict=True):
        for axes, seed in zip(row[: len(seeds)], seeds, strict=True):
            run = record.results["runs"][f"{update} seed {seed}"]
            _show(axes, record.arrays[f"picture/{update}-seed-{seed}"])
            axes.set_title(f"seed {seed}\n{run['final']:.1f} bits", fontsize=8)
        row[0].set_ylabel(f"{update}\ntime ↓", fontsize=8)
    label_row(part, "e", "Final rules of all seeds")


def _draw_wide(part: Any, record: Record, updates: list[str], seed: int) -> None:
    widths = record.configuration["wide"]
    ratios = [width**0.5 for width in widths] * len(updates)
    panels = part.subplots(1, len(ratios), width_ratios=ratios, squeeze=False)[0]
    shown = [(update, width) for update in updates for width in widths]
    for axes, (update, width) in zip(panels, shown, strict=True):
        _show(axes, record.arrays[f"wide-{width}/{update}-seed-{seed}"], "antialiased")
        axes.set_xlabel(f"{width} sites, {update}", fontsize=8)
    panels[0].set_ylabel("time ↓", fontsize=8)
    trained = record.configuration["width"]
    label_row(part, "f", f"Trained on {trained} sites, run on wider lattices; seed {seed}")

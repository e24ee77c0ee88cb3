"""Figure 3 and appendix G: snapshots, curves, all final rules, wider lattices, what travels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, ORANGE, PALETTE, label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"residual": BLUE, "direct": ORANGE}
FEWEST_COLUMNS = 6
CYCLE = "twilight"
"""A cyclic map: the state of a site is a direction in the plane."""


def tables(record: Record) -> list[Table]:
    """List the runs, and the claims beside what came back."""
    columns = ["run", "bits", "judged", "fixed rule", "travelling", "left", "crossings (chance)"]
    rows = [[name, *_cells(run)] for name, run in record.results["runs"].items()]
    shown = [Table("Neural automata: from the first step to the last", columns, rows)]
    if record.config == "paper":
        shown.append(Table("Claims", ["claim", "paper", "ours"], _claims(record)))
    return shown


def _cells(run: dict[str, Any]) -> list[str]:
    start, end = run["solitons"]["start"], run["solitons"]["end"]
    mean = {key: (np.mean(start[key]), np.mean(end[key])) for key in ("travelling", "remaining")}
    crossings = np.mean(start["crossings"]), np.mean(end["crossings"])
    return [
        f"{run['start']:.0f} → {run['final']:.1f}",
        f"{run['judged'][0]:.0f} → {run['judged'][1]:.1f} ± {run['judged_sd'][1]:.1f}",
        f"{run['fixed_rule']:.1f}",
        "{:.2f} → {:.2f}".format(*mean["travelling"]),
        "{:.2f} → {:.2f}".format(*mean["remaining"]),
        "{:.0f} → {:.0f} ({:.0f})".format(*crossings, np.mean(end["chance_crossings"])),
    ]


def _claims(record: Record) -> list[list[str]]:
    summary = record.results["summary"]
    rows: list[list[str]] = []
    for update, found in summary.items():
        low, high = found["final_range"]
        paper = "86 to 89 (three seeds)" if update == "residual" else "the same band"
        band = f"{low:.1f} to {high:.1f}, mean {found['final_mean']:.1f} ± {found['final_sd']:.1f}"
        rows.append([f"final bits, {update}", paper, band])
    for update, found in summary.items():
        count = f"{found['seeds_that_travel_more']} of {found['seeds']}"
        rows.append([f"seeds whose travelling share rises, {update}", "every seed", count])
    for update, found in summary.items():
        count = f"{found['seeds_with_more_crossings']} of {found['seeds']}"
        rows.append([f"seeds with more crossings, {update}", "every seed", count])
    return rows


def figure(record: Record) -> Figure:
    """Draw snapshots, curves, the grid of final rules, and a wide lattice."""
    updates = record.configuration["updates"]
    seeds = record.configuration["seeds"]
    shown = seeds[: record.configuration["shown"]]
    fig = new_figure(11.5, 3.4 + 1.5 * len(shown) + 2.2 * len(updates) + 1.9)
    heights = [1.5 * len(shown), 3.0, 2.2 * len(updates), 1.9]
    parts: Any = fig.subfigures(4, 1, height_ratios=heights)
    _draw_snapshots(parts[0], record, updates[0], shown)
    panels = parts[1].subplots(1, 3)
    _draw_curves(panels[0], record, updates[0], shown)
    _draw_bands(panels[1], record)
    _draw_travelling(panels[2], record)
    _draw_grid(parts[2], record, updates, seeds)
    _draw_wide(parts[3], record, updates, shown[0])
    return fig


def _show(axes: Axes, field: np.ndarray) -> None:
    axes.imshow(field, cmap=CYCLE, vmin=0, vmax=255, interpolation="nearest", aspect="auto")
    axes.set(xticks=[], yticks=[])


def _draw_snapshots(part: Any, record: Record, update: str, shown: list[int]) -> None:
    steps = record.results["checkpoints"]
    panels = part.subplots(len(shown), len(steps), squeeze=False)
    for row, seed in zip(panels, shown, strict=True):
        fields = record.arrays[f"pictures/{update}-seed-{seed}"]
        for axes, field, step in zip(row, fields, steps, strict=True):
            _show(axes, field)
            if seed == shown[0]:
                axes.set_title(f"step {step}" if step == 0 else f"{step}", fontsize=8)
        row[0].set_ylabel(f"seed {seed}\ntime ↓", fontsize=8)
    part.suptitle(
        rf"$\bf{{a}}$  The fixed rule from a random state, {update} update "
        f"(colour: direction of the state, space →)",
        fontsize=10,
        x=0.01,
        ha="left",
    )


def _draw_curves(axes: Axes, record: Record, update: str, shown: list[int]) -> None:
    for seed, colour in zip(shown, PALETTE, strict=False):
        curve = record.arrays[f"curve/{update}-seed-{seed}"]
        axes.plot(np.arange(len(curve)), curve, color=colour, lw=1, label=f"seed {seed}")
    axes.set(xlabel="training step", ylabel=r"$S^\phi$ (bits)", ylim=(0, None))
    axes.legend(loc="lower right")
    label_panel(axes, "b", f"single seeds, {update}")


def _draw_bands(axes: Axes, record: Record) -> None:
    for update in record.configuration["updates"]:
        curves = np.stack(
            [record.arrays[f"curve/{update}-seed-{seed}"] for seed in record.configuration["seeds"]]
        )
        mean, sd = curves.mean(0), curves.std(0, ddof=1 if len(curves) > 1 else 0)
        steps, colour = np.arange(len(mean)), COLOURS[update]
        axes.plot(steps, mean, color=colour, label=f"{update} (n = {len(curves)})")
        axes.fill_between(steps, mean - sd, mean + sd, color=colour, alpha=0.25, lw=0)
    if record.config == "paper":
        axes.axhspan(86, 89, color=GREY, alpha=0.35, lw=0, label="paper's final range")
    axes.set(xlabel="training step", ylabel=r"$S^\phi$ (bits)", ylim=(0, None))
    axes.legend(loc="lower right")
    label_panel(axes, "c", "mean ± sd over seeds")


def _draw_travelling(axes: Axes, record: Record) -> None:
    for place, update in enumerate(record.configuration["updates"]):
        for number, seed in enumerate(record.configuration["seeds"]):
            found = record.results["runs"][f"{update} seed {seed}"]["solitons"]
            ends = [
                np.mean(np.multiply(found[w]["travelling"], found[w]["remaining"]))
                for w in ("start", "end")
            ]
            label = update if number == 0 else None
            offset = 0.06 * (place - 0.5)
            axes.plot(
                [offset, 1 + offset], ends, "o-", color=COLOURS[update], lw=0.8, ms=3, label=label
            )
    axes.set(
        xticks=[0, 1],
        xticklabels=["step 0", "last step"],
        xlim=(-0.25, 1.25),
        ylim=(0, None),
        ylabel="share on straight moving lines",
    )
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, -0.12))
    label_panel(axes, "d", "variance that travels, all seeds")


def _draw_grid(part: Any, record: Record, updates: list[str], seeds: list[int]) -> None:
    # Few seeds keep the shape of a lattice in time instead of filling the page.
    panels = part.subplots(len(updates), max(len(seeds), FEWEST_COLUMNS), squeeze=False)
    for axes in panels[:, len(seeds) :].flat:
        axes.axis("off")
    for row, update in zip(panels, updates, strict=True):
        for axes, seed in zip(row[: len(seeds)], seeds, strict=True):
            run = record.results["runs"][f"{update} seed {seed}"]
            _show(axes, record.arrays[f"picture/{update}-seed-{seed}"])
            axes.set_title(f"{run['final']:.1f} bits", fontsize=8)
            axes.set_xlabel(f"seed {seed}", fontsize=7)
        row[0].set_ylabel(f"{update}\ntime ↓", fontsize=8)
    part.suptitle(r"$\bf{e}$  Final rules of all seeds", fontsize=10, x=0.01, ha="left")


def _draw_wide(part: Any, record: Record, updates: list[str], seed: int) -> None:
    widths = record.configuration["wide"]
    ratios = [width**0.5 for width in widths] * len(updates)
    panels = part.subplots(1, len(ratios), width_ratios=ratios, squeeze=False)[0]
    shown = [(update, width) for update in updates for width in widths]
    for axes, (update, width) in zip(panels, shown, strict=True):
        _show(axes, record.arrays[f"wide-{width}/{update}-seed-{seed}"])
        axes.set_xlabel(f"{width} sites, {update}, seed {seed}", fontsize=8)
    panels[0].set_ylabel("time ↓", fontsize=8)
    trained = record.configuration["width"]
    part.suptitle(
        rf"$\bf{{f}}$  Trained on {trained} sites, run on wider lattices",
        fontsize=10,
        x=0.01,
        ha="left",
    )

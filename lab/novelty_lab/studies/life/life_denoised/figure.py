"""Denoised bits of life-like automata: areas under the curve, and denoised against raw bits."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.life.life_map.pictures import GROUPS
from novelty_lab.style import BLUE, GREY, RED, label_panel, new_figure
from novelty_lab.systems import LifeRule
from novelty_lab.tables import table

LABELS = {
    "bits": "raw bits",
    "excess": "excess bits",
    "denoised": "denoised bits",
    "directions": "directions",
}
COLUMNS = {
    "rule": "{rule}",
    "raw": "{bits:.1f}",
    "excess": "{excess:.1f}",
    "denoised": "{denoised:.1f}",
    "directions": "{directions:.1f}",
}
GLIDERS = {True: "yes", False: "no", None: "?"}


def tables(record: Record) -> list[Table]:
    """List areas, the named rules, and the rules of most denoised bits."""
    results = record.results
    ranked = sorted(results["named"], key=lambda row: -row["denoised"])
    named = {"name": "{name}", "gliders": lambda row: GLIDERS[row["gliders"]], **COLUMNS}
    top = {"name": lambda row: row["name"] or "", **COLUMNS}
    return [
        _areas(record),
        table("Rules with a name: bits, mean over draws", named, ranked),
        table(f"Most denoised bits of {results['rules']} rules", top, results["top"]),
    ]


def _areas(record: Record) -> Table:
    results = record.results
    rows: list[list[str]] = []
    for name, groups in results["areas"].items():
        by_group = [groups.get(group) for group in GROUPS]
        areas = [
            "-" if a is None else "{area:.2f} ({low:.2f} to {high:.2f})".format(**a)
            for a in by_group
        ]
        same, rank = results["agreement"][name], results["correlations"][name]
        repeat = "-" if same is None else f"{same:.2f}"
        rows.append([LABELS[name], *areas, repeat, f"{rank:.2f}", str(results["zero"][name])])
    columns = ["measure", *(f"against {label}" for _, label in GROUPS.values())]
    columns += ["draws agree", "rank correlation with denoised", "rules at 0"]
    title = "Known to support gliders: area under the ROC curve (95%), 0.5 is chance"
    return Table(title, columns, rows)


def figure(record: Record) -> Figure:
    """Draw the areas, and denoised bits against raw bits and excess."""
    fig = new_figure(12.0, 3.8)
    first, *others = fig.subplots(1, 3)
    _draw_areas(first, record)
    for axes, name, letter in zip(others, ("bits", "excess"), "bc", strict=True):
        _against(axes, record, name)
        label_panel(axes, letter, f"{record.results['rules']:,} rules")
    return fig


def _draw_areas(axes: Axes, record: Record) -> None:
    areas = record.results["areas"]
    for shift, (group, (colour, label)) in zip((-0.2, 0.0, 0.2), GROUPS.items(), strict=True):
        points = [
            (y + shift, areas[name][group]) for y, name in enumerate(areas) if group in areas[name]
        ]
        for y, area in points:
            axes.plot([area["low"], area["high"]], [y, y], color=colour, linewidth=1.2)
        axes.plot([a["area"] for _, a in points], [y for y, _ in points], "o", color=colour,
                  markersize=4, label=f"against {label}")  # fmt: skip
    axes.axvline(0.5, color="0.5", linewidth=0.8)
    axes.set_yticks(range(len(areas)), [LABELS[name] for name in areas])
    axes.invert_yaxis()
    axes.set_xlabel("area under the ROC curve, 95%")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.16))
    label_panel(axes, "a", "finding the rules with gliders")


def _against(axes: Axes, record: Record, name: str) -> None:
    place = {int(code): i for i, code in enumerate(record.arrays["codes"])}
    x, y = record.arrays[name], record.arrays["denoised"]
    axes.plot(x, y, ".", color=GREY, markersize=1.5, label="all rules")
    for gliders, colour, label in ((False, BLUE, "other named"), (True, RED, "with gliders")):
        codes = [
            LifeRule(row["rule"]).number
            for row in record.results["named"]
            if bool(row["gliders"]) == gliders
        ]
        here = np.array([place[code] for code in codes], dtype=int)
        axes.plot(x[here], y[here], "o", color=colour, markersize=3, label=label)
    top = float(max(x.max(), y.max()))
    axes.plot([0, top], [0, top], color="0.5", linewidth=0.8)
    axes.set(xlabel=LABELS[name], ylabel="denoised bits")
    axes.legend(loc="upper left")

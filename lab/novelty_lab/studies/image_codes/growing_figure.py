"""Codes against frozen and growing observers: the jury's excess, and what probes read."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, list_down, new_figure


def tables(record: Record) -> list[Table]:
    """List candidates as jury and probes judged them, and those of the chosen observer by seed."""
    results = record.results
    rows = [
        [
            f"{name} (chosen)" if name == results["chosen"] else name,
            *(f"{bits:.1f}" for bits in _excess(results, one).values()),
            f"{results['mean_rank'][name]:.2f}",
            _growths(one),
            f"{one['linear']:.4f}",
            f"{one['neighbours']:.4f}",
            f"{one['seconds']:.0f}",
        ]
        for name, one in results["candidates"].items()
    ]
    more = ["mean rank", "growths", "linear", "5-NN", "seconds"]
    seeds = [
        [name, *(f"{of[key]['mean']:.4f} ± {of[key]['sd']:.4f}" for key in of)]
        for name, of in results["probes"].items()
    ]
    judges = _excess(results, next(iter(results["candidates"].values())))
    return [
        Table("Excess bits by jury, without labels; probes", ["", *judges, *more], rows),
        *_choices(results),
        Table("Probes over seeds, mean ± sd", ["", "linear", "5-NN"], seeds),
    ]


def _excess(results: dict[str, Any], one: dict[str, Any]) -> dict[str, float]:
    """Return the excess bits of a code by how the judged images were changed, mean of the jurors.

    Older records have one change, and are listed by juror.
    """
    if "excess_by_change" not in one:
        return dict(zip(results["jurors"], one["excess"], strict=True))
    return {f"images {name}": float(np.mean(of)) for name, of in one["excess_by_change"].items()}


def _choices(results: dict[str, Any]) -> list[Table]:
    """List what juries choose that see images changed in one way each; older records have one."""
    read = ("linear", "neighbours")
    rows = [
        [f"images {change}", name, *(f"{results['candidates'][name][key]:.4f}" for key in read)]
        for change, name in results.get("chosen_by_change", {}).items()
    ]
    columns = ["the jury sees", "and chooses", "linear", "5-NN"]
    return [Table("What each jury chooses", columns, rows)] if rows else []


def _growths(run: dict[str, Any]) -> str:
    """List what each growth kept; "stayed" where nothing shortened the description."""
    kept = [phase["grew"] for phase in run["phases"] if phase["grew"]]
    return ", ".join("stayed" if kind == "frozen" else kind for kind in kept) or "none"


def figure(record: Record) -> Figure:
    """Draw mean excess and probes of all candidates."""
    results = record.results
    names = list(results["candidates"])
    colours = [BLUE if name == results["chosen"] else GREY for name in names]
    fig = new_figure(10.0, 1.2 + 0.4 * len(names))
    measures = {
        "excess, mean of jurors": [
            float(np.mean(one["excess"])) for one in results["candidates"].values()
        ],
        "linear probe": [one["linear"] for one in results["candidates"].values()],
        "five neighbours": [one["neighbours"] for one in results["candidates"].values()],
    }
    for letter, axes, (title, values) in zip(
        "abc", fig.subplots(1, 3, sharey=True), measures.items(), strict=True
    ):
        # Points, not bars: the axis does not begin at 0.
        axes.scatter(values, range(len(names)), color=colours, s=60)
        spread = max(max(values) - min(values), 1e-3)
        axes.set_xlim(min(values) - 0.2 * spread, max(values) + 0.2 * spread)
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.set_xlabel("bits (blue: chosen)" if letter == "a" else "test accuracy")
        label_panel(axes, letter, title)
        if letter == "a":
            list_down(axes, names)
    return fig

"""Codes of changed images and of all changes side by side: the jury's excess, and the probes."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, GREY, label_panel, list_down, new_figure

PROBES = {"linear": "linear probe", "neighbours": "five neighbours"}


def tables(record: Record) -> list[Table]:
    """List candidates as the jury judged them, and what probes read over the seeds."""
    results = record.results
    rows = [
        [
            f"{name} (chosen)" if name == results["chosen"] else name,
            f"{np.mean(one['excess']):.1f}",
            f"{results['mean_rank'][name]:.1f}",
            *(_mean_sd(results["probes"][name][key]) for key in PROBES),
            f"{one['seconds']:.0f}",
        ]
        for name, one in results["candidates"].items()
    ]
    seeds = 1 + len(results["more"])
    title = f"{record.configuration['dataset']}: codes, judged without labels; {seeds} seeds"
    return [Table(title, ["code", "excess bits", "mean rank", *PROBES.values(), "seconds"], rows)]


def _mean_sd(of: dict[str, float]) -> str:
    return f"{of['mean']:.4f}" + (f" ± {of['sd']:.4f}" if of["sd"] else "")


def figure(record: Record) -> Figure:
    """Draw mean excess and probes of all candidates."""
    results = record.results
    candidates = results["candidates"]
    colours = [BLUE if name == results["chosen"] else GREY for name in candidates]
    fig = new_figure(10.0, 1.2 + 0.3 * len(candidates))
    measures = {"excess, mean of jurors": [np.mean(one["excess"]) for one in candidates.values()]}
    measures |= {title: [one[key] for one in candidates.values()] for key, title in PROBES.items()}
    panels = fig.subplots(1, 3, sharey=True)
    for letter, axes, (title, values) in zip("abc", panels, measures.items(), strict=True):
        axes.scatter(values, range(len(values)), color=colours, s=60)
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        axes.margins(x=0.2)
        axes.set_xlabel("bits (blue: chosen)" if letter == "a" else "test accuracy")
        label_panel(axes, letter, title)
    list_down(panels[0], list(candidates))
    return fig

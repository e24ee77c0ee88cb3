"""The ridge readout against the exact minimizer, along the training of the neural automaton."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import draw_equal_line, name_equal_line, new_figure

MARKERS = "os^Dv<>ph"


def tables(record: Record) -> list[Table]:
    """List what appendix D reports, and both readouts by checkpoint."""
    r = record.results
    rows = [
        ["Pearson correlation", _number(r["pearson"], 3)],
        ["exact not below ridge", f"{r['pairs_exact_not_below']} of {r['pairs']}"],
        ["offset on the plateau (bits)", _spread(r["offset"], r["offset_sd"])],
        ["ridge on the plateau (bits)", _number(r["plateau_ridge"], 1)],
    ]
    columns = [f"seed {number}: ridge, exact" for number in r["seeds"]]
    steps = [
        [
            str(step),
            *(f"{a[k]:.1f}, {b[k]:.1f}" for a, b in zip(r["ridge"], r["exact"], strict=True)),
            f"{r['offset_by_checkpoint'][k]:.1f}",
        ]
        for k, step in enumerate(r["checkpoints"])
    ]
    states = f"{record.configuration['samples']:,} states"
    return [
        Table("Both readouts", ["quantity", states], rows),
        Table("Bits along the training", ["step", *columns, "mean offset"], steps),
    ]


def figure(record: Record) -> Figure:
    """Draw exact against ridge bits: a marker per seed, a colour per training step."""
    r = record.results
    fig = new_figure(4.4, 3.6)
    axes = fig.subplots()
    top = 1.05 * max(map(max, r["ridge"]))
    draw_equal_line(axes, top)
    dots = _draw(axes, r, r["seeds"], r["checkpoints"])
    fig.colorbar(dots, ax=axes, label="training step")
    name_equal_line(axes, 0.3 * top, (6, -4))
    axes.set(
        xlabel=r"ridge readout $S^\phi$ (bits)",
        ylabel=r"exact minimizer $S^\phi_{\mathrm{MDL}}$ (bits)",
    )
    axes.legend(loc="lower right")
    return fig


def _draw(axes: Axes, result: dict[str, Any], seeds: list[int], steps: list[int]) -> Any:
    dots = None
    for place, number in enumerate(seeds):
        ridge, exact = result["ridge"][place], result["exact"][place]
        errors = {"xerr": result["ridge_sd"][place], "yerr": result["exact_sd"][place]}
        look = {"fmt": "none", "ecolor": "0.6", "elinewidth": 0.8, "zorder": 1}
        axes.errorbar(ridge, exact, **errors, **look)
        marker = MARKERS[place % len(MARKERS)]
        dots = axes.scatter(
            ridge, exact, c=steps, marker=marker, s=28, edgecolors="0.2", linewidths=0.5, zorder=2
        )
        axes.scatter([], [], marker=marker, color="0.4", label=f"seed {number}")
    return dots


def _spread(value: float | None, spread: float | None) -> str:
    return _number(value, 1) + (f" ± {spread:.1f}" if spread else "")


def _number(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"

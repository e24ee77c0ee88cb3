"""The ridge readout against the exact minimizer, along the training of the neural automaton."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import draw_equal_line, label_panel, name_equal_line, new_figure

MARKERS = "os^Dv<>ph"


def tables(record: Record) -> list[Table]:
    """List both readouts by number of states and by checkpoint, and appendix D beside ours."""
    r = record.results
    settings = _by_states(record)
    quantities = {
        "Pearson correlation": lambda s: _number(s["pearson"], 3),
        "exact not below ridge": "{0[pairs_exact_not_below]} of {0[pairs]}".format,
        "offset on the plateau (bits)": lambda s: _spread(s["offset"], s["offset_sd"]),
        "ridge on the plateau (bits)": lambda s: _number(s["plateau_ridge"], 1),
    }
    rows = [[name, *map(text, settings.values())] for name, text in quantities.items()]
    columns = [f"seed {number}: ridge, exact" for number in r["seeds"]]
    steps = [
        [
            str(step),
            *(f"{a[k]:.1f}, {b[k]:.1f}" for a, b in zip(r["ridge"], r["exact"], strict=True)),
            f"{r['offset_by_checkpoint'][k]:.1f}",
        ]
        for k, step in enumerate(r["checkpoints"])
    ]
    return [
        Table("By number of states", ["quantity", *(f"{n} states" for n in settings)], rows),
        Table("Bits along the training", ["step", *columns, "mean offset"], steps),
    ]


def _by_states(record: Record) -> dict[Any, dict[str, Any]]:
    """Return the results by the number of states, that of the configuration first."""
    return {record.configuration["samples"]: record.results, **record.results["fewer"]}


def figure(record: Record) -> Figure:
    """Draw exact against ridge bits: a marker per seed, a colour per training step.

    One panel per number of states, which decides how far the readouts are apart.
    """
    r, settings = record.results, _by_states(record)
    fig = new_figure(1.0 + 3.4 * len(settings), 3.6)
    panels = fig.subplots(1, len(settings), squeeze=False, sharex=True, sharey=True)[0]
    top = 1.05 * max(max(map(max, result["ridge"])) for result in settings.values())
    for letter, axes, (samples, result) in zip("abcdefgh", panels, settings.items(), strict=False):
        draw_equal_line(axes, top)
        dots = _draw(axes, result, r["seeds"], r["checkpoints"])
        label_panel(axes, letter, f"{samples} states")
        axes.set(xlabel=r"ridge readout $S^\phi$ (bits)")
        if axes is panels[-1]:
            fig.colorbar(dots, ax=list(panels), label="training step")
    name_equal_line(panels[0], 0.3 * top, (6, -4))
    panels[0].set(ylabel=r"exact minimizer $S^\phi_{\mathrm{MDL}}$ (bits)")
    panels[0].legend(loc="lower right")
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

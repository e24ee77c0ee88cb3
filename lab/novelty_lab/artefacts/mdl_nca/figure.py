"""The ridge readout against the exact minimizer, along the training of the neural automaton."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import label_panel, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "os^Dv<>ph"


def tables(record: Record) -> list[Table]:
    """List the claims of appendix D beside ours, and the bits at every checkpoint."""
    r = record.results
    settings = {record.configuration["samples"]: r, **r["fewer"]}
    rows = [
        ["Pearson correlation", "0.996", *(_number(s["pearson"], 3) for s in settings.values())],
        [
            "exact not below ridge",
            "99 of 99",
            *(f"{s['pairs_exact_not_below']} of {s['pairs']}" for s in settings.values()),
        ],
        [
            "offset on the plateau (bits)",
            "35",
            *(_spread(s["offset"], s["offset_sd"]) for s in settings.values()),
        ],
        [
            "ridge on the plateau (bits)",
            "",
            *(_number(s["plateau_ridge"], 1) for s in settings.values()),
        ],
    ]
    names = [f"ours, {samples} states" for samples in settings]
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
        Table("Appendix D, neural automaton, beside ours", ["quantity", "paper", *names], rows),
        Table("Bits along the training", ["step", *columns, "mean offset"], steps),
    ]


def figure(record: Record) -> Figure:
    """Draw exact against ridge bits: a marker per seed, a colour per training step.

    One panel per number of states, which decides how far the readouts are apart.
    """
    r = record.results
    settings = {record.configuration["samples"]: r, **r["fewer"]}
    fig = new_figure(1.0 + 3.4 * len(settings), 3.6)
    panels = fig.subplots(1, len(settings), squeeze=False, sharex=True, sharey=True)[0]
    top = 1.05 * max(max(map(max, result["ridge"])) for result in settings.values())
    for letter, axes, (samples, result) in zip("abcdefgh", panels, settings.items(), strict=False):
        axes.plot([0, top], [0, top], color="0.5", linestyle="--", linewidth=1)
        dots = _draw(axes, result, r["seeds"], r["checkpoints"])
        label_panel(axes, letter, f"{samples} states")
        axes.set(xlabel=r"ridge readout $S^\phi$ (bits)")
        if axes is panels[-1]:
            fig.colorbar(dots, ax=list(panels), label="training step")
    panels[0].annotate(
        "equal",
        (0.3 * top, 0.3 * top),
        xytext=(6, -4),
        textcoords="offset points",
        fontsize=7,
        color="0.4",
        va="top",
    )
    panels[0].set(ylabel=r"exact minimizer $S^\phi_{\mathrm{MDL}}$ (bits)")
    panels[0].legend(loc="lower right")
    return fig


def _draw(axes: Axes, result: dict[str, Any], seeds: list[int], steps: list[int]) -> Any:
    dots = None
    for place, number in enumerate(seeds):
        ridge, exact = result["ridge"][place], result["exact"][place]
        axes.errorbar(
            ridge,
            exact,
            xerr=result["ridge_sd"][place],
            yerr=result["exact_sd"][place],
            fmt="none",
            ecolor="0.6",
            elinewidth=0.8,
            zorder=1,
        )
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

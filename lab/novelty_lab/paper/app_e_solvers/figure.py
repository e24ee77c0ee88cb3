"""The solvers: error against n/lambda on five kinds of features, and cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY, label_panel, new_figure

COLOURS = (ORANGE, RED, BLUE, SKY, GREEN, BLACK, PURPLE)
STYLES = ("-", "-", "-", "-", "-", "--", ":")
FLOOR = 1e-17
"""Where an error of exactly zero is drawn."""
ERROR_SHOWN_AT = (1e3, 1e5, 1e8)


def tables(record: Record) -> list[Table]:
    """List the largest errors, the limit of the online form, and the times."""
    config, results = record.configuration, record.results
    ratios, tolerance = config["ratios"], config["tolerance"]
    shown = [c for c, ratio in enumerate(ratios) if 1e3 <= ratio <= 2e6]
    errors, online_limits = results["online_error"], results["online_limit"]
    limits = Table(
        "Online: largest error over all cases and streams, relative to the score or to one bit",
        ["form", *(f"{ratios[c]:.0e}" for c in shown), f"n/lambda for {tolerance:g}"],
        [
            [form, *(_error(errors[form][c]) for c in shown), f"{limit['ratio']:.1e}"]
            for form, limit in online_limits.items()
        ],
    )
    batch = f"Median time from features to bits, ms, {config['threads']} thread(s)"
    online = f"Median time of an online evaluation, ms, m = {config['width']}"
    shapes = [", ".join(map(str, shape)) for shape in config["shapes"]]
    return [
        _error_table("score", record.arrays["score_error"], record),
        _error_table("readout W", record.arrays["readout_error"], record),
        limits,
        _time_table(batch, "n, m, D", shapes, results["milliseconds"], 2),
        _time_table(online, "D", config["target_dims"], results["online_ms"], 3),
    ]


def _error_table(quantity: str, errors: np.ndarray, record: Record) -> Table:
    ratios = record.configuration["ratios"]
    columns = [int(np.argmin(np.abs(np.log(np.divide(ratios, at))))) for at in ERROR_SHOWN_AT]
    rows = [
        [name, *(_worst(errors[:, row, c]) for c in columns)]
        for row, name in enumerate(record.results["solvers"][: errors.shape[1]])
    ]
    heads = ["solver", *(f"n/lambda = {ratios[c]:.0e}" for c in columns)]
    return Table(f"Largest relative error of the {quantity}, over all cases", heads, rows)


def _time_table(
    title: str, head: str, labels: list[Any], rows: list[dict[str, float]], digits: int
) -> Table:
    """List times in milliseconds, a column for each solver and a dash where it was not timed."""
    names = list(dict.fromkeys(name for times in rows for name in times))
    cells = [
        [str(label), *(f"{times[name]:.{digits}f}" if name in times else "-" for name in names)]
        for label, times in zip(labels, rows, strict=True)
    ]
    return Table(title, [head, *names], cells)


def figure(record: Record) -> Figure:
    """Draw the error of the score per case, of the readout in one, and the times."""
    fig = new_figure(9.0, 6.2)
    axes = fig.subplots(2, 3)
    cases = record.results["cases"]
    picked = [name for name in ("random", "Lorenz", "orbit", "rest") if name in cases]
    panels = (axes[0, 0], axes[0, 1], axes[0, 2], axes[1, 0])
    for letter, panel, name in zip("abcd", panels, picked, strict=True):
        _errors(panel, record, record.arrays["score_error"][list(cases).index(name)])
        panel.set_ylabel("relative error of the score")
        label_panel(panel, letter, cases[name])
    row = list(cases).index("orbit")
    _errors(axes[1, 1], record, record.arrays["readout_error"][row])
    axes[1, 1].set_ylabel("relative error of $W$")
    label_panel(axes[1, 1], "e", "the readout, case c")
    _times(axes[1, 2], record)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=4)
    return fig


def _errors(axes: Axes, record: Record, errors: np.ndarray) -> None:
    ratios = record.configuration["ratios"]
    for row, values in enumerate(errors):
        look = {"color": COLOURS[row], "label": record.results["solvers"][row]}
        axes.plot(ratios, np.maximum(values, FLOOR), STYLES[row], **look)
    axes.axhline(record.configuration["tolerance"], color="0.6", linewidth=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel=r"$n/\lambda$", ylim=(FLOOR, 10.0))


def _times(axes: Axes, record: Record) -> None:
    """Draw the time of each batch solver, shapes side by side."""
    shapes, times = record.configuration["shapes"], record.results["milliseconds"]
    solvers = record.results["solvers"]
    for place, by_solver in enumerate(times):
        for name, value in by_solver.items():
            row = solvers.index(name)
            axes.bar(place + 0.16 * (row - 2), value, 0.16, color=COLOURS[row])
    axes.set(yscale="log", ylabel=f"time (ms, {record.configuration['threads']} thread)")
    axes.set_xticks(range(len(shapes)), [f"n {n}\nm {m}\nD {d}" for n, m, d in shapes])
    label_panel(axes, "f", "time from features to bits")


def _worst(errors: np.ndarray) -> str:
    return _error(None if np.isnan(errors).any() else float(errors.max()))


def _error(error: float | None) -> str:
    return "no answer" if error is None else f"{error:.0e}"

"""The score along one trajectory: accumulation, bits per pair, and online against batch."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import FLOW_NAMES, PALETTE, label_panel, new_figure
from novelty_lab.tables import gathered, table

COLUMNS = {
    "flow": "{flow}",
    "bits at the end": "{bits:.1f} ± {sd:.1f}",
    "pairs to half of it": "{half_pairs}",
    "smallest increment, bits": "{smallest_increment:.1g}",
    "increments below 0": "{negative_share:.0%}",
    "largest |online - batch|, bits": "{batch_difference:.0e}",
}


def tables(record: Record) -> list[Table]:
    """List the final score of each flow, its increments, and the error of the recursion."""
    config, scores = record.configuration, record.scores or {}
    rows = gathered(scores, {**record.results, "bits": scores})
    for row in rows:
        row["flow"] = FLOW_NAMES.get(row["name"], row["name"])
    title = (
        f"Along one trajectory: {config['pairs']} pairs, every {config['interval']:g} time units, "
        f"window {config['window']}"
    )
    return [table(title, COLUMNS, rows)]


def figure(record: Record) -> Figure:
    """Draw the cumulative score, its growth per pair, and the two observers' difference."""
    fig = new_figure(8.0, 3.9)
    grid = fig.add_gridspec(2, 2, width_ratios=[1.5, 1.0])
    main = fig.add_subplot(grid[:, 0])
    rate = fig.add_subplot(grid[0, 1])
    difference = fig.add_subplot(grid[1, 1], sharex=rate)
    _cumulative(main, record)
    counts = record.results["checkpoints"]
    for row, colour in enumerate(PALETTE[: len(record.scores or {})]):
        rate.step(counts[1:], record.arrays["rate"][row], where="pre", color=colour)
        difference.plot(counts, record.arrays["difference"][row], ".-", color=colour, linewidth=0.8)
    rate.set(xscale="log", ylabel=r"mean increment $\xi_t$ (bits)")
    rate.set_yscale("symlog", linthresh=1e-3)
    rate.axhline(0.0, color="0.6", linewidth=0.8)
    rate.tick_params(labelbottom=False)
    label_panel(rate, "b", "bits per pair, between checkpoints")
    difference.set(xscale="log", yscale="log", xlabel="pairs seen", ylabel="|difference| (bits)")
    label_panel(difference, "c", "online against batch")
    return fig


def _cumulative(axes: Axes, record: Record) -> None:
    """Draw mean and range over reservoirs, online as lines and batch as circles."""
    curves, counts = record.arrays["cumulative"], record.results["checkpoints"]
    pairs = np.arange(1, curves.shape[2] + 1)
    for row, name in enumerate(record.scores or {}):
        colour = PALETTE[row]
        axes.fill_between(
            pairs, curves[row].min(0), curves[row].max(0), color=colour, alpha=0.2, linewidth=0
        )
        style = "-" if record.results["chaotic"][name] else "--"
        label = FLOW_NAMES.get(name, name)
        axes.plot(pairs, curves[row].mean(0), style, color=colour, label=label)
        batch = record.arrays["batch"][row].mean(0)
        axes.plot(counts, batch, "o", color=colour, markersize=4, fillstyle="none")
    axes.plot([], [], "o", color="0.3", markersize=4, fillstyle="none", label="batch score")
    axes.set(xscale="log", xlim=(2, None), ylim=(0, None), xlabel="pairs seen")
    axes.set_ylabel(r"cumulative score $S^\phi_t$ (bits)")
    axes.legend(loc="upper left")
    draws = record.configuration["draws"]
    label_panel(axes, "a", f"one trajectory each, {draws} reservoirs")

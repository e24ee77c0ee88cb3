"""Where each trained agent is at every step of one episode, and what the drives pay for it."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.rooms.rooms.drives import DRIVE_LABELS
from novelty_lab.studies.rooms.rooms.figure import ROOM_COLOURS, ROOM_NAMES
from novelty_lab.style import new_figure


def cells_of(record: Record) -> np.ndarray:
    """Return the cell of every walk at every moment, (num_walks, length + 1), left is 0."""
    places, seen = record.arrays["places"], record.arrays["observations"][..., 0]
    return np.abs(seen[..., None] - places).argmin(-1)


def tables(record: Record) -> list[Table]:
    """List what each drive pays for the walk of each agent."""
    paying = record.results["paying"]
    sums = record.arrays["paid"].sum(-1)
    rows = [
        [DRIVE_LABELS[drive], *(f"{value:.4g}" for value in paid)]
        for drive, paid in zip(record.results["drives"], sums, strict=True)
    ]
    columns = ["agent trained by", *(f"paid by {name}" for name in paying)]
    return [Table("What one episode of each agent is paid", columns, rows)]


def figure(record: Record) -> Figure:
    """Draw the place of each agent against time, over the rooms."""
    drives, order = record.results["drives"], record.results["order"]
    cells = cells_of(record)
    width = len(record.arrays["places"]) // len(order)
    fig = new_figure(8.0, 1.0 + 0.9 * len(drives))
    grid = fig.add_gridspec(len(drives), 1, hspace=0.15)
    for row, drive in enumerate(drives):
        axes = fig.add_subplot(grid[row])
        for place, room in enumerate(order):
            low = place * width - 0.5
            name = ROOM_NAMES.get(room, room)
            axes.axhspan(low, low + width, color=ROOM_COLOURS[room], alpha=0.25, lw=0, label=name)
        axes.plot(cells[row], color="black", linewidth=0.8)
        axes.set(ylim=(width * len(order) - 0.5, -0.5), xlim=(0, cells.shape[1] - 1), yticks=[])
        axes.set_ylabel(DRIVE_LABELS[drive], rotation=0, ha="right", va="center", fontsize=7)
        if row < len(drives) - 1:
            axes.set_xticklabels([])
        if row == 0:
            axes.legend(ncols=5, loc="lower left", bbox_to_anchor=(0, 1.02), fontsize=7)
    fig.axes[-1].set_xlabel("step of the episode")
    return fig

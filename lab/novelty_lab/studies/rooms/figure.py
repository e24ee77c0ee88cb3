"""Where agents live under each drive, and what the rooms pay those who stay in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.rooms.drives import DRIVE_LABELS
from novelty_lab.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    RED,
    SKY,
    draw_band,
    label_panel,
    new_figure,
)

ROOM_NAMES = {"noise": "noisy television", "dark": "dark room"}
"""Where they differ from those of the record."""
ROOM_COLOURS = {"pendulum": BLUE, "automaton": GREEN, "clock": SKY, "noise": RED, "dark": BLACK}
HABIT_STYLES: dict[str, tuple[str, str]] = {
    "pendulum, left alone": (BLUE, ":"),
    "pendulum, swung": (BLUE, "-"),
    "automaton": (GREEN, "-"),
    "clock": (SKY, "-"),
    "noise": (RED, "-"),
    "dark": (BLACK, "-"),
    "tour": (GREY, "--"),
}


def tables(record: Record) -> list[Table]:
    """List shares of time, and what habits are paid."""
    shares = [
        [
            DRIVE_LABELS[row["drive"]],
            *(f"{mean:.0%} ± {sd:.0%}" for mean, sd in zip(row["mean"], row["sd"], strict=True)),
            f"{row['earned']:.4g} ± {row['earned_sd']:.2g}",
        ]
        for row in ordered(record.results["shares"])
    ]
    rooms = [ROOM_NAMES.get(room) or str(room) for room in record.results["rooms"]]
    title = f"Share of time in each room, mean ± sd over {record.configuration['agents']} agents"
    return [Table(title, ["drive", *rooms, "paid per episode"], shares), _habit_table(record)]


def _habit_table(record: Record) -> Table:
    lengths = record.configuration["habit_lengths"]
    common = record.configuration["corridor"]["length"]
    at = lengths.index(common) if common in lengths else len(lengths) - 1
    rows: list[list[str]] = []
    for habit in HABIT_STYLES:
        paid = {
            row["drive"]: row["mean"] for row in record.results["habits"] if row["habit"] == habit
        }
        others = [f"{paid[drive][at]:.3g}" for drive in ("surprise", "progress")]
        rows.append([habit, *(f"{bits:.1f}" for bits in paid["epiplexity"]), *others])
    return Table(
        "Bits of an agent of fixed habits, by length of the episode",
        ["habit", *map(str, lengths), *(f"{d}, {lengths[at]}" for d in ("surprise", "progress"))],
        rows,
    )


def figure(record: Record) -> Figure:
    """Draw every agent's days as a thin bar, and the bits of habits against length."""
    fig = new_figure(9.4, 1.6 + 0.36 * max(len(record.results["shares"]), 8))
    lives, habits = fig.subplots(1, 2, width_ratios=[1.7, 1.0])
    _lives(lives, record)
    label_panel(lives, "a", "where agents spend their time")
    _habits(habits, record)
    label_panel(habits, "b", "raw bits")
    habits.set(xlabel="steps of the episode", ylabel="paid per episode (bits)")
    habits.legend(loc="upper left")
    return fig


def _lives(axes: Axes, record: Record) -> None:
    """Draw one group of bars per drive, one bar per agent, stacked by room."""
    rooms, groups = record.results["rooms"], ordered(record.results["shares"])
    for place, row in enumerate(groups):
        lives = [life for life in record.results["lives"] if life["drive"] == row["drive"]]
        shares = np.array([life["share"] for life in lives])
        height = 0.8 / len(shares)
        at = place - 0.4 + height * (np.arange(len(shares)) + 0.5)
        left = np.zeros(len(shares))
        for column, room in enumerate(rooms):
            width = shares[:, column]
            axes.barh(at, width, height, left=left, color=ROOM_COLOURS[room], linewidth=0)
            left += width
    axes.set_yticks(range(len(groups)), [DRIVE_LABELS[row["drive"]] for row in groups])
    axes.set(xlim=(0, 1), ylim=(len(groups) - 0.4, -0.6), xlabel="share of time; one bar per agent")
    axes.tick_params(axis="y", length=0)
    for room in rooms:
        axes.barh([0], [0], color=ROOM_COLOURS[room], label=ROOM_NAMES.get(room, room))
    axes.legend(ncols=len(rooms), loc="lower center", bbox_to_anchor=(0.35, 1.04))


def _habits(axes: Axes, record: Record) -> None:
    """Draw what each habit is paid, mean and deviation over reservoirs and episodes."""
    lengths = record.configuration["habit_lengths"]
    for row in record.results["habits"]:
        if row["drive"] != "epiplexity":
            continue
        colour, style = HABIT_STYLES[row["habit"]]
        mean, sd = np.array(row["mean"]), np.array(row["sd"])
        axes.plot(lengths, mean, style, color=colour, label=row["habit"], linewidth=1.3)
        draw_band(axes, lengths, mean, sd, color=colour, alpha=0.15)
    axes.axhline(0, color="0.6", linewidth=0.6, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")


def ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by drive."""
    return sorted(rows, key=lambda row: list(DRIVE_LABELS).index(row["drive"]))

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
            describe(row),
            *(f"{mean:.0%} ± {sd:.0%}" for mean, sd in zip(row["mean"], row["sd"], strict=True)),
            f"{row['earned']:.4g} ± {row['earned_sd']:.2g}",
        ]
        for row in ordered(record.results["shares"])
    ]
    rooms = [ROOM_NAMES.get(room) or str(room) for room in record.results["rooms"]]
    title = f"Share of time in each room, mean ± sd over {record.configuration['agents']} agents"
    columns = ["drive", "corridor", *rooms, "paid per episode"]
    screens = dict.fromkeys(row["pixels"] for row in record.results["habits"])
    return [Table(title, columns, shares), *(_habit_table(record, pixels) for pixels in screens)]


def _habit_table(record: Record, pixels: int) -> Table:
    lengths = record.configuration["habit_lengths"]
    common = record.configuration["corridor"]["length"]
    at = lengths.index(common) if common in lengths else len(lengths) - 1
    rows: list[list[str]] = []
    for habit in HABIT_STYLES:
        paid = {
            row["drive"]: row["mean"]
            for row in record.results["habits"]
            if row["pixels"] == pixels and row["habit"] == habit
        }
        others = [f"{paid[drive][at]:.3g}" for drive in ("surprise", "progress")]
        rows.append([habit, *(f"{bits:.1f}" for bits in paid["epiplexity"]), *others])
    return Table(
        f"Bits of an agent of fixed habits, by length of the episode; {pixels} pixels",
        ["habit", *map(str, lengths), *(f"{d}, {lengths[at]}" for d in ("surprise", "progress"))],
        rows,
    )


def figure(record: Record) -> Figure:
    """Draw every agent's days as a thin bar, and the bits of habits against length."""
    screens = list(dict.fromkeys(row["pixels"] for row in record.results["habits"]))
    kinds = len(record.results["shares"])
    fig = new_figure(7.0 + 2.4 * len(screens), 1.6 + 0.36 * max(kinds, 8))
    drawn = fig.subplots(1, 1 + len(screens), width_ratios=[1.7, *(1.0 for _ in screens)])
    _lives(drawn[0], record)
    label_panel(drawn[0], "a", "where agents spend their time")
    for axes, letter, pixels in zip(drawn[1:], "bcd", screens, strict=False):
        _habits(axes, record, pixels)
        label_panel(axes, letter, f"raw bits, {pixels} pixels")
        axes.set_xlabel("steps of the episode")
    drawn[1].set_ylabel("paid per episode (bits)")
    drawn[1].legend(loc="upper left")
    return fig


def _lives(axes: Axes, record: Record) -> None:
    """Draw one group of bars per drive and corridor, one bar per agent, stacked by room."""
    rooms, groups = record.results["rooms"], ordered(record.results["shares"])
    labels: list[str] = []
    places: list[float] = []
    place = 0.0
    for row, before in zip(groups, [groups[0], *groups], strict=False):
        common = is_common(row, record)
        place += 0.6 if is_common(before, record) and not common else 0.0
        shares = np.array([life["share"] for life in lives_of(record, row)])
        height = 0.8 / len(shares)
        at = place - 0.4 + height * (np.arange(len(shares)) + 0.5)
        left = np.zeros(len(shares))
        for column, room in enumerate(rooms):
            width = shares[:, column]
            axes.barh(at, width, height, left=left, color=ROOM_COLOURS[room], linewidth=0)
            left += width
        other = "" if common else f",\n{departure(row, record)}"
        labels.append(DRIVE_LABELS[row["drive"]] + other)
        places.append(place)
        place += 1.0
    axes.set_yticks(places, labels)
    axes.set(xlim=(0, 1), ylim=(place - 0.4, -0.6), xlabel="share of time; one bar per agent")
    axes.tick_params(axis="y", length=0)
    for room in rooms:
        axes.barh([0], [0], color=ROOM_COLOURS[room], label=ROOM_NAMES.get(room, room))
    axes.legend(ncols=len(rooms), loc="lower center", bbox_to_anchor=(0.35, 1.04))


def _habits(axes: Axes, record: Record, pixels: int) -> None:
    """Draw what each habit is paid, mean and deviation over reservoirs and episodes."""
    lengths = record.configuration["habit_lengths"]
    for row in record.results["habits"]:
        if (row["drive"], row["pixels"]) != ("epiplexity", pixels):
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
    """Sort by drive, the corridor that all drives share first."""
    common = _corridor(rows[0]) if rows else ()
    drives = list(DRIVE_LABELS)
    return sorted(rows, key=lambda r: (_corridor(r) != common, drives.index(r["drive"])))


def _corridor(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["length"], row["pixels"], row["clock"]


def lives_of(record: Record, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lives that a row is the summary of."""
    kind = row["drive"], _corridor(row)
    return [life for life in record.results["lives"] if (life["drive"], _corridor(life)) == kind]


def is_common(row: dict[str, Any], record: Record) -> bool:
    """Tell whether a row is of the corridor that all drives share."""
    return all(row[key] == value for key, value in record.configuration["corridor"].items())


def describe(row: dict[str, Any]) -> str:
    """Say what a row's corridor is like."""
    return ", ".join(_parts(row).values())


def departure(row: dict[str, Any], record: Record) -> str:
    """Say how a row's corridor differs from the one that all drives share."""
    common = record.configuration["corridor"]
    return ", ".join(text for key, text in _parts(row).items() if row[key] != common[key])


def _parts(row: dict[str, Any]) -> dict[str, str]:
    clock = "clock" if row["clock"] else "no clock"
    return {"length": f"{row['length']} steps", "pixels": f"{row['pixels']} pixels", "clock": clock}

"""Agents: the paper's table, rooms, and sparse tasks with distractors."""

from __future__ import annotations

from docs.hooks.tables.records import ROOT, markdown, record
from novelty_lab import records
from novelty_lab.paper.table1_agents.looks import NAMES
from novelty_lab.paper.table1_agents.paper import PAPER_CONDITIONS
from novelty_lab.studies.rooms.drives import DRIVE_LABELS


def rl_together() -> str:
    """Compare the bonuses of table 1 with the task alone over all tasks, from the report."""
    from novelty_lab.paper.table1_agents.figure import tables

    paths = records.find(ROOT / "results", "rl-table")
    report = tables([records.load(path) for path in paths])
    ends, curves = (
        {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
        for title in ("All tasks together", "Over the whole of training")
        for table in report
        if table.title.startswith(title)
    )
    read = ("tasks above task only in the mean", "IQM", "P(better than task only)")
    rows = [
        [name, *(ends[name][column] for column in read), curves[name]["P(above)"]]
        for name in (NAMES[condition] for condition in PAPER_CONDITIONS[1:])
    ]
    columns = ["", "tasks above task only", "interquartile mean", "P(return above)"]
    return markdown([*columns, "P(curve above)"], rows)


def rooms_shares() -> str:
    """Give the share of time that agents of each drive spend in three rooms."""
    rooms = record("rooms")["rooms"]
    shown = {"noise": "noisy television", "dark": "dark room", "automaton": "automaton"}
    shares = {
        row["drive"]: row["mean"]
        for row in record("rooms")["shares"]
        if (row["length"], row["pixels"], row["clock"]) == (500, 16, True)
    }
    rows = [
        [title, *(f"{100 * shares[drive][rooms.index(room)]:.0f}%" for room in shown)]
        for drive, title in DRIVE_LABELS.items()
        if drive in shares
    ]
    return markdown(["paid by", *shown.values()], rows)


def explore_default() -> str:
    """Say what bonuses reach in the main maze."""
    from novelty_lab.studies.explore.figure import tables

    found = tables([records.load(path) for path in records.find(ROOT / "results", "explore")])
    title = "MultiRoom-N4-S5, 800,000 steps, coefficient 0.1: final return"
    (shown,) = [table for table in found if table.title.startswith(title)]
    return markdown(list(shown.columns), [list(row) for row in shown.rows])

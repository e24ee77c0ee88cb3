"""Agents: the paper's table, its rivals, rooms, and sparse tasks with distractors."""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Mapping
from typing import Any

from docs.hooks.tables.records import ROOT, benchmark, markdown, mean_sd, record
from novelty_lab.paper.table1_agents.rl_table.looks import NAMES
from novelty_lab.paper.table1_agents.rl_table.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.rooms.rooms.drives import DRIVE_LABELS

TASKS = tuple(PAPER)


def returns(task: str, condition: str, *, tuned: bool = False) -> list[float]:
    """Read the mean evaluation return of every seed of a task and condition."""
    name = f"{task}-{condition}{'-tuned' if tuned else ''}-seed[0-9]*"
    paths = sorted((ROOT / "results" / "rl-table").glob(f"{name}/record.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["results"]["return"] for path in paths]


def rl_paper() -> str:
    """Give table 1: our return beside the paper's in each cell."""

    def cell(task: str, condition: str) -> str:
        mean, sd = PAPER[task][condition]
        return f"{mean_sd(returns(task, condition))} (paper {mean} ± {sd})"

    def seeds(task: str) -> str:
        counts = [len(returns(task, condition)) for condition in PAPER_CONDITIONS]
        return " to ".join(dict.fromkeys(map(str, (min(counts), max(counts)))))

    rows = [
        [task, *(cell(task, condition) for condition in PAPER_CONDITIONS), seeds(task)]
        for task in TASKS
    ]
    return markdown(["", *(NAMES[condition] for condition in PAPER_CONDITIONS), "seeds"], rows)


def rl_together() -> str:
    """Compare the bonuses of table 1 with the task alone over all tasks, from the report."""
    from novelty_lab import records
    from novelty_lab.paper.table1_agents.rl_table.figure import tables

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


def rl_tuned() -> str:
    """Compare task and bonus at the RL zoo's hyperparameters."""

    def cell(task: str, condition: str) -> str:
        return mean_sd(returns(task, condition, tuned=True), 1 if task == "Acrobot" else 0)

    rows = [
        [task, cell(task, "task"), cell(task, "task+epiplexity")]
        for task in TASKS
        if returns(task, "task", tuned=True)
    ]
    return markdown(["", "task only", "task + epiplexity"], rows)


def rl_rivals() -> str:
    """Compare the paper's bonus with other bonuses."""
    conditions = ("task", "task+epiplexity", "task+excess", "task+rnd", "task+icm", "task+e3b")
    rows = [
        [task, *(mean_sd(returns(task, condition)) for condition in conditions)]
        for task in TASKS
        if returns(task, "task+rnd")
    ]
    return markdown(["", "task only", "epiplexity", "excess", "RND", "ICM", "E3B"], rows)


def rl_default() -> str:
    """Compare bonuses with the task alone, from the least to the most in favour of foresight."""
    foresight, rivals = "task+foresight-limited", ("task", "task-running")
    conditions = {
        "task": "task only",
        "task-running": "task only, in running units",
        "task+epiplexity": "raw bits",
        "task+excess": "excess",
        foresight: "foresight",
    }
    better = {
        task: [_wins(returns(task, foresight), returns(task, rival)) for rival in rivals]
        for task in TASKS
    }
    rows = [
        [
            task,
            *(_mean_of(returns(task, condition)) for condition in conditions),
            *(f"{share:.2f}" for share in shares),
        ]
        for task, shares in sorted(better.items(), key=lambda item: item[1])
    ]
    columns = ["P(above task only)", "P(above it in running units)"]
    return markdown(["", *conditions.values(), *columns], rows)


def _mean_of(runs: list[float]) -> str:
    """Write mean, standard deviation and number of runs."""
    return f"{mean_sd(runs)} ({len(runs)})"


def _wins(ours: list[float], theirs: list[float]) -> float:
    """Return the share of pairs of runs in which ours is higher; ties count one half."""
    pairs = [(x > y) + 0.5 * (x == y) for x in ours for y in theirs]
    return statistics.mean(pairs)


def reward_cost() -> str:
    """Give what bonuses cost beside PPO, in microseconds per environment step."""
    rows = benchmark("results-reward")

    def cells(task: str) -> list[str]:
        foresight = rows[f"foresight beside PPO, {task}"]
        bits = rows[f"bonus beside PPO, {task}"]
        floor = rows[f"bonus above its floor beside PPO, {task}"]
        costs = [
            f"{1e6 * row['ours']:.1f} ({100 * row['ratio']:.1f}%)"
            for row in (foresight, bits, floor)
        ]
        svd = rows[f"bonus, {task}: an SVD per step against ours"]
        return [task, f"{1e6 * foresight['plain']:.0f}", *costs, f"{1e6 * svd['plain']:.0f}"]

    columns = ["task", "PPO", "foresight", "raw bits", '`floor="residual"`', "an SVD per step"]
    return markdown(columns, [cells(task) for task in TASKS])


def rooms_habits() -> str:
    """Give what one episode pays in front of the automaton and of noise, by its length."""
    lengths = record("rooms", "configuration")["habit_lengths"]
    shown = [lengths.index(length) for length in (50, 200, 500, 1000, 5000)]
    habits = [row for row in record("rooms")["habits"] if row["pixels"] == 16]
    paid = {(row["drive"], row["habit"]): row["mean"] for row in habits}
    rows = [
        [f"{room}, {title}", *(f"{paid[drive, room][place]:.1f}" for place in shown)]
        for drive, title in (("epiplexity", "raw bits"), ("excess", "excess"))
        for room in ("automaton", "noise")
    ]
    return markdown(["steps of an episode", *(str(lengths[place]) for place in shown)], rows)


def rooms_shares() -> str:
    """Give the share of time that agents of each drive spend in three rooms."""
    rooms = record("rooms")["rooms"]
    shown = {"noise": "noisy television", "dark": "dark room", "automaton": "automaton"}
    # Foresight has a record of its own. Of drives that have two, the one of the paper's run counts.
    paths = sorted((ROOT / "results" / "rooms").glob("*/record.json"))
    shares = {
        row["drive"]: row["mean"]
        for path in paths
        for row in json.loads(path.read_text(encoding="utf-8"))["results"]["shares"]
        if (row["length"], row["pixels"], row["clock"]) == (500, 16, True)
    }
    rows = [
        [title, *(f"{100 * shares[drive][rooms.index(room)]:.0f}%" for room in shown)]
        for drive, title in DRIVE_LABELS.items()
        if drive in shares
    ]
    return markdown(["paid by", *shown.values()], rows)


MAZE_NOW = "MultiRoom-N4-S5, 800,000 steps, coefficient 0.1 of sizes"
"""The maze at the defaults of ``NoveltyReward``."""


@functools.cache
def explore_records() -> list[Record]:
    """Read all runs of the suite of sparse tasks."""
    from novelty_lab import records

    return [records.load(path) for path in records.find(ROOT / "results", "explore")]


@functools.cache
def explore_tables() -> list[Table]:
    """Return all tables of the suite of sparse tasks."""
    from novelty_lab.studies.explore.explore.figure import tables

    return tables(explore_records())


def explored(title: str) -> list[list[str]]:
    """Return the columns and rows of a table of the suite of sparse tasks."""
    (shown,) = [table for table in explore_tables() if table.title.startswith(title)]
    return [list(shown.columns), *(list(row) for row in shown.rows)]


def explore_default(reading: str) -> str:
    """Say what bonuses reach in the main maze at the defaults of the wrapper."""
    columns, *rows = explored(f"{MAZE_NOW}: {reading}")
    return markdown(columns, rows)


def explore() -> str:
    """What each bonus reaches in the main maze, clean and with every distractor."""
    columns, *rows = explored("MultiRoom-N4-S5, 800,000 steps, coefficient 0.25: final return")
    return markdown(columns, rows)


def explore_frozen() -> str:
    """Say the same at the coefficient of another task, and with one that falls."""
    found: list[list[str]] = []
    columns: list[str] = []
    for words in ("coefficient 0.1", "coefficient 0.5 falling to 0"):
        for reading in ("final return", "mean of the learning curve"):
            columns, *rows = explored(f"MultiRoom-N4-S5, 800,000 steps, {words}: {reading}")
            wide = dict.fromkeys(("clean", "television in the pixels", "noise everywhere"), "-")
            for row in rows:
                shown = wide | dict(zip(columns[1:], row[1:], strict=True))
                found.append([words, reading, row[0], *shown.values()])
    return markdown(["", "", "bonus", "clean", "television in the pixels", "noise"], found)


COURSES = ("limited", "no limit", "fades", "restarts")
"""What can be done about large payments: limit them, nothing, or let the coefficient fall."""


def explore_fading() -> str:
    """Compare foresight with a limit, without, and with a coefficient that falls, seed by seed."""
    from novelty_lab.studies.explore.explore.figure import WORLDS

    cells: dict[tuple[str, int, str], dict[str, dict[int, dict[str, float]]]] = {}
    for run in explore_records():
        config = run.configuration
        if course := _course(config):
            cell = cells.setdefault((config["task"], config["steps"], config["distractor"]), {})
            cell.setdefault(course, {})[run.seed] = run.results
    rows = [
        [f"{task}, {steps:,} steps, {WORLDS[world]}", *_by_course(cell)]
        for (task, steps, world), cell in sorted(cells.items())
        if {"no limit", "fades"} <= set(cell)
    ]
    columns = [f"{what}, {course}" for what in ("end", "curve") for course in COURSES]
    return markdown(["task", *columns], rows)


def _course(config: Mapping[str, Any]) -> str | None:
    """Name how large payments of foresight are treated; None for runs at other settings."""
    if (config["coefficient"], config.get("unit")) != (0.1, "size"):
        return None
    ways = {
        ("foresight-limited", False, False): "limited",
        ("foresight", False, False): "no limit",
        ("foresight", True, False): "fades",
        ("foresight", False, True): "restarts",
    }
    return ways.get((config["bonus"], config["falling"], config.get("restarts", False)))


def _by_course(cell: Mapping[str, Mapping[int, Mapping[str, float]]]) -> list[str]:
    """Write the ends, then the curves, in the order of seeds."""
    return [
        ", ".join(f"{run[key]:.2f}" for _, run in sorted(cell.get(course, {}).items())) or "-"
        for key in ("final", "mean")
        for course in COURSES
    ]


OTHER_TASKS = (
    "MultiRoom-N6, 2,400,000 steps",
    "DoorKey-8x8, 300,000 steps",
    "DoorKey-8x8, 900,000 steps",
    "KeyCorridorS3R3, 800,000 steps",
    "MountainCarContinuous-sparse, 200,000 steps",
)


def explore_tasks() -> str:
    """Say what bonuses reach in the other tasks at the defaults of the wrapper."""
    worlds = ("clean", "television in the pixels")
    rows: list[list[str]] = []
    for task in OTHER_TASKS:
        setting = f"{task}, coefficient 0.1 of sizes"
        (columns, *final), (_, *mean) = (
            explored(f"{setting}: {reading}")
            for reading in ("final return", "mean of the learning curve")
        )
        places = [columns.index(world) for world in worlds]
        for ends, curves in zip(final, mean, strict=True):
            cells = [reading[place] for reading in (ends, curves) for place in places]
            rows.append([task, ends[0], *cells])
    titles = [f"{world}: {what}" for what in ("end", "curve") for world in ("clean", "pixels")]
    return markdown(["task", "bonus", *titles], rows)

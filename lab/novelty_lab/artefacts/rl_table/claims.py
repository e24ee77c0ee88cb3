"""Section 4.3, table 1 and appendix H: agents paid for learnable novelty."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from novelty_lab.artefacts.rl_table.paper import CONDITIONS, PAPER
from novelty_lab.artefacts.rl_table.runs import EXPERIMENT, TASKS, Runs, collect
from novelty_lab.ledger import Finding, Pair, PaperRecords, Source, Value, WideSource

ENOUGH = 5
"""Seeds of a cell under which nothing is said of it."""
COLLAPSE = 0.5
"""Share of what the task reward gains over a random policy; with less an agent has collapsed."""
SOLVED = {"Acrobot": -100.0, "MountainCarContinuous": 90.0}
"""Returns at which Gymnasium calls the tasks solved."""

Cell = tuple[str, str]
Read = Callable[[PaperRecords], Finding]


@dataclass(frozen=True)
class CellSource(WideSource):
    """A source whose records are the runs of some cells of the table, one for every seed."""

    figure_name: ClassVar[str] = "curves.png"

    cells: tuple[Cell, ...] = ()

    def record_path(self, records: PaperRecords) -> Path | None:
        """Return the folder of all runs, if there is one."""
        return records.root / EXPERIMENT if _runs(records).cells else None

    def record_paths(self, records: PaperRecords) -> list[Path]:
        """Return the directories of the runs of these cells."""
        runs = _runs(records).cells
        names = [f"{t}-{c}-seed{run.seed}" for t, c in self.cells for run in runs.get((t, c), [])]
        return [records.root / EXPERIMENT / name for name in names]


@functools.lru_cache(maxsize=1)
def _runs(records: PaperRecords) -> Runs:
    """Return the training runs at the paper's settings."""
    return collect(records.all_runs(EXPERIMENT))


def _thin(records: PaperRecords, cells: Iterable[Cell]) -> tuple[int, str]:
    """Return the least number of seeds, and what to say if it is too small."""
    sizes = {cell: len(_runs(records).returns(*cell)) for cell in cells}
    least, few = min(sizes.values()), [n for n in sizes.values() if n < ENOUGH]
    if not few:
        return least, ""
    if not any(sizes.values()):
        return least, "no run"
    if len(sizes) == 1:
        return least, f"{least} seed{'' if least == 1 else 's'}, fewer than {ENOUGH}"
    return least, f"{len(few)} of {len(sizes)} cells have fewer than {ENOUGH} seeds"


def _with_enough(cells: Iterable[Cell], read: Read) -> Read:
    """Read only if every cell has enough seeds."""
    needed = list(cells)

    def checked(records: PaperRecords) -> Finding:
        least, missing = _thin(records, needed)
        return Finding(runs=least, missing=missing) if missing else read(records)

    return checked


def _return(task: str, condition: str) -> Read:
    """Read the mean return of a cell, which is shown even where it is too thin to judge."""

    def read(records: PaperRecords) -> Finding:
        returns = _runs(records).returns(task, condition)
        values = (Value.of(returns),) if len(returns) else ()
        _, missing = _thin(records, [(task, condition)])
        return Finding(values=values, runs=len(returns), missing=missing)

    return read


def _value(records: PaperRecords, task: str, condition: str) -> Value:
    return Value.of(_runs(records).returns(task, condition))


def _beside_task(condition: str, *, names: bool = False) -> Read:
    """Set a condition beside the task reward on every task, in the order of the paper's means.

    Shows how many tasks it improves on, or the names of those where it is below.
    """

    def read(records: PaperRecords) -> Finding:
        pairs: list[Pair] = []
        lower: list[str] = []
        for task in TASKS:
            with_it, alone = _value(records, task, condition), _value(records, task, "task")
            lower += [task] if with_it.mean < alone.mean else []
            below = PAPER[task][condition][0] < PAPER[task]["task"][0]
            order = (alone, with_it) if below else (with_it, alone)
            pairs.append(Pair(task, *order))
        runs, _ = _thin(records, _cells("task", condition))
        note = f"Below in the mean: {', '.join(lower) or 'none'}."
        shown = lower if names else len(TASKS) - len(lower)
        return Finding(pairs=tuple(pairs), shown=shown, runs=runs, note="" if names else note)

    return _with_enough(_cells("task", condition), read)


def _collapses(records: PaperRecords) -> Finding:
    """Compare in units of the task: 0 a random policy, 1 the mean of the task-reward agents."""
    runs = _runs(records)
    pairs: list[Pair] = []
    unscaled: list[str] = []
    for task in TASKS:
        shares = runs.normalized(task, "task+epiplexity")
        if shares is None:
            unscaled.append(task)
        else:
            pairs.append(Pair(task, Value.of(shares), Value(COLLAPSE)))
    least, _ = _thin(records, _cells("task", "task+epiplexity"))
    lost = [pair.name for pair in pairs if pair.above.mean < COLLAPSE]
    told = {
        "Collapsed in the mean": lost,
        "Left out, as the task reward gains nothing": unscaled,
    }
    note = " ".join(f"{what}: {', '.join(tasks)}." for what, tasks in told.items() if tasks)
    return Finding(pairs=tuple(pairs), shown=len(lost), runs=least, note=note)


def _change(task: str) -> Read:
    """Read the relative change of the mean return; squares of relative errors add."""

    def read(records: PaperRecords) -> Finding:
        with_it, alone = _value(records, task, "task+epiplexity"), _value(records, task, "task")
        ratio = with_it.mean / alone.mean
        error = math.hypot(*(math.sqrt(v.variance) / v.mean for v in (with_it, alone)))
        runs = min(with_it.runs, alone.runs)
        return Finding(values=(Value(ratio - 1, abs(ratio) * error * math.sqrt(runs), runs),))

    return _with_enough([(task, "task"), (task, "task+epiplexity")], read)


def _only(task: str) -> Read:
    def read(records: PaperRecords) -> Finding:
        alone, task_reward = _value(records, task, "epiplexity"), _value(records, task, "task")
        note = f"{alone.mean:.0f} against {task_reward.mean:.0f}."
        pair = Pair("epiplexity alone above the task reward", alone, task_reward)
        return Finding(pairs=(pair,), runs=min(alone.runs, task_reward.runs), note=note)

    return _with_enough([(task, "epiplexity"), (task, "task")], read)


def _reliability(records: PaperRecords) -> Finding:
    runs = _runs(records)
    against: dict[str, bool] = {}
    parts: list[str] = []
    for task, limit in SOLVED.items():
        solved = {c: runs.returns(task, c) >= limit for c in ("task", "task+epiplexity")}
        counts = {c: f"{s.sum()} of {len(s)}" for c, s in solved.items()}
        bonus, alone = counts["task+epiplexity"], counts["task"]
        against[f"{task} solved by {bonus} with the bonus"] = not solved["task+epiplexity"].all()
        against[f"{task} solved by {alone} without it"] = bool(solved["task"].all())
        parts.append(f"{task}: {bonus} seeds with the bonus, {alone} without")
    least, _ = _thin(records, [(t, c) for t in SOLVED for c in ("task", "task+epiplexity")])
    return Finding(against=against, runs=least, note=f"Solved, {'; '.join(parts)}.")


def _cells(*conditions: str) -> list[Cell]:
    return [(task, condition) for task in TASKS for condition in conditions]


def _source(read: Read, tasks: Collection[str] = (), conditions: Collection[str] = ()) -> Source:
    named = {"--tasks": ",".join(tasks), "--conditions": ",".join(conditions)}
    options = " ".join(f"{option} {names}" for option, names in named.items() if names)
    cells = tuple(itertools.product(tasks or TASKS, conditions))
    return CellSource(EXPERIMENT, read, options, cells)


_BOTH = ("task", "task+epiplexity")

SOURCES = {
    **{
        f"rl.{task}.{condition}": _source(_return(task, condition), [task], [condition])
        for task, condition in _cells(*CONDITIONS)
    },
    "rl.improves": _source(_beside_task("task+epiplexity"), (), _BOTH),
    "rl.collapses": _source(_with_enough(_cells(*_BOTH), _collapses), (), _BOTH),
    "rl.walker2d.change": _source(_change("Walker2d"), ["Walker2d"], _BOTH),
    "rl.lunarlander.change": _source(_change("LunarLander"), ["LunarLander"], _BOTH),
    "rl.magnitude.below": _source(
        _beside_task("task+magnitude", names=True), (), ("task", "task+magnitude")
    ),
    "rl.walker2d.only": _source(_only("Walker2d"), ["Walker2d"], ("task", "epiplexity")),
    "rl.reliability": _source(
        _with_enough([(t, c) for t in SOLVED for c in _BOTH], _reliability), SOLVED, _BOTH
    ),
}

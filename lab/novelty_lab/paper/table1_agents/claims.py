"""Section 4.3, table 1 and appendix H: agents paid for learnable novelty."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from novelty_lab.ledger.findings import Finding, Pair, Value
from novelty_lab.ledger.source import PaperRecords, Source, WideSource
from novelty_lab.paper.table1_agents.paper import PAPER, PAPER_CONDITIONS
from novelty_lab.paper.table1_agents.runs import EXPERIMENT, TASKS, Runs, collect

SEEDS = 10
"""Seeds of a cell in the paper."""
ENOUGH = 5
"""Seeds of a cell under which nothing is said of it."""
COLLAPSE = 0.5
"""Share of what the task reward gains over a random policy; with less an agent has collapsed."""
SOLVED = {"Acrobot": -100.0, "MountainCarContinuous": 90.0}
"""Returns at which Gymnasium calls the tasks solved."""

Cell = tuple[str, str]


@dataclass(frozen=True)
class CellSource(WideSource):
    """A source whose records are the runs of some cells of the table, one for every seed."""

    figure_name: ClassVar[str] = "curves.png"

    cells: tuple[Cell, ...] = ()
    from_table: bool = True
    """Whether means and deviations are all that it reads."""

    def _read(self, records: PaperRecords) -> Finding:
        """Read if every cell has enough seeds; the value of a single cell is shown in any case."""
        runs = _runs(records)
        least, missing = _thin(runs, self.cells)
        if missing and len(self.cells) > 1:
            return Finding(runs=least, missing=missing)
        return dataclasses.replace(self.read(runs), runs=least, missing=missing)

    def redrawn(self, random: np.random.Generator, *, differs: bool) -> Finding | None:
        """Read a table drawn from the paper's; single cells and episodes are drawn elsewhere."""
        if len(self.cells) == 1 or not self.from_table:
            return None
        return self.read(DrawnRuns(random, differs))

    def record_path(self, records: PaperRecords) -> Path | None:
        """Return the folder of all runs, if there is one."""
        return records.root / EXPERIMENT if _runs(records).cells else None

    def record_paths(self, records: PaperRecords) -> list[Path]:
        """Return the directories of the runs of these cells."""
        runs = _runs(records).cells
        names = [f"{t}-{c}-seed{run.seed}" for t, c in self.cells for run in runs.get((t, c), [])]
        return [records.root / EXPERIMENT / name for name in names]

    def older_observer(self, records: PaperRecords) -> bool:
        """Tell whether agents were paid by the older observer; the task reward has none."""
        paid = [cell for cell in self.cells if cell[1] != "task"]
        runs = _runs(records).cells
        return any(run.older_observer for cell in paid for run in runs.get(cell, []))


@functools.lru_cache(maxsize=1)
def _runs(records: PaperRecords) -> Runs:
    """Return the training runs at the paper's settings."""
    return collect(records.all_runs(EXPERIMENT))


def _thin(runs: Runs, cells: Iterable[Cell]) -> tuple[int, str]:
    """Return the least number of seeds, and what to say if it is too small."""
    sizes = {cell: len(runs.returns(*cell)) for cell in cells}
    least, few = min(sizes.values()), [n for n in sizes.values() if n < ENOUGH]
    if not few:
        return least, ""
    if not any(sizes.values()):
        return least, "no run"
    if len(sizes) == 1:
        return least, f"{least} seed{'' if least == 1 else 's'}, fewer than {ENOUGH}"
    return least, f"{len(few)} of {len(sizes)} cells have fewer than {ENOUGH} seeds"


def _return(runs: Runs, task: str, condition: str) -> Finding:
    returns = runs.returns(task, condition)
    return Finding(values=(Value.of(returns),) if len(returns) else ())


def _value(runs: Runs, task: str, condition: str) -> Value:
    return Value.of(runs.returns(task, condition))


def _beside_task(runs: Runs, condition: str, *, names: bool = False) -> Finding:
    """Set the means of a condition beside those of the task reward, on every task.

    Shows how many tasks it improves on, or the names of those where it is below.
    """
    lower = [
        task
        for task in TASKS
        if _value(runs, task, condition).mean < _value(runs, task, "task").mean
    ]
    against = {
        f"{task} goes the other way": (task in lower)
        != (PAPER[task][condition][0] < PAPER[task]["task"][0])
        for task in TASKS
    }
    if names:
        return Finding(against=against, shown=lower)
    note = f"Below in the mean: {', '.join(lower) or 'none'}."
    return Finding(against=against, shown=len(TASKS) - len(lower), note=note)


def _collapses(runs: Runs) -> Finding:
    """Compare in units of the task: 0 a random policy, 1 the mean of the task-reward agents."""
    shares = {task: runs.normalized(task, "task+epiplexity") for task in TASKS}
    pairs = [
        Pair(task, Value.of(share), Value(COLLAPSE))
        for task, share in shares.items()
        if share is not None
    ]
    lost = [pair.name for pair in pairs if pair.above.mean < COLLAPSE]
    listed = {
        "Collapsed in the mean": lost,
        "Left out, as the task reward gains nothing": [t for t in TASKS if shares[t] is None],
    }
    note = " ".join(f"{what}: {', '.join(tasks)}." for what, tasks in listed.items() if tasks)
    return Finding(pairs=tuple(pairs), shown=len(lost), note=note)


def _change(runs: Runs, task: str) -> Finding:
    """Read the relative change of the mean return; squares of relative errors add."""
    with_it, alone = _value(runs, task, "task+epiplexity"), _value(runs, task, "task")
    ratio, seeds = with_it.mean / alone.mean, min(with_it.runs, alone.runs)
    error = math.hypot(*(math.sqrt(v.variance) / v.mean for v in (with_it, alone)))
    falls = PAPER[task]["task+epiplexity"][0] < PAPER[task]["task"][0]
    return Finding(
        values=(Value(ratio - 1, abs(ratio) * error * math.sqrt(seeds), seeds),),
        against={"the change has the other sign": (ratio < 1) != falls},
    )


def _only(runs: Runs, task: str) -> Finding:
    alone, task_reward = _value(runs, task, "epiplexity"), _value(runs, task, "task")
    pair = Pair("epiplexity alone above the task reward", alone, task_reward)
    return Finding(pairs=(pair,), note=f"{alone.mean:.0f} against {task_reward.mean:.0f}.")


@dataclass(frozen=True)
class DrawnRuns:
    """Ten seeds of every cell, normal with the mean and the deviation that the paper prints."""

    random: np.random.Generator
    differs: bool
    """Whether a bonus changes nothing: then its cells are those of the task reward."""
    drawn: dict[Cell, np.ndarray] = dataclasses.field(default_factory=dict)

    def returns(self, task: str, condition: str) -> np.ndarray:
        """Draw the returns of a cell, once."""
        mean, sd = PAPER[task]["task" if self.differs else condition]
        return self.drawn.setdefault((task, condition), self.random.normal(mean, sd, SEEDS))


def _reliability(runs: Runs) -> Finding:
    against: dict[str, bool] = {}
    phrases: list[str] = []
    for task, limit in SOLVED.items():
        solved = {c: runs.returns(task, c) >= limit for c in ("task", "task+epiplexity")}
        counts = {c: f"{s.sum()} of {len(s)}" for c, s in solved.items()}
        bonus, alone = counts["task+epiplexity"], counts["task"]
        against[f"{task} solved by {bonus} with the bonus"] = not solved["task+epiplexity"].all()
        against[f"{task} solved by {alone} without it"] = bool(solved["task"].all())
        phrases.append(f"{task}: {bonus} seeds with the bonus, {alone} without")
    return Finding(against=against, note=f"Solved, {'; '.join(phrases)}.")


def _source(
    conditions: Collection[str],
    read: Callable[..., Finding],
    tasks: Collection[str] = (),
    *,
    from_table: bool = True,
    **more: Any,
) -> Source:
    named = {"--tasks": ",".join(tasks), "--conditions": ",".join(conditions)}
    options = " ".join(f"{option} {names}" for option, names in named.items() if names)
    cells = tuple(itertools.product(tasks or TASKS, conditions))
    return CellSource(EXPERIMENT, functools.partial(read, **more), options, cells, from_table)


_BOTH = ("task", "task+epiplexity")

SOURCES = {
    **{
        f"rl.{task}.{condition}": _source(
            [condition], _return, [task], task=task, condition=condition
        )
        for task, condition in itertools.product(TASKS, PAPER_CONDITIONS)
    },
    "rl.improves": _source(_BOTH, _beside_task, condition="task+epiplexity"),
    "rl.collapses": _source(_BOTH, _collapses, from_table=False),
    "rl.walker2d.change": _source(_BOTH, _change, ["Walker2d"], task="Walker2d"),
    "rl.lunarlander.change": _source(_BOTH, _change, ["LunarLander"], task="LunarLander"),
    "rl.magnitude.below": _source(
        ("task", "task+magnitude"), _beside_task, condition="task+magnitude", names=True
    ),
    "rl.walker2d.only": _source(("task", "epiplexity"), _only, ["Walker2d"], task="Walker2d"),
    "rl.reliability": _source(_BOTH, _reliability, SOLVED, from_table=False),
}

"""``novelty train`` and ``novelty run rl-table``: agents, one record per run."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from learnable_novelty.cli import check_seed, integers, names, print_tables, progress
from learnable_novelty.errors import UserError

FAILED = 1
REWARD_HELP = (
    "what the agent is paid by: task, epiplexity, or task+ one of epiplexity, magnitude, excess, "
    "evidence, rnd, icm, e3b (task+epiplexity)"
)
TABLE_OPTIONS = ("tasks", "conditions", "steps", "workers", "tuned")
OTHER_OPTIONS = {
    "device": "cpu",
    "data": None,
    "update": None,
    "part": None,
    "set": [],
    "seed": 0,
    "resume": False,
}
"""Options of ``run`` that the table has no use for, and their defaults."""
INSTEAD = {"seed": " (seeds are --seeds)", "resume": " (it always goes on with what is missing)"}


def add_commands(commands: Any) -> None:
    """Add ``train``."""
    train = commands.add_parser("train", help="train an agent paid for learnable novelty")
    train.add_argument("task", help="a task of the paper's table 1, such as MountainCarContinuous")
    train.add_argument("--reward", default="task+epiplexity", help=REWARD_HELP)
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--steps", type=int, default=600_000, help="environment steps (600000)")
    train.add_argument("--tuned", action="store_true", help="with the RL zoo's hyperparameters")
    # Not results: a policy is no part of a record, and a record that is there would be made anew.
    train.add_argument("--out", type=Path, default=Path("out"), help="folder for both (out)")
    train.add_argument("--video", type=Path, metavar="OUT.gif", help="film one episode afterwards")
    train.add_argument("--json", action="store_true", help="print the record")
    train.set_defaults(command=_train)


def add_table_options(run: argparse.ArgumentParser) -> None:
    """Add the options of ``run rl-table``."""
    run.add_argument("--tasks", metavar="A,B", help="rl-table: these tasks only")
    run.add_argument("--conditions", metavar="A,B", help="rl-table: these rewards only")
    run.add_argument("--steps", type=int, metavar="N", help="rl-table: steps of a run (600000)")
    run.add_argument("--workers", type=int, metavar="K", help="rl-table: runs side by side")
    run.add_argument("--tuned", action="store_true", help="rl-table: the RL zoo's hyperparameters")


def refuse_table_options(options: argparse.Namespace) -> None:
    """Refuse options that only ``rl-table`` knows."""
    for name in TABLE_OPTIONS:
        if getattr(options, name):
            raise UserError(f"--{name} is for rl-table, got it with {options.name}")


def _train(options: argparse.Namespace) -> int:
    _need_rl()
    from novelty_lab.agents import runs as agents
    from novelty_lab.agents.tuned import make_training

    check_seed(options.seed)
    training = make_training(options.task, options.reward, options.steps, tuned=options.tuned)
    if options.video is not None:
        from novelty_lab.agents.video import check_video

        check_video(options.task, options.video)
    title = f"{options.task}, {options.reward}"
    with progress(title, training.steps) as bars:

        def report(done: int, of: int, latest: float) -> None:
            bars(done, of)
            bars.describe(f"{title}: {latest:.4g}")

        record, policy = agents.run_and_keep(training, options.seed, options.out, report=report)
    results = record.results
    if options.json:
        print(json.dumps(record.to_json(), indent=1))
    else:
        print(
            f"{title}: return {results['return']:.4g} ± {results['return_sd']:.2g} over "
            f"{len(results['returns'])} episodes after {results['steps_trained']:,} steps"
        )
    print(f"record: {record.path(options.out)}", file=sys.stderr)
    print(f"policy: {policy}", file=sys.stderr)
    if options.video is not None:
        from novelty_lab.agents.video import film

        film(training, policy, options.video, seed=options.seed)
        print(f"video: {options.video}", file=sys.stderr)
    return 0


def run_table(options: argparse.Namespace) -> int:
    """Run the table: what is there already is not run again."""
    _need_rl()
    for name, default in OTHER_OPTIONS.items():
        if getattr(options, name) != default:
            raise UserError(f"rl-table takes no --{name}{INSTEAD.get(name, '')}")
    from learnable_novelty.engine import open_engine
    from novelty_lab import records
    from novelty_lab.artefacts.rl_table import experiment as rl_table
    from novelty_lab.report import save_collection

    config = _table_config(options)
    if not list(rl_table.trainings(config)):  # refuses steps and names before an engine is opened
        raise UserError(
            f"there is no run to do: the RL zoo publishes no settings for {', '.join(config.tasks)}"
        )
    engine = options.engine or ("cores" if not options.workers else f"cores:{options.workers}")
    with open_engine(engine) as executor, progress(options.name, None) as report:
        failures = rl_table.run(config, options.out, executor, report=report, force=options.force)
    for name, error in failures.items():
        print(f"novelty: {name} failed: {error}", file=sys.stderr)
    runs = [records.load(path) for path in records.find(options.out, options.name)]
    if options.json:
        print(json.dumps([run.to_json() for run in runs], indent=1))
    elif runs:
        print_tables(tables_of_runs(runs))
    if runs and importlib.util.find_spec("matplotlib") is not None:
        for path in save_collection(runs, options.out):
            print(f"figure: {path}", file=sys.stderr)
    return FAILED if failures else 0


def tables_of_runs(runs: Sequence[Any]) -> Sequence[Any]:
    """Return the tables of an experiment that is many runs."""
    from novelty_lab.report import module_of

    return module_of(runs[0]).tables(runs)


def _table_config(options: argparse.Namespace) -> Any:
    from novelty_lab.agents.training import REWARDS
    from novelty_lab.agents.tuned import TUNED
    from novelty_lab.artefacts.rl_table import experiment as rl_table

    base = rl_table.PAPER if options.config == "paper" else rl_table.QUICK
    changes: dict[str, Any] = {"tuned": options.tuned}
    if options.tasks is not None:
        known = [t for t in rl_table.PAPER.tasks if t in TUNED or not options.tuned]
        option = "--tasks with --tuned" if options.tuned else "--tasks"
        changes["tasks"] = names(option, options.tasks, known)
    if options.conditions is not None:
        changes["rewards"] = names("--conditions", options.conditions, REWARDS)
    if options.seeds is not None:
        changes["seeds"] = tuple(integers("--seeds", options.seeds))
    if options.steps is not None:
        changes["steps"] = options.steps
    if options.workers is not None and options.workers < 1:
        raise UserError(f"--workers takes a number of at least 1, got {options.workers}")
    if options.workers is not None and options.engine is not None:
        raise UserError(f"--workers does not go with --engine {options.engine}, which has its own")
    return dataclasses.replace(base, **changes)


def _need_rl() -> None:
    for module in ("stable_baselines3", "gymnasium"):
        if importlib.util.find_spec(module) is None:
            raise UserError(
                f"agents need the [rl] extra ({module} is not installed): "
                "pip install 'learnable-novelty[rl]'"
            )

"""``novelty train``: one agent, with its policy."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from learnable_novelty.cli.options import check_seed
from learnable_novelty.cli.progress import progress

REWARD_HELP = (
    "what the agent is paid by: task, epiplexity, or task+ one of epiplexity, foresight, magnitude "
    "or another bonus such as rnd; an unknown name lists all (task+epiplexity)"
)


def add_commands(commands: Any) -> None:
    """Add ``train``."""
    train = commands.add_parser(
        "train", help="train an agent with a bonus for learnable novelty (minutes)"
    )
    train.add_argument("task", help="a task of the paper's table 1, such as MountainCarContinuous")
    train.add_argument("--reward", default="task+epiplexity", help=REWARD_HELP)
    train.add_argument("--seed", type=int, default=0, help="random seed (0)")
    train.add_argument("--steps", type=int, default=600_000, help="environment steps (600000)")
    # Not results: a record there without its policy would be made again.
    train.add_argument(
        "--out", type=Path, default=Path("out"), help="folder for the record and the policy (out)"
    )
    train.add_argument("--json", action="store_true", help="print the record")
    train.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> int:
    from novelty_lab.paper.table1_agents.experiment import POLICY, run_of
    from novelty_lab.paper.table1_agents.packages import need_rl

    need_rl()
    from novelty_lab.paper.table1_agents.training import Training
    from novelty_lab.registry import find_artefact
    from novelty_lab.runner import RunOptions, run_one

    check_seed(options.seed)
    training = Training(options.task, options.reward, options.steps)
    title = f"{options.task}, {options.reward}"
    table, run = find_artefact("rl-table"), run_of(training, options.seed)
    policy = options.out / table.name / run.name / POLICY
    settings = RunOptions(options.out, force=not policy.exists(), keep_files=True)
    with progress(title, training.steps) as bars:

        def report(done: int, of: int, latest: float) -> None:
            bars(done, of)
            bars.describe(f"{title}: {latest:.4g}")

        record, _ = run_one(table, run, settings, step_report=report)
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
    return 0

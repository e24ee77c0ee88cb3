"""``novelty run``: run an artefact, of one run or of many, and show what came out."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnable_novelty.cli.options import ENGINES, check_seed
from learnable_novelty.cli.progress import progress
from learnable_novelty.errors import UserError
from novelty_lab.cli.setting_options import add_settings_on_demand, given_settings
from novelty_lab.cli.show import print_tables

if TYPE_CHECKING:
    from novelty_lab.artefact import Artefact, Run

FAILED = 1


def add_commands(commands: Any) -> None:
    """Add ``run``."""
    run = commands.add_parser(
        "run",
        help="run an experiment of the paper",
        epilog="novelty run NAME --help lists the settings of an experiment, each an option.",
    )
    run.add_argument("name", metavar="NAME", help="see novelty list")
    run.add_argument(
        "--config",
        default="paper",
        choices=("paper", "quick"),
        help="settings to start from (paper)",
    )
    run.add_argument(
        "--seed",
        type=int,
        default=0,
        help="seed of the run (0); experiments of many runs take --seeds",
    )
    run.add_argument("--out", type=Path, default=Path("results"), help="results folder (results)")
    run.add_argument("--json", action="store_true", help="print the record")
    run.add_argument("--engine", help=f"{ENGINES} (serial for trainings, cores for the rest)")
    run.add_argument("--workers", type=int, metavar="K", help="the same as --engine cores:K")
    run.add_argument("--force", action="store_true", help="run again even if there is a record")
    run.add_argument(
        "--resume", action="store_true", help="only continue a run that was interrupted"
    )
    run.add_argument("--device", default="cpu", help="where to compute: cpu (default), cuda")
    run.add_argument("--data", type=Path, metavar="DIR", help="folder with the image files")
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change one setting"
    )
    add_settings_on_demand(run)
    run.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from learnable_novelty.engine import open_engine
    from novelty_lab.runner import RunOptions, run_all

    artefact, runs = plan(options)
    engine = choose_engine(options, artefact)
    timed = artefact.takes and options.config == "paper"
    title = f"{artefact.name} ({artefact.takes})" if timed else artefact.name
    with (
        open_engine(engine) as executor,
        _terminated_like_ctrl_c(engine),
        progress(title, None) as report,
    ):
        settings = RunOptions(
            options.out, options.device, options.data, options.force, options.resume
        )
        outcome = run_all(
            artefact,
            runs,
            settings,
            executor,
            report=report,
            detail=report.detail,
            failed=_tell_failure,
        )
    _show(artefact, runs, options, fresh=bool(outcome.fresh or outcome.failures))
    return FAILED if outcome.failures else 0


def _tell_failure(name: str, error: Exception) -> None:
    print(f"novelty: {name} failed: {error}", file=sys.stderr)


def plan(options: argparse.Namespace) -> tuple[Artefact, list[Run]]:
    """Check the options and list the runs."""
    from novelty_lab.registry import find_artefact
    from novelty_lab.runner import configure

    artefact = find_artefact(options.name)
    if options.unknown:
        raise UserError(
            f"{artefact.name} has no option {options.unknown[0]}; "
            f"novelty run {artefact.name} --help lists its settings"
        )
    check_seed(options.seed)
    _check_device(options.device)
    if artefact.many_runs and options.seed:
        raise UserError(f"{artefact.name} takes no --seed (seeds are --seeds)")
    if artefact.many_runs and options.resume:
        raise UserError(f"{artefact.name} takes no --resume (it always runs what is missing)")
    overrides = given_settings(artefact, options)
    return artefact, artefact.runs(*configure(artefact, options.config, overrides), options.seed)


def choose_engine(options: argparse.Namespace, artefact: Artefact) -> str:
    """Choose the engine, and refuse options that the artefact has no use for."""
    if options.workers is not None:
        if options.workers < 1:
            raise UserError(f"--workers takes a number of at least 1, got {options.workers}")
        if options.engine is not None:
            raise UserError(f"--workers does not go with --engine {options.engine}")
        options.engine = f"cores:{options.workers}"
    if options.device != "cpu" and "device" not in artefact.uses:
        raise UserError(f"{artefact.name} runs on the cpu, not on {options.device}")
    if options.data is not None and "data" not in artefact.uses:
        raise UserError(f"{artefact.name} reads no data, got --data {options.data}")
    if options.device == "cpu":
        return options.engine or artefact.engine
    if options.engine not in (None, "serial"):
        raise UserError(f"--device {options.device} needs --engine serial, got {options.engine}")
    return "serial"


def _show(
    artefact: Artefact, runs: Sequence[Run], options: argparse.Namespace, *, fresh: bool
) -> None:
    """Print the records or their tables, and draw the figures; of many runs, over all records."""
    from novelty_lab import records
    from novelty_lab.report import save_figures

    where, paths = options.out / artefact.name, records.find(options.out, artefact.name)
    if not artefact.many_runs:
        where /= runs[0].name
        paths = [where]
    loaded = [records.load(path) for path in paths]
    if options.json:
        shown = [record.to_json() for record in loaded]
        print(json.dumps(shown if artefact.many_runs else shown[0], indent=1))
    elif loaded:
        print_tables(artefact.tables(loaded))
    if not loaded:  # every run failed
        return
    note = "" if fresh else " (already there; --force runs it again)"
    print(f"record: {where}{note}", file=sys.stderr)
    for path in save_figures(artefact, loaded, options.out):
        print(f"figure: {path}", file=sys.stderr)


@contextmanager
def _terminated_like_ctrl_c(engine: str) -> Iterator[None]:
    """Have SIGTERM end this process in order, so that workers save the step that they are at.

    In this process itself a training looks out for the signal.
    """
    if engine == "serial":
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_device(device: str) -> None:
    """Raise for a device that this machine does not have."""
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError:
        kind = None
    if kind not in ("cpu", "cuda"):
        raise UserError(f"--device takes cpu, cuda or cuda:N, got {device!r}")
    if kind == "cuda" and not torch.cuda.is_available():
        raise UserError(f"--device {device} needs a GPU, and torch finds none on this machine")

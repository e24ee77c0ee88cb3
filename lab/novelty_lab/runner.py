"""Run an artefact, of one run or of hundreds: what is missing is run, each run is one record."""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learnable_novelty.engine import Report, Serial
from learnable_novelty.errors import UserError
from novelty_lab import records
from novelty_lab.artefact import Artefact, Run
from novelty_lab.atomic import recover
from novelty_lab.context import RunContext, StepReport, describe_device
from novelty_lab.lock import Busy, only_runner
from novelty_lab.records import Journal, Record
from novelty_lab.registry import find_artefact
from novelty_lab.settings import changed


@dataclass(frozen=True)
class RunOptions:
    """Where a run is saved and computed; the same for all runs of an artefact."""

    root: Path = Path("results")
    """The results folder."""
    device: str = "cpu"
    data: Path | None = None
    force: bool = False
    """Start over, even if the record is there."""
    resume: bool = False
    """Only go on with a run that was cut off."""
    keep_files: bool = False
    """Keep files beside the record, such as a trained policy."""


@dataclass(frozen=True)
class Outcome:
    """What became of the runs of an artefact."""

    fresh: list[str] = field(default_factory=list)
    """Names of the runs that were run now."""
    failures: dict[str, Exception] = field(default_factory=dict)
    """Of many runs: those that failed, and why."""


def configure(
    artefact: Artefact | str, config: str, overrides: Mapping[str, Any]
) -> tuple[str, Any]:
    """Return the name and the value of a configuration, with settings changed."""
    artefact = find_artefact(artefact) if isinstance(artefact, str) else artefact
    if config not in ("paper", "quick"):
        raise UserError(f"config must be paper or quick, got {config!r}")
    value = artefact.experiment.PAPER if config == "paper" else artefact.experiment.QUICK
    new_config = changed(artefact.name, value, overrides)
    if new_config == value:
        return config, value
    return f"custom-{records.digest(records.configuration_of(new_config))}", new_config


def run_experiment(
    name: str,
    config: str = "paper",
    *,
    seed: int = 0,
    root: Path = Path("results"),
    executor: Executor | None = None,
    report: Report | None = None,
    detail: Callable[[str, int, int], None] | None = None,
    overrides: Mapping[str, Any] | None = None,
    force: bool = False,
    resume: bool = False,
) -> tuple[Record, bool]:
    """Run an artefact of one run by its name; return its record, and whether it was run now."""
    artefact = find_artefact(name)
    (run,) = artefact.runs(*configure(artefact, config, overrides or {}), seed)
    options = RunOptions(root, force=force, resume=resume)
    context = RunContext(executor or Serial(), report=report, detail=detail)
    return run_one(artefact, run, options, context)


def run_all(
    artefact: Artefact,
    runs: Sequence[Run],
    options: RunOptions,
    executor: Executor,
    *,
    report: Report | None = None,
    detail: Callable[[str, int, int], None] | None = None,
    failed: Callable[[str, Exception], None] | None = None,
) -> Outcome:
    """Run what is missing; ``failed`` is told at once of a run of many that fails.

    An artefact of one run divides that run among the workers of the executor. One of many gives
    each worker whole runs: a run that fails does not stop the others, and one that another process
    is at is left to it, so that two runners share the work.
    """
    if not artefact.many_runs:
        context = RunContext(executor, report=report, detail=detail)
        fresh = [run.name for run in runs if run_one(artefact, run, options, context)[1]]
        return Outcome(fresh)
    options = dataclasses.replace(options, root=options.root.resolve())  # workers start elsewhere
    missing = [r for r in runs if options.force or find_record(artefact, r, options.root) is None]
    outcome = Outcome()
    done = len(runs) - len(missing)
    futures: dict[Future[bool], Run] = {}

    def tell() -> None:
        if report is not None:
            report(done, len(runs))

    def finish(future: Future[bool]) -> None:
        nonlocal done
        run, error = futures[future], future.exception()
        if error is None and future.result():
            outcome.fresh.append(run.name)
            if find_record(artefact, run, options.root) is None:
                error = FileNotFoundError(
                    f"its record was saved where this machine does not see it, not in "
                    f"{options.root}"
                )
        if isinstance(error, BrokenExecutor | CancelledError) or not isinstance(
            error, Exception | None
        ):
            raise error  # the workers are gone, or this process is told to stop
        if error is not None:
            outcome.failures[run.name] = error
            if failed is not None:
                failed(run.name, error)
        done += 1
        tell()

    tell()
    for run in missing:
        future = executor.submit(_run_in_worker, artefact, run, options)
        futures[future] = run
        if isinstance(executor, Serial):
            finish(future)
    if not isinstance(executor, Serial):
        for future in as_completed(futures):
            finish(future)
    return outcome


def _run_in_worker(artefact: Artefact, run: Run, options: RunOptions) -> bool:
    """Run and save one of many; return whether it was run, not left to another process."""
    try:
        return run_one(artefact, run, options)[1]
    except Busy:
        return False


def run_one(
    artefact: Artefact,
    run: Run,
    options: RunOptions,
    context: RunContext | None = None,
    step_report: StepReport | None = None,
) -> tuple[Record, bool]:
    """Compute one run and save its record, unless it is there already.

    What a run that was cut off had finished is not computed again. One process at a time computes
    a run in a results folder.

    Returns:
        The record, and whether it was run now.

    Raises:
        UserError: before any work, if another process is at it, or the folder cannot be written
            to.
        OSError: if the record cannot be written; what was finished is kept for the next run.
    """
    folder, target = options.root / artefact.name, options.root / artefact.name / run.name
    configuration = records.configuration_of(run.config)
    if options.force and options.resume:
        raise UserError("force starts over and resume goes on: expected one of them")
    existing = None if options.force else find_record(artefact, run, options.root)
    if existing is not None:
        return existing, False
    journal = Journal(folder / f".{run.name}.partial", {"config": configuration})
    workspace = folder / f".{run.name}-{records.digest(configuration)}.work"
    if options.resume and not (journal.path.exists() or workspace.exists()):
        raise UserError(f"nothing to resume: no run of {artefact.name} was cut off under {folder}")
    context = dataclasses.replace(
        context or RunContext(),
        journal=journal,
        device=options.device,
        data=options.data,
        records=options.root,
        workspace=workspace,
        keep_files=options.keep_files,
        step_report=step_report,
    )
    with only_runner(target):
        recover(target)
        existing = None if options.force else find_record(artefact, run, options.root)
        if existing is not None:  # another runner has saved it since we looked
            return existing, False
        if options.force:
            journal.discard()
            shutil.rmtree(workspace, ignore_errors=True)
        record = _compute(artefact, run, options, context)
        journal.discard()
        shutil.rmtree(workspace, ignore_errors=True)
    return record, True


def _compute(artefact: Artefact, run: Run, options: RunOptions, context: RunContext) -> Record:
    started = time.perf_counter()
    computed = artefact.run(run.config, seed=run.seed, context=context)
    record = Record(
        experiment=artefact.name,
        config=run.config_name,
        configuration=records.configuration_of(run.config),
        seed=run.seed,
        results=computed.results,
        scores=computed.scores,
        arrays=computed.arrays,
        versions=records.versions() | computed.versions,
        device=computed.device or describe_device(options.device),
        wall_time_s=round(time.perf_counter() - started, 2),
    )
    record.save(options.root, computed.files)
    return record


def find_record(artefact: Artefact, run: Run, root: Path) -> Record | None:
    """Return the record of a run if it is there, with these settings and this observer."""
    path = root / artefact.name / run.name
    if not (path / "record.json").exists():
        return None
    record = records.load(path)
    if records.is_of_older(record, run.config):
        return None
    return record if records.is_of(record.configuration, run.config) else None

"""Kill a run at random moments, many times, and look at what is left.

``python -m stress kills --kills 300 --save`` writes stress/kills.json.

A toy experiment of eight tasks and a large array runs in a child process that is killed (SIGKILL)
after a random time, and started again until it finishes; then it runs with other settings on top of
its record. Half of the rounds have the file system's exchange of two folders taken away. After
every kill:

- a record that was there is there, whole, and is either the old one or the new one;
- what the folder shows as records are whole records, never drafts;
- a task that the journal holds is not run again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from novelty_lab import atomic as _atomic
from novelty_lab import records
from novelty_lab.artefact import Artefact, Run
from novelty_lab.context import RunContext, RunResult
from novelty_lab.records import Journal
from novelty_lab.runner import RunOptions, run_one

HERE = Path(__file__).parent
NAME = "toy"
TASKS = 8


@dataclass(frozen=True)
class Config:
    """The toy's settings; ``edition`` tells one forced run from the next."""

    tasks: int = TASKS
    seconds: float = 0.004
    values: int = 60_000
    edition: int = 0
    log: str = ""


@dataclass
class Outcome:
    """What the kills found."""

    kills: int = 0
    while_running: int = 0
    while_saving: int = 0
    after_saving: int = 0
    finished_first: int = 0
    """Runs that ended before their kill came."""
    records_replaced: int = 0
    lost: int = 0
    half_written: int = 0
    counted_twice: int = 0


def work(number: int, config: Config) -> int:
    """Take a while, and note down that the task was run."""
    time.sleep(config.seconds)
    with open(config.log, "a") as file:
        file.write(f"{config.edition} {number}\n")
    return number**2 + config.edition


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Run the toy."""
    found = context.map(work, {f"task {i}": (i, config) for i in range(config.tasks)})
    values = np.random.default_rng(config.edition).normal(size=config.values)
    return RunResult({"found": found, "edition": config.edition}, arrays={"values": values})


def whole(record: records.Record) -> bool:
    """Tell whether a record is what an undisturbed run writes."""
    edition = record.results["edition"]
    expected = {f"task {i}": i**2 + edition for i in range(TASKS)}
    values = np.random.default_rng(edition).normal(size=record.arrays["values"].size)
    return record.results["found"] == expected and np.array_equal(record.arrays["values"], values)


def child(root: Path, config: Config, swap: bool) -> None:
    """Run the toy once, as the command line would."""
    if not swap:  # as on a system where two folders cannot be exchanged in one step
        _atomic.exchange = lambda one, other: False
    run_toy(config, root)


class Toy(Artefact):
    """The toy as an artefact."""

    def run(self, config: Config, *, seed: int, context: RunContext) -> RunResult:
        """Run the toy."""
        return run(config, seed=seed, context=context)


def run_toy(config: Config, root: Path) -> tuple[records.Record, bool]:
    """Run the toy; one folder for all editions: a run replaces the record of the one before."""
    toy = Toy(f"stress.{NAME}", "a toy", order=0)
    return run_one(toy, Run("paper", config, 0), RunOptions(root))


def look(root: Path, before: int | None, outcome: Outcome) -> int | None:
    """Check the records that are seen; return the edition of the one that is there."""
    found = list(records.find(root))
    if not found and before is not None:
        _atomic.recover(root / NAME / "paper-seed0")  # as the next run does
        found = list(records.find(root))
    if not found:
        outcome.lost += before is not None
        return None
    try:
        record = records.load(found[0])
    except ValueError:
        outcome.half_written += 1
        return None
    outcome.half_written += not whole(record) or len(found) > 1
    return int(record.results["edition"])


def harass(kills: int, folder: Path, seed: int = 0) -> Outcome:
    """Run, kill and look until there were enough kills."""
    chance = np.random.default_rng(seed)
    context = multiprocessing.get_context("fork")
    root, log = folder / "results", folder / "log"
    outcome, edition, before = Outcome(), 0, None
    longest = 0.1
    while outcome.kills < kills:
        edition += 1
        config = Config(edition=edition, log=str(log))
        journal = Journal(
            root / NAME / ".paper-seed0.partial", {"config": records.configuration_of(config)}
        )
        while before != edition:
            held = set(journal.read())
            runs = Counter(log.read_text().splitlines()) if log.exists() else Counter()
            process = context.Process(target=child, args=(root, config, edition % 2 == 0))
            started = time.monotonic()
            process.start()
            process.join(float(chance.uniform(0, 1.2 * longest)))
            if process.is_alive():
                process.kill()
                process.join()
                outcome.kills += 1
                _sort(root, outcome, edition)
            else:
                longest = 0.9 * longest + 0.1 * (time.monotonic() - started)
                outcome.finished_first += 1
                if process.exitcode != 0:
                    raise RuntimeError(f"the toy failed with {process.exitcode}")
            after = look(root, before, outcome)
            outcome.records_replaced += after is not None and after != before is not None
            again = Counter(log.read_text().splitlines()) if log.exists() else Counter()
            for name in held:
                key = f"{edition} {name.removeprefix('task ')}"
                outcome.counted_twice += again[key] > runs[key]
            longest = min(2.0, longest * 1.05) if after == before else longest
            before = after
    return outcome


def _sort(root: Path, outcome: Outcome, edition: int) -> None:
    """Note what the killed run was at."""
    target = root / NAME / "paper-seed0"
    if list(target.parent.glob(".paper-seed0-*")):
        outcome.while_saving += 1
    elif target.exists() and records.load(target).results["edition"] == edition:
        outcome.after_saving += 1
    else:
        outcome.while_running += 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and write; return 1 if anything was lost, half-written or counted twice."""
    parser = argparse.ArgumentParser(prog="python -m stress kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", action="store_true", help="also write stress/kills.json")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        outcome = harass(options.kills, Path(folder), options.seed)
    text = json.dumps({"seed": options.seed, **dataclasses.asdict(outcome)}, indent=1)
    print(text)
    if options.save:
        (HERE / "kills.json").write_text(text + "\n")
    return int(outcome.lost + outcome.half_written + outcome.counted_twice > 0)

"""One training run of an agent is one record, whoever asked for it."""

from __future__ import annotations

import contextlib
import importlib.metadata
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learnable_novelty.storage import write_whole
from novelty_lab import records
from novelty_lab.agents.policy import to_bytes
from novelty_lab.agents.training import PPOSettings, Training, train
from novelty_lab.agents.tuned import TUNED, make_training
from novelty_lab.atomic import recover
from novelty_lab.lock import only_runner
from novelty_lab.records import Record

EXPERIMENT = "rl-table"
PACKAGES = ("stable-baselines3", "gymnasium", "mujoco", "gymnasium-robotics", "box2d")


def config_name(training: Training) -> str:
    """Name a run: task and reward, and a digest where it departs from the paper's settings."""
    name = f"{training.task}-{training.reward}"
    if training == make_training(training.task, training.reward):
        return name
    tuned = training.task in TUNED and make_training(training.task, training.reward, tuned=True)
    if training == tuned:
        return f"{name}-tuned"
    return f"{name}-custom-{records.digest(records.configuration_of(training))}"


def path_of(training: Training, seed: int, root: Path) -> Path:
    """Return the directory of a run's record under a results folder."""
    return root / EXPERIMENT / f"{config_name(training)}-seed{seed}"


def training_of(configuration: dict[str, Any]) -> Training:
    """Read a configuration back; fields it lacks are newer than it, and at their defaults."""
    ppo = dict(configuration.get("ppo", {}))
    if "net_arch" in ppo:
        ppo["net_arch"] = tuple(ppo["net_arch"])
    held: dict[str, Any] = configuration | {"ppo": PPOSettings(**ppo)}
    return Training(**held)


def find_run(training: Training, seed: int, root: Path) -> Record | None:
    """Return the record of this run if it is there."""
    path = path_of(training, seed, root)
    if not (path / "record.json").exists():
        return None
    held = records.load(path)
    return held if training_of(held.configuration) == training else None


def run_agent(
    training: Training,
    seed: int,
    root: Path,
    *,
    force: bool = False,
    report: Callable[[int, int, float], None] | None = None,
) -> Record:
    """Train, evaluate and save the record; one that is there already is not run again."""
    held = None if force else find_run(training, seed, root)
    if held is not None:
        return held
    with only_runner(path_of(training, seed, root)):
        recover(path_of(training, seed, root))
        held = None if force else find_run(training, seed, root)  # another runner may have saved it
        return held or _run(training, seed, root, report)[0]


def run_and_keep(
    training: Training,
    seed: int,
    root: Path,
    *,
    report: Callable[[int, int, float], None] | None = None,
) -> tuple[Record, Path]:
    """Train, evaluate and save the record and the policy; return both."""
    held = find_run(training, seed, root)
    policy = path_of(training, seed, root) / "policy.zip"
    if held is not None and policy.exists():
        return held, policy
    with only_runner(path_of(training, seed, root)):
        recover(path_of(training, seed, root))
        record, model = _run(training, seed, root, report)
        # Whole or not at all: a policy that is there is not trained again.
        write_whole(policy, to_bytes(model))
    return record, policy


def _run(
    training: Training, seed: int, root: Path, report: Callable[[int, int, float], None] | None
) -> tuple[Record, Any]:
    root = root.resolve()
    started = time.perf_counter()
    # MuJoCo writes a log of its warnings into the working directory.
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        model, figures = train(training, seed=seed, report=report)
    record = Record(
        experiment=EXPERIMENT,
        config=config_name(training),
        configuration=records.configuration_of(training),
        seed=seed,
        results=figures,
        versions=records.versions() | package_versions(),
        wall_time_s=round(time.perf_counter() - started, 2),
    )
    record.save(root)
    return record, model


def package_versions() -> dict[str, str]:
    """Return the versions of the simulators and of the trainer."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found

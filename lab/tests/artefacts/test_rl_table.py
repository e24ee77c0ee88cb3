"""The table of agents: each run has one record, whatever happens while it runs."""

import dataclasses
import random
import subprocess
import sys
import time

import pytest

from learnable_novelty.cli.main import main
from learnable_novelty.engine import Serial
from novelty_lab import records
from novelty_lab.paper.table1_agents import ARTEFACT
from novelty_lab.paper.table1_agents import experiment as rl_table
from novelty_lab.runner import RunOptions, run_all

SMALL = rl_table.Config(
    tasks=("Pendulum",), rewards=("task", "task+magnitude"), seeds=(0, 1), steps=1,
    evaluation_episodes=2,
)  # fmt: skip
TRAINED = dataclasses.replace(SMALL, seeds=(0,))

DRIVER = """
import os, signal, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from learnable_novelty.engine import open_engine
from novelty_lab.paper.table1_agents import ARTEFACT
from novelty_lab.paper.table1_agents import experiment as rl_table
from novelty_lab.runner import RunOptions, run_all
config = rl_table.Config(
    tasks=("Pendulum",), rewards=("task", "task+magnitude"), seeds=(0,), steps=1,
    evaluation_episodes=2,
)
runs = ARTEFACT.runs("", config, 0)
for _ in sys.stdin:  # a line starts a run in a process of its own, the next one kills it
    if (child := os.fork()) == 0:
        with open_engine(sys.argv[2]) as executor:
            assert not run_all(ARTEFACT, runs, RunOptions(Path(sys.argv[1])), executor).failures
        os._exit(0)
    print("started", flush=True)
    sys.stdin.readline()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
"""
"""The imports, which take longer than a run, are paid once for all kills."""


def run_table(config, root, executor=None, **more):
    runs = ARTEFACT.runs("", config, 0)
    return run_all(ARTEFACT, runs, RunOptions(root), executor or Serial(), **more).failures


def results(root):
    found = {path.name: records.load(path) for path in records.find(root, "rl-table")}
    return {name: (record.configuration, record.results) for name, record in found.items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    root = tmp_path_factory.mktemp("undisturbed")
    assert run_table(TRAINED, root) == {}
    return results(root)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("engine", "kills", "longest"),
    [("serial", 2, 4.0), pytest.param("cores:2", 1, 6.0, marks=pytest.mark.slow)],
)
def test_killed_it_ends_with_the_same_records(tmp_path, undisturbed, engine, kills, longest):
    assert len(undisturbed) == 2
    chance, pipes = random.Random(0), {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", DRIVER, tmp_path, engine]
    with subprocess.Popen(command, text=True, bufsize=1, **pipes) as driver:
        for _ in range(kills):
            for pause, answer in ((0.0, "started\n"), (chance.uniform(0.0, longest), "killed\n")):
                time.sleep(pause)
                driver.stdin.write("\n")
                assert driver.stdout.readline() == answer
            for name, held in results(tmp_path).items():
                assert held == undisturbed[name]
        driver.stdin.close()
    # A worker outlives its killed parent until its run is saved: that run is left to it.
    deadline = time.monotonic() + 120.0
    while len(results(tmp_path)) < len(undisturbed) and time.monotonic() < deadline:
        assert run_table(TRAINED, tmp_path) == {}
    assert results(tmp_path) == undisturbed


def test_a_run_that_fails_does_not_stop_the_others(tmp_path, monkeypatch):
    def fail(training, *, seed, report=None):
        if seed == 0:
            raise ValueError("no such luck")
        return object(), {"return": 1.0}

    monkeypatch.setattr(rl_table, "train", fail)
    told = []
    failures = run_table(SMALL, tmp_path, failed=lambda *failure: told.append(failure))
    assert [str(error) for error in failures.values()] == ["no such luck"] * 2
    assert dict(told) == failures
    assert all("seed0" in name for name in failures)
    assert len(results(tmp_path)) == 2


def test_the_command_refuses_what_it_cannot_do(capsys, tmp_path):
    for arguments, sentence in [
        (["train", "Atlantis"], "expected a task"),
        (["train", "Hopper", "--reward", "fame"], "expected a reward"),
        (["train", "Hopper", "--steps", "0"], "steps of at least 1"),
        (["run", "rl-table", "--tasks", "Atlantis"], "tasks must be among Acrobot"),
        (["run", "rl-table", "--seeds", "a-b"], "--seeds takes whole numbers"),
        (["run", "rl-table", "--workers", "0"], "at least 1"),
        (["run", "eca", "--tasks", "Hopper"], "eca has no option --tasks"),
        (["run", "rl-table", "--seed", "3"], "takes no --seed (seeds are --seeds"),
        (
            ["run", "rl-table", "--set", "steps=x"],
            "steps must be a whole number",
        ),
        (["run", "rl-table", "--conditions", "fame"], "rewards must be among task"),
        (["run", "rl-table", "--seeds", "9-0"], "--seeds takes ranges that go up"),
        (["run", "rl-table", "--steps", "0"], "steps of at least 1"),
        (["run", "rl-table", "--workers", "2", "--engine", "cores"], "does not go with --engine"),
        (["run", "rl-table", "--resume"], "takes no --resume"),
    ]:
        assert main([*arguments, "--out", str(tmp_path)]) == 2
        error = capsys.readouterr().err
        assert sentence in error
        assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())

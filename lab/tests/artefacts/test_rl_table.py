"""The table of agents: each run has one record, whatever happens while it runs."""

import contextlib
import dataclasses
import itertools
import json
import random
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path

import pytest

from learnable_novelty.cli.main import main
from learnable_novelty.engine import Serial
from novelty_lab import records, runner
from novelty_lab.lock import Busy
from novelty_lab.paper.table1_agents import ARTEFACT
from novelty_lab.paper.table1_agents import experiment as rl_table
from novelty_lab.paper.table1_agents.training import (
    CURVE_POINTS,
    REWARDS,
    Reading,
    Training,
    thinned,
)
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


def test_what_is_there_is_not_run_again_and_a_damaged_one_is(tmp_path, undisturbed):
    one = rl_table.Config(
        tasks=("Pendulum",), rewards=("task",), seeds=(0,), steps=1, evaluation_episodes=2
    )
    seen = []
    run_table(one, tmp_path, report=lambda *told: seen.append(told))
    run_table(one, tmp_path, report=lambda *told: seen.append(told))
    assert seen == [(0, 1), (1, 1), (1, 1)]
    (path,) = records.find(tmp_path, "rl-table")
    held = json.loads((path / "record.json").read_text())
    held["configuration"]["steps"] = 5
    (path / "record.json").write_text(json.dumps(held))
    with pytest.raises(ValueError, match="changed after it was written; restore it, or remove"):
        run_table(one, tmp_path)
    del held["checksum"]  # as if it had been written for other settings
    (path / "record.json").write_text(json.dumps(held))
    run_table(one, tmp_path)
    assert results(tmp_path)[path.name] == undisturbed[path.name]


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


class Elsewhere(Executor):
    """Does the work at once, in another folder."""

    def __init__(self, folder):
        self.folder = folder

    def submit(self, work, /, *given, **named):
        future = Future()
        with contextlib.chdir(self.folder):
            future.set_result(work(*given, **named))
        return future


def test_a_worker_in_another_folder_saves_where_the_table_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(rl_table, "train", lambda *_, **__: (object(), {"return": 1.0}))
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run_table(SMALL, Path("out"), Elsewhere(tmp_path / "there")) == {}
    assert len(results(tmp_path / "here" / "out")) == 4
    assert not list((tmp_path / "there").iterdir())


def test_a_record_that_was_saved_out_of_sight_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run_one", lambda *_, **__: (None, True))
    failures = run_table(SMALL, tmp_path)
    assert len(failures) == 4
    assert all("does not see it" in str(error) for error in failures.values())


def test_a_run_that_another_process_is_at_is_left_to_it(tmp_path, monkeypatch):
    def busy(*_, **__):
        raise Busy("another process is at it")

    monkeypatch.setattr(runner, "run_one", busy)
    assert run_table(SMALL, tmp_path) == {}


@pytest.mark.parametrize(("points", "kept"), [(0, 0), (1, 1), (200, 200), (201, 101), (601, 151)])
def test_curves_keep_evenly_spaced_points_and_the_last(points, kept):
    curve = [(step, float(step)) for step in range(1, points + 1)]
    found = thinned(curve)
    assert len(found) == kept
    assert found[-1:] == curve[-1:]
    assert len({b[0] - a[0] for a, b in itertools.pairwise(found)}) <= 1


def test_an_unknown_reward_lists_every_reward(capsys):
    assert main(["train", "Hopper", "--reward", "fame"]) == 2
    shown = capsys.readouterr().err
    assert all(f" {reward}" in shown for reward in REWARDS)


def test_names_tell_settings_apart():
    def name(training):
        return rl_table.run_of(training, 0).config_name

    assert name(Training("Hopper", "task")) == "Hopper-task"
    assert name(Training("Hopper", "task", steps=5)).startswith("Hopper-task-custom-")
    other = Training("Hopper", "task+epiplexity", reading=Reading(return_size="deviation"))
    assert name(other).startswith("Hopper-task+epiplexity-custom-")
    assert records.is_of(records.configuration_of(other), other)
    assert not records.is_of(records.configuration_of(other), Training("Hopper", other.reward))


def test_seeds_come_one_after_the_other_so_that_a_cut_table_is_even():
    order = [(run.seed, run.config.reward) for run in rl_table.runs(SMALL)]
    assert order == [(0, "task"), (0, "task+magnitude"), (1, "task"), (1, "task+magnitude")]


def test_committed_runs_are_of_the_papers_settings():
    root = Path(__file__).parents[3] / "results"
    paths = list(records.find(root, "rl-table"))
    assert paths
    for path in paths:
        record = records.load(path)
        training = Training(record.configuration["task"], record.configuration["reward"])
        run = rl_table.run_of(training, record.seed)
        assert run.name == path.name
        # Those of the paper's own bonus are of the older recursion.
        older = training.reward.endswith("epiplexity") and record.older_observer
        assert older or runner.find_record(ARTEFACT, run, root) is not None
        assert len(record.results["returns"]) == 100
        assert len(record.results["curve"]) <= CURVE_POINTS
        assert record.results["steps_trained"] >= training.steps


def test_the_command_refuses_what_it_cannot_do(capsys, tmp_path):
    for arguments, sentence in [
        (["train", "Atlantis"], "expected a task"),
        (["train", "Hopper", "--reward", "fame"], "expected a reward"),
        (["train", "Hopper", "--steps", "0"], "steps of at least 1"),
        (["train", "Hopper", "--video", "film.mp4"], "takes a .gif file"),
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


def test_the_command_trains_saves_and_finds_again(capsys, tmp_path):
    command = ["train", "Pendulum", "--reward", "task", "--steps", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    assert "return -1" in capsys.readouterr().out
    (path,) = records.find(tmp_path, "rl-table")
    assert (path / "policy.zip").exists()
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]["steps_trained"] == 8192

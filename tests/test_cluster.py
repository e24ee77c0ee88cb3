"""A Dask cluster: a scheduler and two workers, each a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import learnable_novelty as ln
from learnable_novelty import cluster
from learnable_novelty.cli import main
from learnable_novelty.engine import open_engine
from learnable_novelty.experiments import run_experiment

SMALL = {"channels": 16, "samples": 16, "burn_in": 40, "draws": 1}


@pytest.fixture
def running(tmp_path):
    """Start a scheduler and two workers; return its address and them."""
    held = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(held)]
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        *[["worker", "--no-nanny", "--no-dashboard", "--nthreads", "1"] for _ in range(2)],
    ]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command, *common],
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        )
        for command in commands
    ]
    try:
        for _ in range(600):
            if held.exists() and held.read_text().strip():
                break
            time.sleep(0.1)
        yield json.loads(held.read_text())["address"].removeprefix("tcp://"), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_for_workers(executor, count):
    executor._client.wait_for_workers(count, timeout=60)


def test_killing_a_worker_in_the_middle_changes_nothing(running, tmp_path):
    address, workers = running
    alone, _ = run_experiment("eca", "quick", root=tmp_path / "a", overrides=SMALL)
    seen = []

    def kill_one(done, total):
        seen.append(done)
        if done == 5:
            os.kill(workers[0].pid, signal.SIGKILL)

    rng = np.random.default_rng(0)
    values = rng.standard_normal((30_000, 3))
    np.save(tmp_path / "t.npy", values)
    expected = ln.score(tmp_path / "t.npy", "2", draws=2, null=19)
    with open_engine(f"dask://{address}") as executor:
        wait_for_workers(executor, 2)
        # Shards of a file and of a stream: the same bits as in this process.
        assert ln.score(tmp_path / "t.npy", "2", draws=2, null=19, executor=executor) == expected
        stream = [(part[:, :2], part[:, 2:]) for part in np.array_split(values, 13)]
        assert ln.score(stream, draws=2, null=19, executor=executor).bits == pytest.approx(
            expected.bits, abs=1e-10
        )
        found, _ = run_experiment(
            "eca", "quick", root=tmp_path / "b", overrides=SMALL, executor=executor, report=kill_one
        )
        assert workers[0].wait(timeout=30) == -signal.SIGKILL
        # The other worker goes on.
        assert ln.score(values[:, :2], values[:, 2], draws=1, null=0, executor=executor).draws == 1
    assert found.scores == alone.scores
    assert seen == sorted(seen) and seen[-1] > 5


def test_a_cluster_of_this_machine_runs_the_command(tmp_path, capsys):
    np.save(tmp_path / "t.npy", np.random.default_rng(0).standard_normal((300, 2)))
    command = ["score", str(tmp_path / "t.npy"), "--targets", "1", "--json", "--draws", "2"]
    found = []
    for engine in ("serial", "dask:2"):
        assert main([*command, "--engine", engine]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    np.save(tmp_path / "t.npy", np.ones((10, 2)))
    command = ["score", str(tmp_path / "t.npy"), "--targets", "1"]
    assert main([*command, "--engine", "dask://127.0.0.1:1"]) == 2
    assert "expected a Dask scheduler at 127.0.0.1:1, none answered" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["dask:0", "dask:x", "dask://", "dask://host", "ray"])
def test_unknown_clusters_are_refused(name):
    with pytest.raises(ValueError, match="engine must be"), open_engine(name):
        pass

"""A Dask cluster: a scheduler and two workers, each a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty import cluster
from learnable_novelty.cli.main import main
from learnable_novelty.cluster import knowing_its_workers
from learnable_novelty.data import arrays
from learnable_novelty.engine import in_order, open_engine
from learnable_novelty.errors import EngineError

SMALL = {"channels": 16, "samples": 16, "burn_in": 40, "draws": 1}


class Cluster:
    """A scheduler, and workers that are replaced when they were killed."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.workers, self.started = [], []
        self.scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        )
        self.add_workers()
        for _ in range(600):
            if self.file.exists() and self.file.read_text().strip():
                break
            time.sleep(0.1)
        self.address = json.loads(self.file.read_text())["address"].removeprefix("tcp://")

    def start(self, *command):
        command = [sys.executable, "-m", "dask", *command, "--scheduler-file", str(self.file)]
        self.started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=self.folder))
        return self.started[-1]

    def add_workers(self):
        """Start workers until two live."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(
                self.start("worker", "--no-nanny", "--no-dashboard", "--nthreads", "1")
            )


@pytest.fixture(scope="module")
def cluster_of_two(tmp_path_factory):
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield found
    finally:
        for process in found.started:
            process.kill()
            process.wait()


@pytest.fixture
def running(cluster_of_two):
    cluster_of_two.add_workers()
    return cluster_of_two


def wait_for_workers(executor, count):
    executor._client.wait_for_workers(count, timeout=60)


class KillOnce:
    """Progress that kills a worker once so many are done."""

    def __init__(self, worker, after):
        self.worker, self.after, self.seen = worker, after, []

    def __call__(self, done, total):
        if done >= self.after and self.worker.poll() is None:
            os.kill(self.worker.pid, signal.SIGKILL)
            self.worker.wait(timeout=30)
        self.seen.append((done, total))


def test_killing_workers_while_partitions_and_draws_are_scored_changes_nothing(
    running, tmp_path, monkeypatch
):
    import dask.array
    import dask.dataframe

    monkeypatch.setattr(arrays, "PARTITION_ROWS", 1000)
    workers = list(running.workers)
    values = np.random.default_rng(0).standard_normal((8_000, 3))
    np.save(tmp_path / "t.npy", values)
    task = {"draws": 3, "null": 19}
    file = ln.open_columns(tmp_path / "t.npy", None, "2", chunks=True)
    by_chunks = ln.score(file, **task)
    by_draws = ln.score(values[:400, :2], values[:400, 2], **task)
    with open_engine(f"dask://{running.address}") as executor:
        wait_for_workers(executor, 2)
        client = executor._client
        # The executor of a client as its owner makes it: all workers are used, on one thread each.
        plain = client.get_executor()
        assert knowing_its_workers(plain)._max_workers == 2
        assert list(in_order(plain, torch.get_num_threads, [()] * 3)) == [1] * 3
        # What the cluster holds already: read here, and by its workers.
        array = dask.array.from_array(values, chunks=(1500, 2)).persist()
        frame = dask.dataframe.from_pandas(pd.DataFrame(values, columns=list("abc")), npartitions=9)
        frame = frame.persist()
        for where in (None, plain):
            for x, y in ((array[:, :2], array[:, 2:]), (frame[["a", "b"]], frame[["c"]])):
                found = ln.score(x, y, **task, executor=where)
                assert found.bits == pytest.approx(by_chunks.bits, abs=1e-10)
                assert found.p_value == by_chunks.p_value
        # In the second pass over the file.
        killing = KillOnce(workers[0], 10_000)
        found = ln.score(file, **task, executor=plain, progress=killing)
        assert found == by_chunks and workers[0].poll() == -signal.SIGKILL
        assert killing.seen[0][1] == killing.seen[-1][0] == killing.seen[-1][1] == 16_000
        running.add_workers()
        wait_for_workers(executor, 2)
        # Partitions that died with the worker are made again.
        found = ln.score(frame[["a", "b"]], frame[["c"]], **task, executor=plain)
        assert found.bits == pytest.approx(by_chunks.bits, abs=1e-10)
        killing = KillOnce(workers[1], 2)
        draws = ln.score(
            values[:400, :2], values[:400, 2], **task, executor=executor, progress=killing
        )
        assert draws == by_draws and workers[1].poll() == -signal.SIGKILL
        with (
            pytest.raises(ValueError, match="executor of the Dask client that holds this data"),
            open_engine("cores:1") as cores,
        ):
            ln.score(array, window=1, **task, executor=cores)


def test_a_cluster_of_this_machine_runs_the_command(tmp_path, capsys):
    np.save(tmp_path / "t.npy", np.random.default_rng(0).standard_normal((300, 2)))
    command = ["score", str(tmp_path / "t.npy"), "--targets", "1", "--json", "--draws", "2"]
    found = []
    for engine in ("serial", "dask:2"):
        assert main([*command, "--engine", engine]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


def test_a_scheduler_that_dies_is_told_in_a_sentence(running, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 5.0)  # it is also how long Dask tries again

    def tasks():
        for number in range(50):
            if number == 3:
                running.scheduler.kill()
            yield (0.2,)

    with (
        pytest.raises(EngineError, match=r"the Dask scheduler went away.*run it again"),
        open_engine(f"dask://{running.address}") as executor,
    ):
        wait_for_workers(executor, 2)
        list(in_order(executor, time.sleep, tasks()))

import os
import pickle
import signal
import subprocess
import sys
import time

import pytest

from learnable_novelty.engine import Parcel, Serial, in_order, open_engine
from learnable_novelty.errors import EngineError
from novelty_lab.records import Journal
from novelty_lab.tasks import run_tasks


def square(value):
    if value < 0:
        raise ValueError("negative")
    return value * value


@pytest.mark.parametrize("name", ["serial", "cores:2"])
def test_tasks_come_back_in_order_on_every_engine(name):
    tasks = {str(k): (k,) for k in (3, 1, 2)}
    with open_engine(name) as executor:
        assert run_tasks(square, tasks, executor) == {"3": 9, "1": 1, "2": 4}


class Counted:
    """Counts how often it is packed."""

    packed = 0

    def __getstate__(self):
        Counted.packed += 1
        return {"value": 3}


def test_what_tasks_share_is_packed_once_and_unpacked_once_per_process():
    parcel = Parcel(Counted())
    sent = [pickle.dumps((k, parcel)) for k in range(5)]
    assert Counted.packed == 1
    received = [pickle.loads(one)[1].content for one in sent]
    assert received[0].value == 3 and all(one is received[0] for one in received)


def test_finished_tasks_are_not_run_again_after_a_failure(tmp_path):
    journal = Journal(tmp_path / "j", {})
    calls = []

    def counted(value):
        calls.append(value)
        return square(value)

    tasks = {"a": (2,), "b": (-1,)}
    with pytest.raises(ValueError, match="negative"):
        run_tasks(counted, tasks, Serial(), journal=journal)
    assert journal.read() == {"a": 4}
    seen = []
    again = run_tasks(
        counted,
        {"a": (2,), "b": (5,)},
        Serial(),
        journal=journal,
        report=lambda *x: seen.append(x),
    )
    assert again == {"a": 4, "b": 25}
    assert calls == [2, -1, 5]
    assert seen == [(1, 2), (2, 2)]


def end(signal_number):
    os.kill(os.getpid(), signal_number)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_is_told_in_a_sentence(workers):
    sentence = rf"a worker process of the engine 'cores:{workers}' died.*fewer workers.*again"
    with (
        pytest.raises(EngineError, match=sentence) as stopped,
        open_engine(f"cores:{workers}") as executor,
    ):
        list(in_order(executor, end, [(signal.SIGKILL,)]))
    assert stopped.value.exit_code == 1 and not isinstance(stopped.value, ValueError)


def test_ctrl_c_ends_a_run_at_once_keeps_what_was_finished_and_leaves_no_worker(tmp_path):
    command = [sys.executable, "-m", "learnable_novelty.cli", "run", "mdl", "--out", str(tmp_path)]
    settings = ["--engine", "cores:1", "--set", "draws=2", "--set", "samples=64"]
    run = subprocess.Popen(
        command + settings,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # A shell that runs the tests in its background has them ignore Ctrl-C, and what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    journal = tmp_path / "mdl"
    for _ in range(600):
        time.sleep(0.1)
        if list(journal.glob(".*.partial")):
            break
    started = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=30)
    assert run.returncode == 130
    assert "interrupted" in errors
    assert time.monotonic() - started < 20
    assert [path.suffix for path in journal.iterdir()] == [".partial"]

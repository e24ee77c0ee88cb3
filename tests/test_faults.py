"""What breaks beside the program: kills, full disks, locked folders, second runners, odd clocks."""

import errno
import json
import multiprocessing
import os
import signal
import time

import numpy as np
import pytest

from novelty_lab import atomic as _atomic
from novelty_lab import lock as _lock
from novelty_lab import records
from novelty_lab.records import Journal, Record
from stress import attacks, kills
from stress import soak as soaking

FORK = multiprocessing.get_context("fork")


def make(value=1.0):
    return Record("toy", "paper", {"a": 1}, 0, {"x": value}, {"s": value}, {"h": np.arange(9.0)})


def test_a_run_killed_at_random_moments_loses_nothing_and_counts_nothing_twice(tmp_path):
    outcome = kills.harass(12, tmp_path, seed=1)
    assert outcome.kills >= 12
    assert outcome.lost == outcome.half_written == outcome.counted_twice == 0


@pytest.mark.parametrize("swap", [True, False], ids=["exchange", "two renames"])
@pytest.mark.parametrize("step", range(8))
def test_a_save_killed_before_any_of_its_steps_leaves_the_old_record_or_the_new(
    tmp_path, swap, step
):
    make(1.0).save(tmp_path)
    process = FORK.Process(target=save_and_die, args=(tmp_path, swap, step))
    process.start()
    process.join(30)
    assert process.exitcode in (-signal.SIGKILL, 0)
    target = tmp_path / "toy" / "paper-seed0"
    assert target.exists() or not swap
    _atomic.recover(target)
    assert records.load(target).results["x"] in (1.0, 2.0)
    assert [path.name for path in target.parent.iterdir()] == ["paper-seed0"]


def save_and_die(root, swap, step):
    left = [step]

    def dying(function):
        def call(*arguments, **keywords):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return function(*arguments, **keywords)

        return call

    if not swap:
        _atomic.exchange = lambda one, other: False
    os.replace = dying(os.replace)
    os.fsync = dying(os.fsync)
    _atomic.shutil.rmtree = dying(_atomic.shutil.rmtree)
    make(2.0).save(root)


@pytest.mark.parametrize("place", ["write", "fsync", "replace", "mkdtemp"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_refuses_leaves_the_old_record_and_says_what_to_do(
    tmp_path, monkeypatch, place, number
):
    make(1.0).save(tmp_path)

    def refuse(*arguments, **keywords):
        raise OSError(number, os.strerror(number))

    owner, name = {
        "write": (records.np, "savez_compressed"),
        "fsync": (os, "fsync"),
        "replace": (os, "replace"),
        "mkdtemp": (records.tempfile, "mkdtemp"),
    }[place]
    monkeypatch.setattr(owner, name, refuse)
    with pytest.raises(OSError, match=r"could not write .*run it again") as caught:
        make(2.0).save(tmp_path)
    assert os.strerror(number) in str(caught.value)
    assert [path.name for path in (tmp_path / "toy").iterdir()] == ["paper-seed0"]
    assert records.load(tmp_path / "toy" / "paper-seed0").results == {"x": 1.0}


def test_a_full_disk_cuts_a_journal_line_short_and_the_task_runs_again(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is always full")
    full = Journal(tmp_path / "full", {})
    full.path.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device; what was there is unchanged"):
        full.add("one", 1)
    journal = Journal(tmp_path / "x.partial", {"a": 1})
    journal.add("one", {1: 2.5})
    size = journal.path.stat().st_size
    journal.add("two", "x" * 100)
    for cut in range(size + 1, journal.path.stat().st_size - 1):
        data = journal.path.read_bytes()
        (tmp_path / "y.partial").write_bytes(data[:cut])
        assert Journal(tmp_path / "y.partial", {"a": 1}).read() == {"one": {"1": 2.5}}


@pytest.mark.parametrize(
    "line", ["5", "[]", "{}", "null", '{"digest": 1}', "\x00\xff", "[" * 100_000, '{"task": "a"}']
)
def test_lines_in_a_journal_that_are_none_are_passed_over(tmp_path, line):
    journal = Journal(tmp_path / "x.partial", {"a": 1})
    journal.add("one", 1)
    with journal.path.open("a") as file:
        file.write(line)
    journal.add("two", 2)
    assert journal.read() == {"one": 1, "two": 2}
    text = journal.path.read_text().replace('"result": 2', '"result": 3')
    journal.path.write_text(text)
    assert journal.read() == {"one": 1}  # a result that was changed is not believed


def damage(path, how):
    file = path / "record.json"
    held = json.loads(file.read_text())
    if how == "edited":
        held["results"]["x"] = 7.0
    elif how == "field gone":
        del held["configuration"]
    elif how == "field more":
        held["surprise"] = 1
    elif how == "another kind":
        held["results"] = 5
    elif how == "list":
        held = [held]
    elif how == "array gone":
        (path / "arrays.npz").unlink()
    elif how == "array cut":
        (path / "arrays.npz").write_bytes((path / "arrays.npz").read_bytes()[:-30])
    elif how == "array other":
        np.savez(path / "arrays.npz", h=np.arange(9.0) + 1)
    elif how == "shape other":
        np.savez(path / "arrays.npz", h=np.arange(8.0))
    elif how == "pickle":
        np.savez(path / "arrays.npz", h=np.array([object()] * 9))
    text = json.dumps(held)
    file.write_text(text[: len(text) // 2] if how == "truncated" else text)
    if how == "other bytes":
        file.write_bytes(b"\xff\xfe" + text.encode())
    if how == "deep":
        file.write_text("[" * 100_000)


HOW = (
    "edited", "field gone", "field more", "another kind", "list", "array gone", "array cut",
    "array other", "shape other", "pickle", "truncated", "other bytes", "deep",
)  # fmt: skip


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_or_edited_record_is_refused_and_stays_as_it_is(tmp_path, how):
    path = make().save(tmp_path)
    damage(path, how)
    before = sorted((p.name, p.read_bytes()) for p in path.iterdir())
    with pytest.raises(ValueError, match=r"could not read one: .*; restore it, or remove"):
        records.load(path)
    assert sorted((p.name, p.read_bytes()) for p in path.iterdir()) == before


def test_a_second_runner_is_told_of_the_first_and_the_lock_dies_with_its_holder(tmp_path):
    target = tmp_path / "toy" / "paper-seed0"
    ready = FORK.Event()
    holder = FORK.Process(target=hold, args=(target, ready))
    holder.start()
    assert ready.wait(30)
    with (
        pytest.raises(_lock.Busy, match=rf"process \({holder.pid}\) is running paper-seed0"),
        _lock.only_runner(target),
    ):
        pass
    with _lock.only_runner(tmp_path / "toy" / "paper-seed1"):  # another run in the same folder
        pass
    holder.kill()
    holder.join()
    with _lock.only_runner(target):
        assert (target.parent / ".paper-seed0.lock").read_text() == str(os.getpid())
    assert not list(target.parent.iterdir())


def hold(target, ready):
    with _lock.only_runner(target):
        ready.set()
        time.sleep(60)


def test_a_short_soak_keeps_to_the_batch_score_through_resets():
    soak = soaking.run(soaking.Setting(seconds=1.0, interval=0.2, shortest=5, longest=60))
    assert soak.resets > 0 and soak.comparisons > soak.resets
    assert soak.worst_drift <= soaking.STATED_DRIFT
    assert soaking.growth([{"resident_mb": 100.0}] * 9 + [{"resident_mb": 103.0}]) > 0.02


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    ["clock", *(pytest.param(n, marks=pytest.mark.slow) for n in ("scheduler", "training"))],
)
def test_an_attack_holds(name, tmp_path):
    found = list(attacks.ATTACKS[name](tmp_path, 1))
    assert len(found) >= 4 and all(held for _, held in found), found

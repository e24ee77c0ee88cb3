"""A disk that is really full: a small file system in memory, filled to the last page."""

import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from novelty_lab import records
from novelty_lab.records import Journal, Record
from stress import kills

PAGE = 4096
SENTENCE = r"could not write .*No space left on device; what was there is unchanged.*"
ROOM = pytest.mark.parametrize("room", [0, PAGE, 10 * PAGE])


class Disk:
    """A mounted file system of one megabyte."""

    def __init__(self, root: Path) -> None:
        self.root, self._filler = root, root / "filler"

    def fill(self, room: int) -> None:
        """Leave so many bytes."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while file.write(bytes(PAGE)) == PAGE:
                    pass
            except OSError:
                pass
        os.truncate(self._filler, self._filler.stat().st_size - room)

    def clear(self) -> None:
        self._filler.unlink()

    def files(self) -> list[str]:
        held = (path for path in self.root.rglob("*") if path.is_file() and path != self._filler)
        return sorted(str(path.relative_to(self.root)) for path in held)


@pytest.fixture
def disk(tmp_path):
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield Disk(tmp_path)
    subprocess.run(["umount", str(tmp_path)], check=True)


def make(value):
    noise = np.random.default_rng(0).standard_normal(20_000)  # 160 kB that do not compress
    return Record("toy", "paper", {"a": 1}, 0, {"x": value}, {"s": value}, {"h": noise})


@ROOM
def test_a_record_is_the_old_one_until_there_is_room_for_the_new(disk, room):
    path = make(1.0).save(disk.root)
    before = disk.files()
    disk.fill(room)
    with pytest.raises(OSError, match=SENTENCE):
        make(2.0).save(disk.root)
    assert disk.files() == before and records.load(path).results == {"x": 1.0}
    disk.clear()
    make(2.0).save(disk.root)
    assert disk.files() == before and records.load(path).results == {"x": 2.0}


@ROOM
def test_a_journal_keeps_what_fitted_and_goes_on(disk, room):
    journal = Journal(disk.root / "x.partial", {"a": 1})
    journal.add("first", 1)
    disk.fill(room)
    with pytest.raises(OSError, match=SENTENCE):
        for task in range(20):
            journal.add(str(task), "x" * PAGE)
    kept = list(journal.read())
    assert kept == ["first", *map(str, range(room // PAGE))]
    disk.clear()
    for task in range(20):
        journal.add(str(task), "x" * PAGE)
    assert list(journal.read()) == ["first", *map(str, range(20))]


@pytest.mark.parametrize(
    ("room", "says", "finished"),
    [
        (0, "cannot write to .*/toy: No space left on device; .*choose another", 0),
        (PAGE, SENTENCE, 0),  # the page is the lock's
        (3 * PAGE, SENTENCE, kills.TASKS),  # the record is larger
    ],
)
def test_an_experiment_goes_on_from_where_the_disk_was_full(
    disk, room, says, finished, tmp_path_factory
):
    log = tmp_path_factory.mktemp("log") / "log"
    config = kills.Config(seconds=0.0, log=str(log))
    disk.fill(room)
    with pytest.raises((OSError, ValueError), match=says):
        kills.run_toy(config, disk.root)
    assert not list(records.find(disk.root))
    journal = [".paper-seed0.partial"] if room else []
    assert [Path(name).name for name in disk.files()] == journal
    disk.clear()
    record, _ = kills.run_toy(config, disk.root)
    assert kills.whole(record) and kills.whole(records.load(record.path(disk.root)))
    # What was journaled is not run again; a task whose line did not fit is.
    again = Counter(log.read_text().split("\n")[:-1])
    assert sum(again.values()) - kills.TASKS == (1 if room and not finished else 0)
    assert len(again) == kills.TASKS

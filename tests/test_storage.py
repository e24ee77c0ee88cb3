"""One door for everything that is saved: kills, full disks, locked folders keep the old file."""

import errno
import os
import re
import time
from pathlib import Path

import pytest

from learnable_novelty import storage
from learnable_novelty.errors import UserError
from stress import saves

ROOT = Path(__file__).parents[1]
WRITES = re.compile(
    r"torch\.save\([^)]|np\.save|\.write_text\(|\.write_bytes\(|savefig\(|\.to_csv\(|os\.replace\("
    r"""|open\([^)]*["'][wxa]b?["']"""
)
DOORS = {
    "src/learnable_novelty/storage.py",
    "src/learnable_novelty/reward/wrapping.py",  # into memory, then storage.writing
    "lab/novelty_lab/ascent/checkpoints.py",  # the same
    "lab/novelty_lab/studies/explore/minigrid.py",  # the same
    "lab/novelty_lab/report.py",  # the same
    "lab/novelty_lab/atomic.py",  # whole folders
    "lab/novelty_lab/records.py",  # the draft of a folder; a line of the journal
}


@pytest.mark.parametrize("name", saves.SAVES)
def test_twenty_kills_while_a_file_is_replaced_leave_the_old_one_or_the_new(name):
    outcome = saves.kill_saves(name, 20)
    assert outcome.kills == 20 and outcome.half_written == 0


def test_everything_that_is_saved_goes_through_one_door():
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("lab/novelty_lab/**/*.py")]
    found = {str(path.relative_to(ROOT)) for path in files if WRITES.search(path.read_text())}
    assert found == DOORS


@pytest.mark.parametrize("name", saves.SAVES)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_refuses_keeps_the_old_file_and_says_what_to_do(
    tmp_path, monkeypatch, name, number
):
    first, second = (saves.made(name, version) for version in (1, 2))
    first(tmp_path)
    before = saves.content_of(tmp_path)

    def refuse(*arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(UserError, match=f"could not write .*{os.strerror(number)}.* run it again"):
        second(tmp_path)
    assert saves.content_of(tmp_path) == before
    assert not [path for path in tmp_path.rglob("*") if ".draft" in path.name]


def test_a_missing_folder_is_made_and_a_link_stays_one(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "er" / "x.txt")
    with storage.writing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep" / "er" / "x.txt").read_bytes() == b"new"


def test_a_draft_is_removed_when_it_is_old_by_the_clock_of_the_file_system(tmp_path, monkeypatch):
    old, recent = (tmp_path / f"{storage.DRAFT}{name}" for name in ("old", "recent"))
    for path, age in ((old, 7200), (recent, 10)):
        path.write_bytes(b"part")
        os.utime(path, (time.time() - age, time.time() - age))
    monkeypatch.setattr(time, "time", lambda: 0.0)
    storage.write_whole(tmp_path / "x", b"whole")
    assert not old.exists() and recent.exists()


def test_a_picture_of_an_unknown_ending_is_refused_in_a_sentence(tmp_path):
    from matplotlib.figure import Figure

    with pytest.raises(UserError, match=r"expected a picture ending in one of .*\.png"):
        storage.write_figure(tmp_path / "x.doc", Figure())
    storage.write_figure(tmp_path / "x", Figure())
    assert (tmp_path / "x.png").exists()

"""Directories that appear whole or not at all, whatever happens to the process that writes them."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path

from learnable_novelty.storage import reach_disk

DRAFT, RETIRED = ".draft", ".retired"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def put_in_place(draft: Path, target: Path) -> None:
    """Make a finished draft the target; a target that is there is replaced.

    The draft reaches the disk first: a rename that outlives a power cut would otherwise name
    files without their content. Where the two can be exchanged in one step (Linux), a target is
    there at every moment; elsewhere a kill between two renames leaves it beside its place, and
    ``recover`` puts it back. What was replaced is left in place of the draft, for the caller to
    remove.
    """
    for path in draft.iterdir():
        reach_disk(path)
    reach_disk(draft)
    try:
        os.replace(draft, target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not exchange(draft, target):
            retired = draft.with_suffix(RETIRED)
            os.replace(target, retired)
            os.replace(draft, target)
            shutil.rmtree(retired)
    reach_disk(target.parent)


def recover(target: Path) -> None:
    """Clear what killed writers of a target left; only while no other can be writing it."""
    for retired in target.parent.glob(f".{target.name}-*{RETIRED}"):
        if target.exists():
            shutil.rmtree(retired)
        else:
            os.replace(retired, target)
    for draft in target.parent.glob(f".{target.name}-*{DRAFT}"):
        shutil.rmtree(draft)


def exchange(first: Path, second: Path) -> bool:
    """Swap two paths in one step, or return False where the system cannot."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(first), os.fsencode(second)
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(second))

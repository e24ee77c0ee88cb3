"""One runner at a time: a lock that the system gives back when its holder dies."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from learnable_novelty.errors import UserError

_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK, errno.EINVAL)


class Busy(UserError):
    """Another process holds the lock."""


@contextlib.contextmanager
def only_runner(target: Path) -> Iterator[None]:
    """Hold the lock of what will be written at a target, in its folder, which is made.

    A killed holder leaves a file and no lock. On file systems without locks there is none:
    runners then repeat each other's work, and each writes its record whole.

    Raises:
        Busy: if another process holds it, with its number.
        UserError: if the folder cannot be written to, before any work is done.
    """
    path = target.parent / f".{target.name}.lock"
    new_folders = [folder for folder in path.parents if not folder.exists()]
    try:
        lock = _locked(path)
    except Timeout:
        raise Busy(
            f"another process{_holder(path)} is running {target.name} in {target.parent}; wait "
            "for it, or choose another results folder"
        ) from None
    except OSError as error:
        raise _not_writable(path.parent, error) from None
    try:
        try:
            _write_number(path)
        except OSError as error:  # a full disk has room for the name of a file, not for a number
            raise _not_writable(path.parent, error) from None
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: who opened it meanwhile looks again
        if lock is not None:
            lock.release()
        with contextlib.suppress(OSError):  # nothing was written: leave no empty folders behind
            for folder in new_folders:
                folder.rmdir()


def _locked(path: Path) -> FileLock | None:
    """Lock a file, which is never a symbolic link; None where the file system has no locks."""
    lock = FileLock(path, blocking=False, mode=0o644, fallback_to_soft=False)
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except FileNotFoundError:  # the holder before us has just removed its empty folder
            continue
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return None
            raise
        return lock


def _write_number(path: Path) -> None:
    """Write the number of this process into its lock, for the message to the others."""
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0))
    try:
        os.write(handle, str(os.getpid()).encode())
    finally:
        os.close(handle)


def _holder(path: Path) -> str:
    """Name the process that wrote its number into the lock."""
    try:
        text = path.read_text()[:20]
    except OSError:
        return ""
    return f" ({text})" if text.isdecimal() else ""


def _not_writable(folder: Path, error: OSError) -> UserError:
    return UserError(
        f"cannot write to {folder}: {error.strerror}; make it a folder that can be written to, or "
        "choose another one"
    )

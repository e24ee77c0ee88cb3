"""One runner at a time: a lock that the system gives back when its holder dies."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from learnable_novelty.errors import UserError

try:
    import fcntl
except ModuleNotFoundError:  # not a POSIX system
    fcntl = None

_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK, errno.EINVAL)


class Busy(UserError):
    """Another process holds the lock."""


@contextlib.contextmanager
def only_runner(target: Path) -> Iterator[None]:
    """Hold the lock of what will be written at a target, in its folder, which is made.

    A killed holder leaves a file and no lock. On file systems without locks there is none:
    runners then repeat each other's work, and each writes its record whole.

    Raises:
        Busy: if another process is at it, with its number.
        ValueError: if the folder cannot be written to, before any work is done.
    """
    path = target.parent / f".{target.name}.lock"
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(path)
    except OSError as error:
        raise _not_writable(path.parent, error) from None
    if handle is None:
        raise Busy(
            f"another process{_holder(path)} is running {target.name} in {target.parent}; wait "
            "for it, or name another folder with --out"
        )
    try:
        try:
            os.truncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        except OSError as error:  # a full disk has room for the name of a file, not for a number
            raise _not_writable(path.parent, error) from None
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: who opened it meanwhile looks again
        os.close(handle)
        with contextlib.suppress(OSError):  # nothing was written: leave no empty folders behind
            for folder in made:
                folder.rmdir()


def _not_writable(folder: Path, error: OSError) -> ValueError:
    return UserError(
        f"cannot write to {folder}: {error.strerror}; make it a folder that can be written to, or "
        "name another one with --out"
    )


def _locked(path: Path) -> int | None:
    """Open and lock a file, or return None if another process holds it."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if fcntl is None:
            return handle
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return handle
            os.close(handle)
            if isinstance(error, BlockingIOError):
                return None
            raise
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)  # the holder before us removed the file that we had opened


def _holder(path: Path) -> str:
    """Name the process that wrote its number into the lock."""
    try:
        text = path.read_text()[:20]
    except OSError:
        return ""
    return f" ({text})" if text.isdecimal() else ""

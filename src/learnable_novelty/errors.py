"""Errors that are told to a user in one sentence: what was expected, what came, what to do.

The command line prints the message of a ``NoveltyError`` alone and exits with its ``exit_code``.
Every other exception is a defect of the program, and shows its traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class NoveltyError(Exception):
    """Anything that a user can act on."""

    exit_code = 1


class UserError(NoveltyError, ValueError):
    """Bad input."""

    exit_code = 2


class UserTypeError(UserError, TypeError):
    """An argument of the wrong type."""


class MissingExtraError(ModuleNotFoundError, UserError):
    """An optional package that is not installed."""


class StorageError(OSError, UserError):
    """A file or a folder that the system does not let us read or write."""


class EngineError(RuntimeError, NoveltyError):
    """Worker processes or a cluster that went away before the work was done."""


class NumericalError(ArithmeticError, NoveltyError):
    """A computation that cannot go on: it diverged, or its numbers are not finite."""


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """Return the error for a part of this library whose optional package is not installed.

    >>> str(missing_extra("a plot", "matplotlib", "plot"))
    "a plot needs the [plot] extra (matplotlib is not installed): pip install ..."
    """
    return MissingExtraError(
        f"{what} needs the [{extra}] extra ({package} is not installed): "
        f"pip install 'learnable-novelty[{extra}]'",
        name=package,
    )


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Say which extra is missing if an import in this block fails.

    >>> with needs_extra("a plot", "plot"):
    ...     import no_such_package
    Traceback (most recent call last):
    learnable_novelty.errors.MissingExtraError: a plot needs the [plot] extra (no_such_package ...
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        if package in ("learnable_novelty", "novelty_lab"):
            raise
        raise missing_extra(what, package, extra) from None

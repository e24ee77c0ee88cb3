"""Errors that are told to a user in one sentence: what was expected, what came, what to do."""

from __future__ import annotations


class UserError(ValueError):
    """Bad input. The command line prints the message alone and exits with 2.

    Every other exception is a defect of the program, and shows its traceback.
    """


class UserTypeError(UserError, TypeError):
    """An argument of the wrong type."""


class MissingExtraError(UserError, ModuleNotFoundError):
    """An optional package that is not installed."""


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """Return the error for a part of this library whose optional package is not installed.

    >>> str(missing_extra("plots", "matplotlib", "plot"))
    "plots need matplotlib, which is not installed: pip install 'learnable-novelty[plot]'"
    """
    error = MissingExtraError(
        f"{what} need {package}, which is not installed: pip install 'learnable-novelty[{extra}]'"
    )
    error.name = package
    return error

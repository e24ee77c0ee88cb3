"""Parse the command line, run the command, turn errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import NoReturn

from learnable_novelty._version import __version__
from learnable_novelty.cli import compare, score

COMMANDS = "learnable_novelty.commands"
"""Entry points of other packages that add commands: functions that take the subparsers."""
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = make_parser().parse_args(arguments)
    try:
        return options.command(options)
    except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
        sentence = " ".join(str(error).split())
        print(f"novelty: {sentence}", file=sys.stderr)
        return BAD_INPUT
    except ArithmeticError as error:
        print(f"novelty: stopped, {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as error:
        told = str(error) or "interrupted; what was finished is kept"
        again = " without --force" if getattr(options, "force", False) else ""
        print(f"novelty: {told}; the same command{again} goes on from it", file=sys.stderr)
        return INTERRUPTED


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = _Parser(prog="novelty", description="Learnable novelty, in bits.")
    parser.add_argument("--version", action="version", version=f"novelty {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    score.add_commands(commands)
    compare.add_commands(commands)
    for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name):
        entry.load()(commands)
    return parser

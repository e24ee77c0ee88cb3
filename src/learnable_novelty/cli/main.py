"""Parse the command line, run the command, turn errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any, NoReturn

from learnable_novelty._version import __version__
from learnable_novelty.cli import depend, report, scan, score
from learnable_novelty.errors import NoveltyError
from learnable_novelty.text import printable

COMMANDS = "learnable_novelty.commands"
"""Entry points of other packages that add commands: functions that take the subparsers."""
LAB_COMMANDS = ("compare", "run", "train", "render", "ledger", "explore", "list")
"""Commands that the package novelty-lab adds."""
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if message.startswith("argument COMMAND: invalid choice"):
            message = message.removeprefix("argument COMMAND: ").partition(" (choose from")[0]
        self.exit(BAD_INPUT, f"{self.prog}: {printable(message)} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = make_parser().parse_args(arguments)
    try:
        code = options.command(options)
        sys.stdout.flush()
    except NoveltyError as error:
        print(f"novelty: {printable(' '.join(str(error).split()))}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output, such as head, has seen enough. Python would flush once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt as error:
        message = str(error) or "interrupted; what was finished is kept"
        again = " without --force" if getattr(options, "force", False) else ""
        print(f"novelty: {message}; the same command{again} continues from it", file=sys.stderr)
        return INTERRUPTED
    return code


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands that are installed."""
    parser = _Parser(prog="novelty", description="Measure learnable structure in data, in bits.")
    parser.add_argument("--version", action="version", version=f"novelty {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    score.add_commands(commands)
    scan.add_commands(commands)
    depend.add_commands(commands)
    report.add_commands(commands)
    for entry in sorted(entry_points(group=COMMANDS), key=lambda entry: entry.name):
        try:
            entry.load()(commands)
        except Exception as error:  # noqa: BLE001 - what is broken elsewhere must not break score
            reason = printable(f"{type(error).__name__}: {error}")
            print(f"novelty: commands of {entry.value} are left out: {reason}", file=sys.stderr)
    _explain_missing(commands)
    return parser


def _explain_missing(commands: Any) -> None:
    """Have a command of the lab say what it needs; ``--help`` lists only what is installed."""
    for name in LAB_COMMANDS:
        if name not in commands.choices:
            commands.choices[name] = _Missing(prog=f"novelty {name}")


class _Missing(_Parser):
    def parse_known_args(self, *arguments: Any, **keywords: Any) -> NoReturn:
        self.exit(
            BAD_INPUT,
            f"{self.prog} needs the package novelty-lab, which is not installed: "
            "install it from the folder lab of the repository\n",
        )

"""Options read and checked before any work."""

from __future__ import annotations

import importlib.util
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError, missing_extra

MOST_SHOWN = 30
"""Columns that a command names before the rest is counted."""
ENGINES = "where work runs: serial, cores, cores:N, dask, dask:N or dask://HOST:PORT"


def add_texts(command: Any, *options: tuple[str, str, str]) -> None:
    """Add options that take text: name, metavar, help."""
    for name, metavar, shown in options:
        command.add_argument(name, metavar=metavar, help=shown)


def add_answer(command: Any, plot: str | None = None) -> None:
    """Add what every command that measures has: the seed, and how its answer is shown."""
    command.add_argument("--seed", type=int, default=0, help="random seed (0)")
    if plot is not None:
        command.add_argument("--plot", type=Path, metavar="OUT.png", help=plot)
    command.add_argument("--json", action="store_true", help="print JSON")


def integers(name: str, text: str) -> list[int]:
    """Read whole numbers and ranges of them, separated by commas: 0,3,5 or 0-9."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not first.isdigit() or (dash and not last.isdigit()):
            raise UserError(f"{name} takes whole numbers separated by commas, got {text!r}")
        if dash and int(last) < int(first):
            raise UserError(f"{name} takes ranges that go up, got {part.strip()!r}")
        numbers += range(int(first), int(last) + 1) if dash else [int(first)]
    return numbers


def steps(text: str) -> int | str:
    """Read a number of time steps, or auto."""
    if text != "auto" and not text.lstrip("-").isdigit():
        raise ArgumentTypeError(f"takes a whole number or auto, got {text!r}")
    return text if text == "auto" else int(text)


def check_seed(seed: int) -> None:
    """Raise for a negative seed."""
    if seed < 0:
        raise UserError(f"--seed takes a non-negative integer, got {seed}")


def check_drawable(path: Path) -> None:
    """Raise unless a plot can be written there, before any work is done."""
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UserError(f"--plot takes a .png, .svg or .pdf file, got {path}")
    if not path.parent.is_dir():
        raise UserError(f"--plot needs an existing folder, {path.parent} is not one")
    if importlib.util.find_spec("matplotlib") is None:
        raise missing_extra("--plot", "matplotlib", "plot")

"""Options read and checked before any work."""

from __future__ import annotations

import ast
import importlib.util
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError, missing_extra

ENGINES = "where work runs: serial, cores, cores:N, dask, dask:N or dask://HOST:PORT"
RESULTS_HINT = "run this where the results folder is, or name the folder with --out"


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        parsed = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        parsed = value
    return name.strip(), parsed


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


def names(option: str, text: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """Read names separated by commas; all that are known if there is no text."""
    if text is None:
        return tuple(known)
    chosen = tuple(part.strip() for part in text.split(","))
    for name in chosen:
        if name not in known:
            raise UserError(f"{option} takes names among {', '.join(known)}; got {name!r}")
    return chosen


def check_device(device: str) -> None:
    """Raise for a device that this machine does not have."""
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError:
        kind = None
    if kind not in ("cpu", "cuda"):
        raise UserError(f"--device takes cpu, cuda or cuda:N, got {device!r}")
    if kind == "cuda" and not torch.cuda.is_available():
        raise UserError(f"--device {device} needs a GPU, and torch finds none on this machine")


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

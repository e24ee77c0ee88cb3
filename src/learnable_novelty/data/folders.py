"""Folders of Parquet files, in the order in which people number them."""

from __future__ import annotations

import re
from pathlib import Path


def files_of(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder in order; numbers in their names count as numbers.

    Files and folders whose names begin with _ or . are left out: tools keep other things there.
    """
    files_by_path = ((path.relative_to(folder).parts, path) for path in folder.rglob("*.parquet"))
    shown = [(parts, path) for parts, path in files_by_path if not any(p[0] in "_." for p in parts)]
    return [path for _, path in sorted(shown, key=lambda one: [_natural(p) for p in one[0]])]


def _natural(name: str) -> tuple[list[str | int], str]:
    """Return what sorts part.2 before part.10: texts and numbers in turn, then the name itself."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if k % 2 else piece for k, piece in enumerate(pieces)], name

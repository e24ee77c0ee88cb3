"""Small patterns of life-like automata, in the run-length notation that their collectors use."""

from __future__ import annotations

import re

import numpy as np

from learnable_novelty.errors import UserError
from novelty_lab.systems.life import Cells

PATTERNS: dict[str, str] = {
    "block": "2o$2o!",
    "blinker": "3o!",
    "glider": "bo$2bo$3o!",
    "lightweight spaceship": "bo2bo$o$o3bo$4o!",
    "R-pentomino": "b2o$2o$bo!",
    "Gosper gun": (
        "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$"
        "11bo3bo$12b2o!"
    ),
    "HighLife replicator": "2b3o$bo2bo$o3bo$o2bo$3o!",
}


MOST_CELLS = 4096
"""Rows, and cells of a row."""


def read_rle(text: str) -> Cells:
    """Read a pattern: runs of ``b`` (dead) and ``o`` (living), ``$`` ends a row, ``!`` the pattern.

    >>> read_rle("bo$2bo$3o!")
    array([[0, 1, 0],
           [0, 0, 1],
           [1, 1, 1]], dtype=uint8)
    """
    body = "".join(text.split()).partition("!")[0]
    if not re.fullmatch(r"(\d*[bo$])*", body):
        raise UserError(f"expected runs of b, o and $, got {text[:80]!r}")
    rows: list[list[int]] = [[]]
    for run, kind in re.findall(r"(\d*)([bo$])", body):
        length = int(run or 1)
        if length + (len(rows) if kind == "$" else len(rows[-1])) > MOST_CELLS:
            raise UserError(f"expected a pattern of at most {MOST_CELLS:,} cells a side")
        if kind == "$":
            rows += [[] for _ in range(length)]
        else:
            rows[-1] += [int(kind == "o")] * length
    cells = np.zeros((len(rows), max(map(len, rows))), dtype=np.uint8)
    for place, row in enumerate(rows):
        cells[place, : len(row)] = row
    return cells


def placed(pattern: Cells | str, height: int, width: int, down: int = 0, right: int = 0) -> Cells:
    """Put a pattern, or a named one, on an empty torus, its corner at (down, right)."""
    if isinstance(pattern, str):
        if pattern not in PATTERNS:
            raise UserError(f"pattern must be one of {', '.join(PATTERNS)}, got {pattern!r}")
        pattern = read_rle(PATTERNS[pattern])
    rows, columns = pattern.shape
    if rows > height or columns > width:
        raise UserError(f"expected a torus of at least {rows} x {columns}, got {height} x {width}")
    cells = np.zeros((height, width), dtype=np.uint8)
    cells[:rows, :columns] = pattern
    return np.roll(cells, (down, right), (0, 1))

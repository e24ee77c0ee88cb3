"""What the tables and the pictures of the life-like automata call things."""

from __future__ import annotations

from novelty_lab.style import BLUE, GREEN, ORANGE

MEASURES = {
    "excess": "excess bits",
    "bits": "raw bits",
    "compressed": "gzip (bits a cell)",
    "lempel_ziv": "Lempel-Ziv (bits a cell)",
    "entropy": "entropy of 3 x 3 patterns",
    "lambda": "Langton's lambda",
    "activity": "cells that change",
}
LABELLED = ("Life", "HighLife", "Day & Night", "Morley", "Diamoeba", "Anneal", "2x2", "34 Life",
            "Long Life", "Replicator", "Seeds", "Maze", "Coral")  # fmt: skip
GROUPS = {
    "named": (BLUE, "other named rules"),
    "random": (ORANGE, "random rules"),
    "proved": (GREEN, "random rules proved to have none"),
}
"""What rules with gliders are compared with."""


def with_width(value: float, half_width: float | None) -> str:
    """Write a value with half the width of its interval, where it has one."""
    return f"{value:.1f}" if half_width is None else f"{value:.1f} ± {half_width:.1f}"


def share(row: dict[str, float]) -> str:
    """Write the upper end of a range of shares, in percent."""
    return "0" if row["low"] == 0 else f"{min(100.0, 100 * row['high']):g}"

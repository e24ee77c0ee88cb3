"""Many data sets of a kind: which of them a task computes, and what is joined of all tasks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from novelty_lab.context import RunContext

LEVEL = 0.05
"""Of every test whose level is measured."""


def part_of(repeats: int, part: int, parts: int) -> range:
    """Return which repeats belong to a part.

    >>> [list(part_of(5, part, 2)) for part in range(2)]
    [[0, 1], [2, 3, 4]]
    """
    first, last = (round(k * repeats / parts) for k in (part, part + 1))
    return range(first, last)


def in_parts(
    config: Any, kinds: Sequence[str], part: Callable[..., Any], seed: int, context: RunContext
) -> dict[str, list[Any]]:
    """Compute the parts of every kind, each a task ``part(config, kind, number, seed)``.

    Returns:
        The rows of each kind, joined.
    """
    tasks = {
        f"{kind}, part {number}": (config, kind, number, seed)
        for kind in kinds
        for number in range(config.parts)
    }
    results = iter(context.map(part, tasks).values())
    return {
        kind: [row for rows in itertools.islice(results, config.parts) for row in rows]
        for kind in kinds
    }

"""A scan of a large table within a minute, and small scores on one thread against all threads."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import Row, compare, within
from learnable_novelty.data.table import Column, Table
from learnable_novelty.measure import threads
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.scan import scan
from learnable_novelty.measure.score import score

MINUTE = 60.0


def table(num_rows: int, num_columns: int) -> Table:
    """Make a table of numbers and a few categories, with two relations."""
    generator = np.random.default_rng(0)
    values = generator.standard_normal((num_rows, num_columns))
    values[:, 1] = np.sin(2 * values[:, 0]) + 0.5 * values[:, 1]
    columns = [Column(f"number {k}", "number", values[:, k]) for k in range(num_columns)]
    for k in range(2, num_columns, 6):
        levels = np.digitize(values[:, k], [-1, 0, 1])
        columns[k] = Column(f"category {k}", "category", levels, tuple("abcd"))
    return Table(tuple(columns))


def prepare(num_rows: int = 100) -> tuple[Callable[[], Score], Callable[[], Score]]:
    """Make both ways to score small data: with all of torch's threads, and with one."""
    generator = np.random.default_rng(0)
    x, y = generator.standard_normal((num_rows, 3)), generator.standard_normal(num_rows)

    def ours() -> Score:
        return score(x, y, draws=2)

    def plain() -> Score:
        before, threads.SMALL = threads.SMALL, 0
        try:
            return ours()
        finally:
            threads.SMALL = before

    return plain, ours


def run(num_rows: int = 10_000, num_columns: int = 30) -> list[Row]:
    """Time a scan, its pairs, and small scores.

    Scans are timed in CPU seconds, which other work on the machine does not change much: on a free
    machine they are at least the time that passes.
    """
    data, rows = table(num_rows, num_columns), []
    for pairs in (False, True):
        started = time.process_time()
        scan(data, pairs=pairs)
        what = "pairs of a table" if pairs else "a scan"
        name = f"CPU seconds of {what} of {num_rows} x {num_columns}, over a minute"
        rows.append(within(name, MINUTE, time.process_time() - started, at_most=1))
    plain, ours = prepare()
    # On a machine without other work the two take about as long.
    return [*rows, compare("score of 100 x 3: all threads, and one", plain, ours, at_least=0.8)]

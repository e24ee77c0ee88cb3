"""Two Dask workers against one: shards of a file, scored on a cluster of this machine."""

from __future__ import annotations

import statistics
import tempfile
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

import learnable_novelty as ln
from benchmarks.timing import Row, faster, seconds
from learnable_novelty.engine import open_engine


def run(rows: int = 1_600_000, columns: int = 32, draws: int = 4, repeats: int = 3) -> list[Row]:
    """Time the same score with one worker and with two, in turn; one cluster at a time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npy"
        values = np.random.default_rng(0).standard_normal((rows, columns))
        values[:, -1] += np.sin(values[:, 0])
        np.save(path, values)

        def score(executor: Executor) -> None:
            ln.score(path, str(columns - 1), draws=draws, null=19, executor=executor)

        times: dict[str, list[float]] = {"dask:1": [], "dask:2": []}
        for _ in range(repeats):
            for name, held in times.items():
                with open_engine(name) as executor:
                    score(executor)  # workers import what they need
                    held.append(seconds(lambda executor=executor: score(executor)))
    alone, both = (statistics.median(held) for held in times.values())
    return [faster(f"{rows} rows on two Dask workers against one", alone, both, 1.7)]

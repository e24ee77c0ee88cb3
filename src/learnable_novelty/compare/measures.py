"""The measures that ``compare`` runs, in the order of its table; each is a file of this folder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.compare import (
    compression,
    lempel_ziv,
    permutation,
    predictive,
    prequential,
    sample,
)
from learnable_novelty.compare.registry import ComparedData, Measure, Reading

MEASURES: tuple[Measure, ...] = (
    prequential.MEASURE,
    predictive.MEASURE,
    compression.MEASURE,
    lempel_ziv.MEASURE,
    permutation.MEASURE,
    sample.MEASURE,
)


def read_pairs(
    inputs: NDArray[np.floating[Any]], targets: NDArray[np.floating[Any]], seed: int
) -> list[Reading]:
    """List what the measures say that see pairs of inputs and targets."""
    data = ComparedData(inputs, targets, targets, is_time=False, seed=seed)
    return [r for one in MEASURES if one.sees == "pairs" for r in one.read(data)]


def read_series(series: NDArray[np.floating[Any]], *, is_time: bool = True) -> list[Reading]:
    """List what the measures say that see columns through time, (time, columns)."""
    data = ComparedData(series, series, series, is_time=is_time, seed=0)
    return [r for one in MEASURES if one.sees != "pairs" for r in one.read(data)]

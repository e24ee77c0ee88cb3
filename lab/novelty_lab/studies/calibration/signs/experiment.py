"""Ours: the test and the floor of data that is read by chunks, by random signs of blocks.

The share of null data sets with p <= 0.05, which should be 0.05, where targets are independent of
inputs but skewed, smooth or autocorrelated; and the floor by signs beside the floor by permuted
residuals, which needs the data in memory. All data come in chunks of random sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.measure.score import score
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings
from novelty_lab.studies.calibration.calibration import experiment as calibration
from novelty_lab.studies.calibration.floor.experiment import make_vectors


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    repeats: int = 600
    """Data sets per kind for the false-positive rate."""
    draws: int = 2
    """Reservoir draws per score."""
    null: int = 99
    """Random signs per test."""
    samples: int = 1024
    """Independent samples, and steps of the white series."""
    skewness: float = 1.5
    """Skewed targets are exp(skewness z) with z normal."""
    lattices: int = 120
    """Lattices of smooth fields."""
    series_length: int = 16_384
    """Steps of the paired series: blocks must be long beside their correlation time."""
    memory: float = 0.95
    """Autoregressive coefficient of the paired series."""
    chunk_sizes: tuple[int, int] = (50, 3000)
    """Smallest and largest chunk."""
    floor_size: int = 4096
    """Samples for the comparison of floors."""
    floor_draws: int = 8
    """Reservoir draws for it."""
    width: int = 64
    """Width of its MLP reservoir of depth 4."""
    ridge_penalty: float = 0.1
    """Its ridge, the paper's for flows."""
    parts: int = 20
    """Tasks that the repeats of a kind are divided into."""


PAPER = Config()
QUICK = Config(
    repeats=8, draws=1, null=19, series_length=1024, parts=2, floor_size=512, floor_draws=1
)

KINDS = ("independent samples", "skewed samples", "smooth lattices", "AR pairs", "white series")
FLOORS = ("noise", "identity", "identity + noise", "Lorenz", "Rossler", "Thomas", "rotation")


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Count false positives, and compare floors."""
    rates = calibration.false_positive_rates(config, KINDS, null_data, seed, context)
    floors = context.map(two_floors, {name: (config, name, seed) for name in FLOORS})
    return RunResult({"false_positives": rates, "floors": floors})


def null_data(config: Config, kind: str, index: int, seed: int) -> calibration.Dataset:
    """Make inputs and targets without relation in chunks, and how to score them."""
    if kind == "skewed samples":
        generator, shape = numpy_generator(seed, kind, index), (config.samples, 3)
        y = np.exp(config.skewness * generator.standard_normal(shape))
        x, settings = generator.standard_normal(shape), {"null": config.null}
    else:
        like = calibration.Config(
            null=config.null,
            vector_size=config.samples,
            lattice_size=config.lattices,
            series_length=config.series_length,
            memory=config.memory,
        )
        x, y, settings = calibration.null_data(like, kind, index, seed)
    chunks = in_chunks(x, y, config.chunk_sizes, split(seed, "chunks", kind, index))
    return chunks, None, settings


def in_chunks(
    inputs: np.ndarray, targets: np.ndarray | None, sizes: tuple[int, int], seed: int
) -> Callable[[], Iterator[Any]]:
    """Return a function that yields the data in chunks of random sizes."""

    def chunks() -> Iterator[Any]:
        generator, first = numpy_generator(seed), 0
        while first < len(inputs):
            last = first + int(generator.integers(*sizes, endpoint=True))
            x = inputs[first:last]
            yield x if targets is None else (x, targets[first:last])
            first = last

    return chunks


def two_floors(config: Config, name: str, seed: int) -> dict[str, float]:
    """Score data by chunks and in memory: the same bits, and two floors."""
    x, y = make_vectors(name, config.floor_size, 10, seed)
    reservoir = reservoirs.MLP(x.shape[1], config.width, 4, seed=split(seed, "reservoir"))
    common: dict[str, Any] = {
        "observer": Observer(reservoir, ridge_penalty=config.ridge_penalty),
        "draws": config.floor_draws,
        "null": 0,
        "seed": seed,
        "standardize_inputs": False,
        "target_unit": 1.0,
    }
    chunked = score(in_chunks(x, y, config.chunk_sizes, seed), **common)
    in_memory = score(x, y, **common)
    return {
        "bits": chunked.bits,
        "difference_in_bits": abs(chunked.bits - in_memory.bits),
        "signs": chunked.floor_bits,
        "signs_sd": chunked.floor_sd,
        "permuted": in_memory.floor_bits,
        "permuted_sd": in_memory.floor_sd,
    }

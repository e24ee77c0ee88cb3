"""Ours: does the measure keep its word? False positives, and the excess of noise.

For every default observer: the share of null data sets with p <= 0.05, which should be 0.05, and
the share of noise data sets whose 95% interval of the excess covers zero. For comparison the
same test with single rows permuted, which correlated data break.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import lfilter

from learnable_novelty.measure.null import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.repeats import LEVEL, part_of
from novelty_lab.settings import Settings


@dataclass(frozen=True)
class Config(Settings):
    """How many data sets, and how large."""

    repeats: int = 600
    """Data sets per kind and size for the false-positive rate."""
    noise_repeats: int = 60
    """Noise data sets per kind, for sizes below 4096."""
    large_noise_repeats: int = 20
    """Noise data sets per kind, for sizes of 4096 and above."""
    draws: int = 4
    """Reservoir draws per score."""
    null: int = 99
    """Rearrangements per test."""
    vector_size: int = 128
    """Independent samples."""
    lattice_size: int = 40
    """Lattices of smooth fields."""
    lattice_length: int = 32
    """Sites of a lattice."""
    smoothness: float = 3.0
    """Correlation length of the fields, in sites."""
    series_length: int = 1024
    """Steps of a series."""
    memory: float = 0.95
    """Autoregressive coefficient of the paired series."""
    noise_sizes: tuple[int, ...] = (128, 512, 4096)
    """Sizes for the excess of noise."""
    parts: int = 20
    """Tasks that the repeats of a kind are divided into."""


PAPER = Config()
QUICK = Config(repeats=24, noise_repeats=4, draws=1, null=19, parts=2, noise_sizes=(128,))

TESTS = ("independent samples", "smooth lattices", "AR pairs", "white series")
WRONG = ("AR pairs, rows permuted",)
NOISES = ("noise vectors", "noise series", "noise rings", "noise tori")
CONTROLS = ("y = x", "AR(1), 0.9", "sine")


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Count false positives and intervals that cover zero."""

    def by_size(function: Callable[..., Any], kinds: tuple[str, ...]) -> dict[str, Any]:
        sizes = itertools.product(kinds, config.noise_sizes)
        return context.map(
            function, {f"{kind}, n={n}": (config, kind, n, seed) for kind, n in sizes}
        )

    rates = false_positive_rates(config, (*TESTS, *WRONG), null_data, seed, context)
    noise, controls = by_size(noise_excesses, NOISES), by_size(control, CONTROLS)
    covered = {name: _coverage(pairs) for name, pairs in noise.items()}
    return RunResult({"false_positives": rates, "noise": covered, "controls": controls})


Dataset = tuple[Any, np.ndarray | None, dict[str, Any]]
"""Inputs, targets, and further arguments of ``score``."""


def false_positive_rates(
    config: Any,
    kinds: Sequence[str],
    make_data: Callable[[Any, str, int, int], Dataset],
    seed: int,
    context: RunContext,
) -> dict[str, dict[str, Any]]:
    """Test null data sets of every kind.

    Args:
        config: has ``repeats``, ``parts`` and ``draws``.
        kinds: of data.
        make_data: makes a data set from the configuration, its kind, its number and the seed.
        seed: of everything.
        context: runs the tasks, ``parts`` for each kind.
    """
    tasks = {
        f"{kind}, part {part}": (config, kind, part, seed, make_data)
        for kind in kinds
        for part in range(config.parts)
    }
    p_values = iter(context.map(null_p_values, tasks).values())
    return {kind: false_positives(list(itertools.islice(p_values, config.parts))) for kind in kinds}


def false_positives(p_values: list[list[float]]) -> dict[str, Any]:
    """Count p-values at or below the level."""
    values = np.array([p for part in p_values for p in part])
    rate = float((values <= LEVEL).mean())
    return {
        "rate": rate,
        "se": (rate * (1 - rate) / values.size) ** 0.5,
        "repeats": int(values.size),
        "p_values": values.tolist(),
    }


def null_p_values(
    config: Any, kind: str, part: int, seed: int, make_data: Callable[[Any, str, int, int], Dataset]
) -> list[float]:
    """Test data sets in which the null hypothesis is true."""
    p_values: list[float] = []
    for index in part_of(config.repeats, part, config.parts):
        inputs, targets, settings = make_data(config, kind, index, seed)
        child = split(seed, "score", kind, index)
        result = score(inputs, targets, draws=config.draws, seed=child, **settings)
        p_values.append(float(result.p_value or 0.0))
    return p_values


def null_data(config: Config, kind: str, index: int, seed: int) -> Dataset:
    """Make inputs and targets without relation, and how to score them."""
    generator, counted = numpy_generator(seed, kind, index), {"null": config.null}
    if kind == "independent samples":
        shape = (config.vector_size, 3)
        return generator.standard_normal(shape), generator.standard_normal(shape), counted
    if kind == "smooth lattices":
        return smooth_fields(config, generator), smooth_fields(config, generator), counted
    if kind == "white series":
        return generator.standard_normal(config.vector_size), None, {**counted, "window": 4}
    x, y = autoregression(config.series_length, config.memory, 2, generator).T
    if kind == "AR pairs":
        return x, y, {**counted, "leads": [0]}
    return x, y, {"null": Null(config.null, "rows"), "leads": [0]}


def smooth_fields(config: Config, generator: np.random.Generator) -> np.ndarray:
    """Draw Gaussian fields on rings with a Gaussian spectrum, (samples, 1, length)."""
    length = config.lattice_length
    white = generator.standard_normal((config.lattice_size, 1, length))
    frequency = np.fft.rfftfreq(length)
    window = np.exp(-2 * (np.pi * frequency * config.smoothness) ** 2)
    fields = np.fft.irfft(np.fft.rfft(white) * window, n=length)
    return fields / fields.std()


def autoregression(
    length: int, memory: float, columns: int, generator: np.random.Generator
) -> np.ndarray:
    """Draw stationary x_t = memory x_{t-1} + noise, (length, columns)."""
    noise = generator.standard_normal((length, columns))
    noise[0] /= np.sqrt(1 - memory**2)
    return np.asarray(lfilter([1.0], [1.0, -memory], noise, axis=0))


def noise_excesses(config: Config, kind: str, n: int, seed: int) -> list[list[float]]:
    """Return excess and standard error for noise of one kind and size."""
    rows: list[list[float]] = []
    repeats = config.noise_repeats if n < 4096 else config.large_noise_repeats
    for index in range(repeats):
        generator = numpy_generator(seed, kind, n, index)
        child = split(seed, "noise", kind, n, index)
        common: dict[str, Any] = {"draws": config.draws, "null": 0, "seed": child}
        if kind == "noise series":
            result = score(generator.standard_normal(n), window=4, **common)
        else:
            tail = {"noise vectors": (3,), "noise rings": (1, 16), "noise tori": (1, 4, 4)}[kind]
            x, y = (generator.standard_normal((n, *tail)) for _ in range(2))
            result = score(x, y, **common)
        rows.append([result.excess_bits, excess_error(result)])
    return rows


def control(config: Config, kind: str, n: int, seed: int) -> dict[str, float]:
    """Score data with structure, which must be found."""
    generator = numpy_generator(seed, kind, n)
    common: dict[str, Any] = {"draws": config.draws, "null": config.null, "seed": seed}
    if kind == "y = x":
        x = generator.standard_normal((n, 3))
        result = score(x, x.copy(), **common)
    elif kind == "sine":
        result = score(np.sin(0.3 * np.arange(n)), window=4, **common)
    else:
        result = score(autoregression(n, 0.9, 1, generator), window=4, **common)
    return {
        "p_value": float(result.p_value or 0.0),
        "excess_bits": result.excess_bits,
        "excess_se": excess_error(result),
    }


def excess_error(result: Score) -> float:
    """Return the standard deviation of the floor that was taken off."""
    return result.floor_sd


def _coverage(pairs: list[list[float]]) -> dict[str, float]:
    excess, error = np.array(pairs).T
    return {
        "mean_excess": float(excess.mean()),
        "sd_excess": float(deviation(excess)),
        "largest_excess": float(excess.max()),
        "covered": float((np.abs(excess) <= 1.96 * error + 1e-9).mean()),
        "repeats": int(excess.size),
    }

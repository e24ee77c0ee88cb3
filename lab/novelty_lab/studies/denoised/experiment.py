"""Ours: denoised bits, calibrated like a test.

Two questions. How often does pure noise keep a direction, which should be at most one set in a
hundred, and is the instant p-value honest? And do the bits of a known function stay what they are
without noise, whatever noise is added, at any number of rows and targets?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import lfilter

from learnable_novelty.measure.score import score
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings


@dataclass(frozen=True)
class Config(Settings):
    """Which noises, functions and sizes."""

    repeats: int = 1000
    """Noise data sets for each kind and size."""
    draws: int = 2
    """Reservoir draws per score."""
    null: int = 99
    """Permutations, for the noise data sets."""
    noise_sizes: tuple[int, ...] = (50, 500)
    """Rows of pure noise."""
    noise_targets: tuple[int, ...] = (1, 30)
    """Targets of pure noise."""
    wide: int = 300
    """The largest number of targets."""
    wide_repeats: int = 200
    """Noise data sets of that many targets."""
    sets: int = 20
    """Data sets of a function for each noise and size."""
    sizes: tuple[int, ...] = (50, 200, 1000, 5000, 50_000)
    """Rows of a function's data sets."""
    levels: tuple[float, ...] = (0.0, 0.3, 1.0, 3.0, 10.0)
    """Deviation of the added noise, in deviations of the signal."""
    targets: tuple[int, ...] = (1, 10, 300)
    """Targets of a function."""
    parts: int = 5
    """Tasks that the noise data sets of a kind are divided into."""


PAPER = Config()
QUICK = Config(
    repeats=10,
    draws=1,
    null=19,
    noise_sizes=(50,),
    noise_targets=(1, 3),
    wide=20,
    wide_repeats=4,
    sets=2,
    sizes=(50, 200),
    levels=(0.0, 1.0),
    targets=(1, 3),
    parts=1,
)

Noise = Callable[[np.random.Generator, int, int], np.ndarray]


def _normal(generator: np.random.Generator, n: int, d: int) -> np.ndarray:
    return generator.standard_normal((n, d))


def _student(generator: np.random.Generator, n: int, d: int) -> np.ndarray:
    return generator.standard_t(3, (n, d)) / 3**0.5


def _unequal(generator: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Columns of deviations from 1 to 10, of unit variance in the mean."""
    scale = np.geomspace(1, 10, d)
    return generator.standard_normal((n, d)) * scale / np.sqrt((scale**2).mean())


def _shared(generator: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Columns with half of their variance in common."""
    return (generator.standard_normal((n, 1)) + generator.standard_normal((n, d))) / 2**0.5


def _copies(generator: np.random.Generator, n: int, d: int) -> np.ndarray:
    """All columns equal."""
    return np.repeat(generator.standard_normal((n, 1)), d, axis=1)


NOISES: dict[str, Noise] = {
    "Gaussian": _normal,
    "Student t3": _student,
    "Cauchy": lambda generator, n, d: generator.standard_cauchy((n, d)),
    "unequal columns": _unequal,
    "half in common": _shared,
    "equal columns": _copies,
    "skewed": lambda generator, n, d: generator.exponential(size=(n, d)) - 1,
}
ADDED = ("Gaussian", "Student t3", "unequal columns")
PAIR = "AR 0.9 pair"
DEPENDENT = ("white series", PAIR, "smooth lattices")


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Count false directions of noise, and compare functions with their noiseless values."""
    cells = [
        (kind, n, d)
        for kind in NOISES
        for n in config.noise_sizes
        for d in (*config.noise_targets, config.wide)
    ]
    cells += [(kind, n, 1) for kind in DEPENDENT for n in config.noise_sizes]
    tasks = {
        f"{kind}, n={n}, D={d}, part {part}": (config, kind, n, d, part, seed)
        for kind, n, d in cells
        for part in range(config.parts)
    }
    results = context.map(false_directions, tasks)
    noise = []
    for kind, n, d in cells:
        parts = [results[f"{kind}, n={n}, D={d}, part {part}"] for part in range(config.parts)]
        rates = _rates([one for part in parts for one in part])
        noise.append({"kind": kind, "n": n, "D": d, **rates})
    functions = context.map(
        denoised_function,
        {
            f"{kind}, noise {level:g}, n={n}, D={d}": (config, kind, level, n, d, seed)
            for d in config.targets
            for kind in ADDED
            for level in (config.levels if kind == ADDED[0] else config.levels[1:])
            for n in config.sizes
        },
    )
    return RunResult({"noise": noise, "functions": list(functions.values())})


def _rates(rows: list[list[float]]) -> dict[str, Any]:
    directions, p_values, bits = np.array(rows).T
    return {
        "repeats": len(rows),
        "refused": float(np.isnan(directions).mean()),
        "kept": float((directions > 0).mean()),
        "p_at_5": float((p_values <= 0.05).mean()),
        "p_at_1": float((p_values <= 0.01).mean()),
        "most_bits": float(np.nanmax(bits, initial=0.0)),
    }


def false_directions(
    config: Config, kind: str, n: int, d: int, part: int, seed: int
) -> list[list[float]]:
    """Return directions, instant p-value and denoised bits of data sets of pure noise."""
    rows: list[list[float]] = []
    repeats = config.wide_repeats if d == config.wide else config.repeats
    for index in range(part, repeats, config.parts):
        generator = numpy_generator(seed, kind, n, d, index)
        inputs, targets, options = noise_data(kind, n, d, generator)
        child = split(seed, "score", kind, n, d, index)
        options |= {"draws": config.draws, "seed": child}
        asked = config.null if kind == PAIR else 0  # two series may be refused by the test
        result = score(inputs, targets, null=asked, **options)
        if result.directions and not asked:  # the permutation test only takes directions away
            result = score(inputs, targets, null=config.null, **options)
        rows.append([result.directions, result.root_p_value, result.denoised_bits])
    return rows


def noise_data(
    kind: str, n: int, d: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None, dict[str, Any]]:
    """Make inputs and targets without relation, and how to score them."""
    if kind == "white series":
        return generator.standard_normal(n), None, {"window": 4, "history": 2}
    if kind == PAIR:
        white = generator.standard_normal((n + 100, 2))
        x, y = np.asarray(lfilter([1.0], [1.0, -0.9], white, axis=0))[100:].T
        return x, y, {"leads": [0]}
    if kind == "smooth lattices":
        white = generator.standard_normal((2, n, 1, 16))
        x, y = np.sum([np.roll(white, shift, axis=-1) for shift in range(4)], axis=0)
        return x, y, {}
    return generator.standard_normal((n, 3)), NOISES[kind](generator, n, d), {}


def denoised_function(
    config: Config, kind: str, level: float, n: int, d: int, seed: int
) -> dict[str, Any]:
    """Score sets of a known function in noise: sin of random projections of four inputs."""
    weights = 0.75 * numpy_generator(seed, "function", d).standard_normal((4, d))
    rows: list[list[float]] = []
    for index in range(config.sets):
        generator = numpy_generator(seed, "function", kind, f"{level:g}", n, d, index)
        x = generator.standard_normal((n, 4))
        signal = np.sin(x @ weights)
        y = signal + level * signal.std() * NOISES[kind](generator, n, d)
        result = score(x, y, draws=config.draws, null=0, seed=split(seed, "score", index))
        rows.append([result.denoised_bits, result.directions, result.bits, result.excess_bits])
    bits, directions, raw, excess = np.array(rows).T
    return {
        "kind": kind,
        "noise": level,
        "n": n,
        "D": d,
        "bits": float(bits.mean()),
        "sd": float(bits.std(ddof=1)),
        "directions": float(directions.mean()),
        "raw": float(raw.mean()),
        "excess": float(excess.mean()),
    }

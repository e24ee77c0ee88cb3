"""Functions of known depth, and data without any: a function of (rows, generator) each."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Data = tuple[Array, Array]
"""Inputs (rows, columns) and targets (rows, targets)."""
Maker = Callable[[int, np.random.Generator], Data]
TEACHER_SEED = 20
"""Of the weights of teacher networks, which are the same in every data set."""


def parity(rows: int, generator: np.random.Generator, *, order: int) -> Data:
    """Multiply some of twelve random signs."""
    x = generator.choice([-1.0, 1.0], (rows, 12))
    return x, x[:, :order].prod(1, keepdims=True)


def modular_sum(rows: int, generator: np.random.Generator, *, modulus: int) -> Data:
    """Add two numbers modulo p; numbers and sum have a column for each of their values."""
    a, b = generator.integers(0, modulus, (2, rows))
    unit = np.eye(modulus)
    return np.column_stack([unit[a], unit[b]]), unit[(a + b) % modulus]


def teacher(rows: int, generator: np.random.Generator, *, layers: int) -> Data:
    """Pass ten normal inputs through hidden layers of ten tanh units, of gain 2."""
    weights = np.random.default_rng([TEACHER_SEED, layers])
    x = generator.standard_normal((rows, 10))
    hidden = x
    for _ in range(layers):
        hidden = np.tanh(hidden @ weights.standard_normal((10, 10)) * 2 / np.sqrt(10))
    return x, hidden @ weights.standard_normal((10, 1))


def logistic(rows: int, generator: np.random.Generator, *, steps: int) -> Data:
    """Iterate the logistic map at 4 from a uniform start."""
    x = generator.random((rows, 1))
    y = x
    for _ in range(steps):
        y = 4 * y * (1 - y)
    return x, y


def henon(rows: int, generator: np.random.Generator, *, steps: int) -> Data:
    """Iterate the Hénon map from points of its attractor."""
    orbit = [generator.uniform(-0.1, 0.1, (2, rows))]
    for _ in range(100 + steps):
        x, y = orbit[-1]
        orbit.append(np.stack([1 - 1.4 * x**2 + y, 0.3 * x]))
    return orbit[100].T.copy(), orbit[-1].T.copy()


def waves(rows: int, generator: np.random.Generator) -> Data:
    """Return sin(3 x1) sin(3 x2), with four idle inputs."""
    x = generator.standard_normal((rows, 6))
    return x, np.sin(3 * x[:, :1]) * np.sin(3 * x[:, 1:2])


FUNCTIONS: dict[str, Maker] = {
    **{f"product of {k} of 12 signs": functools.partial(parity, order=k) for k in range(2, 7)},
    **{f"sum modulo {p}": functools.partial(modular_sum, modulus=p) for p in (7, 23)},
    **{f"teacher of {k} layers": functools.partial(teacher, layers=k) for k in (2, 3)},
    **{f"logistic map, {k} steps": functools.partial(logistic, steps=k) for k in (4, 7)},
    "Hénon map, 6 steps": functools.partial(henon, steps=6),
    "sin(3 x1) sin(3 x2) of 6": waves,
}


def _noise(
    x: Callable[[np.random.Generator, int], Array], y: Callable[[np.random.Generator, int], Array]
) -> Maker:
    return lambda rows, generator: (x(generator, rows), y(generator, rows))


def _normal(columns: int) -> Callable[[np.random.Generator, int], Array]:
    return lambda g, n: g.standard_normal((n, columns))


NOISE: dict[str, Maker] = {
    "normal, 12 inputs": _noise(_normal(12), _normal(1)),
    "normal, 40 inputs, 2 targets": _noise(_normal(40), _normal(2)),
    "t2": _noise(_normal(5), lambda g, n: g.standard_t(2, (n, 1))),
    "Cauchy": _noise(
        lambda g, n: g.standard_cauchy((n, 3)), lambda g, n: g.standard_cauchy((n, 1))
    ),
    "signs": _noise(
        lambda g, n: g.choice([-1.0, 1.0], (n, 8)), lambda g, n: g.choice([-1.0, 1.0], (n, 1))
    ),
    "counts": _noise(
        lambda g, n: g.exponential(size=(n, 4)), lambda g, n: g.poisson(0.5, (n, 1)).astype(float)
    ),
    "classes": _noise(_normal(6), lambda g, n: np.eye(3)[g.integers(0, 3, n)]),
}
"""Targets that do not depend on the inputs."""

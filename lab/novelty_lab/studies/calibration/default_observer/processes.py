"""Vectors, series and lattices with a known relation, none of which a default was chosen on.

Each maker takes a generator and a number of rows (or steps) and returns inputs and targets; a
series returns targets None, and is predicted from its own past.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
Maker = Callable[[np.random.Generator, int], tuple[Array, Array | None]]


def _vectors(dim: int, function: Callable[[Array], Array], noise: float) -> Maker:
    def make(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        x = rng.random((n, dim))
        y = function(x)
        return x, (y + noise * y.std() * rng.standard_normal(n))[:, None]

    return make


def _map(step: Callable[[Array], Array], start: int, noise: float) -> Maker:
    """A chaotic map, observed with noise."""

    def make(rng: np.random.Generator, n: int) -> tuple[Array, None]:
        state, path = 0.1 + 0.5 * rng.random(start), []
        for _ in range(n + 100):
            state = step(state)
            path.append(state[0])
        series = np.array(path[100:])
        return (series + noise * series.std() * rng.standard_normal(n))[:, None], None

    return make


def _autoregression(step: Callable[[float, float, float], float]) -> Maker:
    def make(rng: np.random.Generator, n: int) -> tuple[Array, None]:
        path = [0.0, 0.0]
        for shock in rng.standard_normal(n + 100):
            path.append(step(path[-1], path[-2], shock))
        return np.array(path[-n:])[:, None], None

    return make


def _ring(update: Callable[[Array, np.random.Generator], Array], *, binary: bool) -> Maker:
    """Rings of 24 sites after 20 updates, and the next state."""

    def make(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        state = rng.random((n, 24))
        state = (state < 0.5).astype(float) if binary else state
        for _ in range(20):
            state = update(state, rng)
        return state[:, None], update(state, rng)[:, None]

    return make


def _around(state: Array) -> tuple[Array, Array]:
    return np.roll(state, 1, axis=1), np.roll(state, -1, axis=1)


def _coupled(state: Array, rng: np.random.Generator) -> Array:
    chaotic = 3.8 * state * (1 - state)
    left, right = _around(chaotic)
    return 0.7 * chaotic + 0.15 * (left + right)


def _diffusion(state: Array, rng: np.random.Generator) -> Array:
    left, right = _around(state)
    return 0.8 * state + 0.1 * (left + right) + 0.1 * rng.standard_normal(state.shape)


def _majority(state: Array, rng: np.random.Generator) -> Array:
    left, right = _around(state)
    flipped = rng.random(state.shape) < 0.1
    return ((state + left + right > 1.5) ^ flipped).astype(float)


def _traffic(state: Array, rng: np.random.Generator) -> Array:
    left, right = _around(state)
    moves = rng.random(state.shape) < 0.8  # a car advances into a gap in four of five steps
    go, arrive = state * (1 - right) * moves, left * (1 - state) * np.roll(moves, 1, axis=1)
    return state - go + arrive


def _parity(state: Array, rng: np.random.Generator) -> Array:
    left, right = _around(state)
    flipped = rng.random(state.shape) < 0.1
    return ((left + right) % 2).astype(int).__xor__(flipped).astype(float)


def _threshold(state: Array, rng: np.random.Generator) -> Array:
    left, right = _around(state)
    field = np.tanh(2 * (left + right - 2 * state))
    return 0.5 * state + 0.3 * field + 0.1 * rng.standard_normal(state.shape)


VECTORS: dict[str, Maker] = {
    "friedman 1": _vectors(
        8,
        lambda x: (
            10 * np.sin(np.pi * x[:, 0] * x[:, 1])
            + 20 * (x[:, 2] - 0.5) ** 2
            + 10 * x[:, 3]
            + 5 * x[:, 4]
        ),
        0.5,
    ),
    "resistance": _vectors(
        4,
        lambda x: np.hypot(100 * x[:, 0], (0.1 + x[:, 1]) * x[:, 2] - 1 / (0.1 + x[:, 3])),
        0.5,
    ),
    "ratio": _vectors(3, lambda x: x[:, 0] / (0.2 + x[:, 1]), 1.0),
    "ripples": _vectors(2, lambda x: np.sin(6 * np.hypot(*(4 * x.T - 2))), 0.5),
    "product of signs": _vectors(4, lambda x: np.sign((x[:, 0] - 0.5) * (x[:, 1] - 0.5)), 0.5),
    "steps": _vectors(3, lambda x: np.floor(4 * x[:, 0]) % 2 + 0.5 * (x[:, 1] > 0.3), 1.0),
    "maximum of five": _vectors(5, lambda x: x.max(1), 0.5),
    "a line of ten": _vectors(10, lambda x: x @ np.linspace(-1, 1, 10), 1.0),
}
SERIES: dict[str, Maker] = {
    "Henon": _map(lambda s: np.array([1 - 1.4 * s[0] ** 2 + s[1], 0.3 * s[0]]), 2, 0.2),
    "tent": _map(lambda s: 1.99 * np.minimum(s, 1 - s), 1, 0.2),
    "sine circle": _map(
        lambda s: (s + 0.3 + 0.9 / (2 * np.pi) * np.sin(2 * np.pi * s)) % 1, 1, 0.5
    ),
    "threshold AR": _autoregression(lambda a, b, e: (0.6 if a > 0 else -0.6) * a + e),
    "AR 2": _autoregression(lambda a, b, e: 0.9 * a - 0.5 * b + e),
    "bilinear": _autoregression(lambda a, b, e: 0.3 * a + 0.25 * a * np.tanh(b) + e),
    "exponential AR": _autoregression(
        lambda a, b, e: (0.3 + 1.2 * np.exp(-a * a)) * a - 0.3 * b + e
    ),
    "moving average squared": _autoregression(lambda a, b, e: 0.4 * np.tanh(a * b) + e),
}
LATTICES: dict[str, Maker] = {
    "coupled logistic maps": _ring(_coupled, binary=False),
    "diffusion with noise": _ring(_diffusion, binary=False),
    "majority with noise": _ring(_majority, binary=True),
    "traffic": _ring(_traffic, binary=True),
    "parity with noise": _ring(_parity, binary=True),
    "threshold coupling": _ring(_threshold, binary=False),
}
KINDS = {"vectors": VECTORS, "series": SERIES, "lattices": LATTICES}

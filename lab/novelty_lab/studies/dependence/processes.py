"""Data for the test of independence: independent pairs, confounded ones, and those of hyppo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learnable_novelty.errors import needs_extra
from learnable_novelty.seeds import split

Generator = np.random.Generator
Arrays = tuple[np.ndarray, ...]
INDEPENDENT = "multimodal_independence"
"""The one simulation of hyppo without dependence."""
WITHOUT_NOISE = ("multiplicative_noise", INDEPENDENT)
"""Simulations that have no setting for noise."""


def simulation_names() -> list[str]:
    """List the twenty simulations of hyppo."""
    with needs_extra("the experiment dependence", "independence"):
        from hyppo.tools import SIMULATIONS
    return list(SIMULATIONS)


def simulate(name: str, n: int, p: int, *, noise: bool, seed: int) -> Arrays:
    """Draw one of the simulations of hyppo, which uses NumPy's global generator."""
    from hyppo.tools import SIMULATIONS

    np.random.seed(split(seed, name, n, p) % 2**32)  # noqa: NPY002
    options = {} if name in WITHOUT_NOISE else {"noise": noise}
    return SIMULATIONS[name](n, p, **options)


def dimensions(name: str) -> list[int]:
    """Return the dimensions at which hyppo draws its curves of power over dimension."""
    largest = {
        **dict.fromkeys(("joint_normal", "sin_four_pi", "sin_sixteen_pi"), 10),
        "multiplicative_noise": 10,
        **dict.fromkeys((INDEPENDENT, "uncorrelated_bernoulli", "logarithmic"), 100),
        **dict.fromkeys(("linear", "exponential", "cubic"), 1000),
        **dict.fromkeys(("square", "diamond"), 40),
    }.get(name, 20)
    step = largest // (10 if largest < 20 else 20)
    return sorted({1, *range(step, largest + 1, step)})


def _normal(g: Generator, n: int, columns: int = 1) -> np.ndarray:
    return g.standard_normal((n, columns))


def _series(g: Generator, n: int, past: float) -> np.ndarray:
    noise = g.standard_normal((n + 200, 1))
    for now in range(1, len(noise)):
        noise[now] += past * noise[now - 1]
    return noise[200:]


NULLS: dict[str, Callable[[int, Generator], Arrays]] = {
    "normal": lambda n, g: (_normal(g, n), _normal(g, n)),
    "t2": lambda n, g: (g.standard_t(2, (n, 1)), g.standard_t(2, (n, 1))),
    "Cauchy": lambda n, g: (g.standard_cauchy((n, 1)), g.standard_cauchy((n, 1))),
    "binary": lambda n, g: (g.integers(0, 2, (n, 1)), g.integers(0, 2, (n, 1))),
    "Poisson and normal": lambda n, g: (g.poisson(1.0, (n, 1)), _normal(g, n)),
    "10 and 3 columns": lambda n, g: (_normal(g, n, 10), _normal(g, n, 3)),
    "200 columns and 1": lambda n, g: (_normal(g, n, 200), g.exponential(1, (n, 1))),
}
"""Pairs without dependence."""

SERIES: dict[str, Callable[[int, Generator], Arrays]] = {
    "AR 0.5": lambda n, g: (_series(g, n, 0.5), _series(g, n, 0.5)),
    "AR 0.9": lambda n, g: (_series(g, n, 0.9), _series(g, n, 0.9)),
}
"""Pairs of series without dependence, tested with blocks of 20 and of 50 steps."""


def _confounded(
    of_x: Callable[..., np.ndarray], of_y: Callable[..., np.ndarray], columns: int = 1
) -> Callable[[int, Generator], Arrays]:
    """Return x = of_x(z, e), y = of_y(z, f, e) and z, with independent normal e and f."""

    def draw(n: int, g: Generator) -> Arrays:
        z, e, f = _normal(g, n, columns), _normal(g, n), _normal(g, n)
        return of_x(z, e), of_y(z, f, e), z

    return draw


CONFOUNDED: dict[str, Callable[[int, Generator], Arrays]] = {
    "linear": _confounded(lambda z, e: z + e, lambda z, f, e: z + f),
    "strong linear": _confounded(lambda z, e: 2 * z + 0.5 * e, lambda z, f, e: 0.5 * f - 2 * z),
    "sine": _confounded(
        lambda z, e: np.sin(3 * z) + 0.4 * e, lambda z, f, e: np.sin(3 * z) + 0.4 * f
    ),
    "quadratic": _confounded(lambda z, e: z**2 + 0.5 * e, lambda z, f, e: abs(z) + 0.5 * f),
    "post-nonlinear": _confounded(
        lambda z, e: np.tanh(z + 0.5 * e), lambda z, f, e: np.exp((z + f) / 2)
    ),
    "post-nonlinear, sine": _confounded(
        lambda z, e: (np.sin(2 * z) + 0.5 * e) ** 3, lambda z, f, e: np.tanh(np.cos(z) + 0.5 * f)
    ),
    "scale": _confounded(lambda z, e: np.exp(z / 2) * e, lambda z, f, e: np.exp(z / 2) * f),
    "five columns": _confounded(
        lambda z, e: 2 * z.mean(1, keepdims=True) + 0.7 * e,
        lambda z, f, e: np.sin(z[:, :1]) + z[:, 1:2] + 0.7 * f,
        columns=5,
    ),
    "unrelated z": _confounded(lambda z, e: e, lambda z, f, e: f),
}
"""x and y independent given z."""

CONNECTED: dict[str, Callable[[int, Generator], Arrays]] = {
    "linear": _confounded(lambda z, e: z + e, lambda z, f, e: z + 0.25 * e + f),
    "quadratic": _confounded(lambda z, e: z + e, lambda z, f, e: z + 0.25 * e**2 + f),
    "size": _confounded(lambda z, e: np.sin(2 * z) + e, lambda z, f, e: z + (0.5 + abs(e)) * f),
    "post-nonlinear": _confounded(
        lambda z, e: np.tanh(z + e), lambda z, f, e: np.exp((z + 0.3 * e + f) / 2)
    ),
}
"""x and y dependent given z."""

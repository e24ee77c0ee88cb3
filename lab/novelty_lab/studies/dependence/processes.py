"""Data for the test of independence: independent pairs, and the simulations of hyppo."""

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

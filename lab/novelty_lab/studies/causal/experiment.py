"""Ours: the test given z in causal discovery, beside the tests of the packages that run it.

Graphs are drawn at random, and each variable is a random mixture of nonlinear functions of its
parents in noise. The PC algorithm of causal-learn finds the skeleton, PCMCI of tigramite the lagged
links, each with our test and with the packages' own. F1 is that of adjacencies, time that of one
process. Both packages are installed by whoever runs this.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import learnable_novelty as ln
from learnable_novelty.seeds import numpy_generator
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings

Generator = np.random.Generator
NOISES: dict[str, Callable[[Generator, Any], np.ndarray]] = {
    "normal": lambda g, size: g.standard_normal(size),
    "t3": lambda g, size: g.standard_t(3, size) / 3**0.5,
    "skewed": lambda g, size: g.exponential(size=size) - 1,
}
FUNCTIONS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda x: x,
    lambda x: np.sin(2 * x),
    lambda x: x**2 / 1.5,
    lambda x: 1.5 * np.tanh(2 * x),
    np.abs,
)
LEVEL = 0.05


@dataclass(frozen=True)
class Config(Settings):
    """Which graphs, how many, and which tests."""

    sets: int = 3
    """Graphs of each noise and size."""
    variables: tuple[int, ...] = (7,)
    """Of the PC algorithm."""
    series: tuple[int, ...] = (4,)
    """Of PCMCI."""
    samples: tuple[int, ...] = (300, 1000)
    pc_tests: tuple[str, ...] = ("novelty", "fisherz", "rcit", "kci")
    pcmci_tests: tuple[str, ...] = ("novelty", "parcorr")
    """Also "cmiknn", which takes minutes for each graph."""


PAPER = Config()
QUICK = Config(sets=1, variables=(4,), series=(2,), samples=(100,), pc_tests=("fisherz", "novelty"))


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Search for the graphs with every test."""
    tasks = {
        f"{algorithm}, {test}, {size} variables, n = {n}, {noise}, set {index}": (
            algorithm, test, size, n, noise, index, seed,
        )
        for algorithm, tests, sizes in (
            ("PC", config.pc_tests, config.variables),
            ("PCMCI", config.pcmci_tests, config.series),
        )
        for size in sizes
        for n in config.samples
        for test in tests
        for noise in NOISES
        for index in range(config.sets)
    }  # fmt: skip
    cells: dict[str, list[list[float]]] = {}
    for name, found in context.map(searched, tasks).items():
        cells.setdefault(name.rsplit(", ", 2)[0], []).append(found)
    return RunResult({"searches": {name: summary(rows) for name, rows in cells.items()}})


def summary(rows: list[list[float]]) -> dict[str, float]:
    """Return mean F1 with its standard error, and the mean time of a search."""
    f1, seconds = np.array(rows).T
    error = float(f1.std(ddof=1) / len(f1) ** 0.5) if len(f1) > 1 else 0.0
    return {
        "f1": float(f1.mean()),
        "error": error,
        "seconds": float(seconds.mean()),
        "sets": len(rows),
    }


def searched(
    algorithm: str, test: str, size: int, n: int, noise: str, index: int, seed: int
) -> list[float]:
    """Return F1 and the seconds of this process for one graph."""
    g = numpy_generator(seed, algorithm, size, n, noise, index)
    search, draw = (pc, static_data) if algorithm == "PC" else (pcmci, lagged_data)
    data, links = draw(g, size, n, NOISES[noise])
    search(data[:60, :3], test)  # imports and compiles
    started = time.process_time()
    found = search(data, test)
    return [f1_of(found, links), time.process_time() - started]


def f1_of(found: np.ndarray, links: np.ndarray) -> float:
    """Return 2 right / (found + true); 1 where there is nothing to find and nothing found."""
    total = int(found.sum() + links.sum())
    return 2 * int((found & links).sum()) / total if total else 1.0


def mechanism(g: Generator, parents: np.ndarray) -> np.ndarray:
    """Return the sum of a random function of each parent, scaled to unit deviation."""
    parts = [FUNCTIONS[g.integers(len(FUNCTIONS))](column) for column in parents.T]
    value = np.sum([part * g.choice([-1.0, 1.0]) for part in parts], axis=0)
    return value / value.std()


def static_data(
    g: Generator, size: int, n: int, noise: Callable[[Generator, Any], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a random graph with 1.2 links for each variable, and rows of its variables.

    Returns:
        (n, size), and the adjacencies (size, size), above the diagonal.
    """
    links = np.triu(g.random((size, size)) < min(1.0, 2.4 / (size - 1)), 1)
    data = np.empty((n, size))
    for place in range(size):
        data[:, place] = noise(g, n)
        if links[:, place].any():
            data[:, place] = mechanism(g, data[:, links[:, place]]) + 0.5 * data[:, place]
        data[:, place] /= data[:, place].std()
    return data, links


def lagged_data(
    g: Generator, size: int, n: int, noise: Callable[[Generator, Any], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Draw series x_t = 0.4 x_{t-1} + sum f(parents at t-1 or t-2) + noise.

    Returns:
        (n, size), and the links (source, target, lag 1 or 2).
    """
    links = np.zeros((size, size, 2), dtype=bool)
    kinds = g.integers(len(FUNCTIONS), size=(size, size))
    for source, target in g.permutation([(i, j) for i in range(size) for j in range(size)]):
        if source != target and links[:, target].sum() == 0:
            links[source, target, g.integers(2)] = True
    series = np.zeros((n + 100, size))
    shocks = noise(g, series.shape)
    for now in range(2, len(series)):
        series[now] = 0.4 * series[now - 1] + shocks[now]
        for source, target, lag in np.argwhere(links):
            cause = np.clip(series[now - 1 - lag, source], -3, 3)
            series[now, target] += FUNCTIONS[kinds[source, target]](cause)
    for place in range(size):
        links[place, place, 0] = True
    return series[100:], links


def pc(data: np.ndarray, test: str) -> np.ndarray:
    """Return the adjacencies that the PC algorithm of causal-learn finds, above the diagonal."""
    search = importlib.import_module("causallearn.search.ConstraintBased.PC").pc
    name = ln.causal.causal_learn() if test == "novelty" else test
    graph = search(data, alpha=LEVEL, indep_test=name, show_progress=False).G.graph
    return np.triu((graph != 0) | (graph.T != 0), 1)


def pcmci(data: np.ndarray, test: str) -> np.ndarray:
    """Return the links (source, target, lag) that PCMCI of tigramite finds at lags 1 and 2."""
    frame = importlib.import_module("tigramite.data_processing").DataFrame(data)
    search = importlib.import_module("tigramite.pcmci").PCMCI
    made = ln.causal.tigramite() if test == "novelty" else their_test(test)
    found = search(frame, cond_ind_test=made, verbosity=0).run_pcmci(
        tau_min=1, tau_max=2, pc_alpha=LEVEL, alpha_level=LEVEL
    )
    return found["p_matrix"][:, :, 1:] <= LEVEL


def their_test(name: str) -> Any:
    """Return a test of tigramite."""
    tests = importlib.import_module("tigramite.independence_tests")
    module = importlib.import_module(f"{tests.__name__}.{name}")
    if name == "cmiknn":
        return module.CMIknn(sig_samples=199, sig_blocklength=1)  # else NumPy 2.4 fails in it
    return module.ParCorr()

"""Appendix E: the error and the cost of the ways to one score.

PAPER measures, for random features and for the nearly collinear features of a reservoir on
low-dimensional inputs, how the score and the readout err as n/lambda grows, which bounds the
conditioning of H~'H~ + lambda I. The reference has fifty digits and the same float64 features; a
float32 solver rounds them on entry, which is part of its error.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Rows
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import RunContext, RunResult
from novelty_lab.paper.app_e_solvers.forms import (
    BATCH,
    ONLINE,
    Exact,
    Given,
    batch_bits,
    batch_readout,
    determinant_form,
    determinants,
    readout_form,
    streamed,
)
from novelty_lab.paper.app_f_flows import temporal
from novelty_lab.paper.app_f_flows.experiment import BY_NAME
from novelty_lab.settings import Settings

CASES = {
    "random": "independent features",
    "Lorenz": "reservoir, Lorenz ensemble",
    "orbit": "reservoir, one rotation",
    "noise": "the same, noise for targets",
    "rest": "reservoir, a decay to rest",
}
"""What is solved; one trajectory has the most collinear features, and the reward sees just that."""


@dataclass(frozen=True)
class Config(Settings):
    """What is solved, and how often it is timed."""

    samples: int = 512
    """Rows n of the error measurement."""
    width: int = 32
    """Features m of the error measurement: the reservoir width of the reward."""
    window: int = 10
    """Lead times of a flow; a random case has as many targets as Lorenz, three times this."""
    ratios: tuple[float, ...] = tuple(float(10 ** (k / 2)) for k in range(4, 19))
    """Values of n/lambda."""
    long_samples: int = 2048
    """Rows of the longer streams for the online forms, compared with float64 QR."""
    long_draws: int = 4
    """Longer streams per case, each with its own data and reservoir."""
    tolerance: float = 1e-6
    """Error that the largest n/lambda of an online form keeps: relative to the score, or to one
    bit where the score is less."""
    shapes: tuple[tuple[int, int, int], ...] = ((512, 64, 30), (32768, 256, 32), (128, 2048, 64))
    """Shapes (n, m, D) that the batch solvers are timed at: flows, automata, encoder."""
    dual_rows: int = 2048
    """Most rows that the dual is timed at: it holds a matrix of n x n."""
    target_dims: tuple[int, ...] = (48, 960)
    """Target lengths D that the online forms are timed at: the least and the most of the tasks."""
    repeats: int = 5
    """Timings of each, of which the median is kept."""
    threads: int = 1
    """Threads during the timings."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER,
    samples=64,
    width=8,
    window=2,
    ratios=(1e2, 1e5, 1e8),
    long_samples=128,
    long_draws=2,
    shapes=((256, 16, 4), (16, 64, 4)),
    target_dims=(4,),
    repeats=3,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure errors by case, then times in this process, alone."""
    by_case = context.map(errors_of, {case: (config, case, seed) for case in CASES})
    names = [*BATCH, *ONLINE]

    def stack(kind: str, solvers: list[str]) -> np.ndarray:
        """Collect errors (cases, solvers, ratios); a solver that failed has NaN."""
        values = [[by_case[case][kind][name] for name in solvers] for case in CASES]
        return np.array(values, dtype=np.float64)

    arrays = {
        "score_error": stack("score", names),
        "readout_error": stack("readout", list(BATCH)),
        "long_error": stack("long", list(ONLINE)),
    }
    bits = np.array([by_case[case]["bits"] for case in CASES])[:, None]
    online = np.stack(
        [arrays["score_error"][:, len(BATCH) :] * np.minimum(bits, 1.0), arrays["long_error"]]
    )
    worst = np.where(np.isnan(online), np.inf, online).max((0, 1))
    results: dict[str, Any] = {
        "cases": CASES,
        "solvers": names,
        "bits": {case: by_case[case]["bits"] for case in CASES},
        "online_error": {
            name: [float(e) if np.isfinite(e) else None for e in worst[index]]
            for index, name in enumerate(ONLINE)
        },
        "online_limit": {
            name: largest_within(worst[index], config) for index, name in enumerate(ONLINE)
        },
    }
    return RunResult(results | times(config, seed), None, arrays)


def times(config: Config, seed: int) -> dict[str, Any]:
    """Time the solvers with the configured number of threads."""
    threads_before = torch.get_num_threads()
    torch.set_num_threads(config.threads)
    try:
        return {
            "milliseconds": [time_batch(config, shape, seed) for shape in config.shapes],
            "online_ms": [time_online(config, dim, seed) for dim in config.target_dims],
        }
    finally:
        torch.set_num_threads(threads_before)


def largest_within(worst: np.ndarray, config: Config) -> dict[str, float]:
    """Find the largest n/lambda up to which the errors (ratios,) keep the tolerance."""
    kept = int(np.argmax(np.append(worst, np.inf) > config.tolerance))
    if kept == 0:
        return {"ratio": 0.0, "error": 0.0}
    return {"ratio": config.ratios[kept - 1], "error": float(worst[:kept].max())}


def errors_of(config: Config, case: str, seed: int) -> dict[str, Any]:
    """Measure the errors of every solver on one case; None where a solver fails."""
    rows = make_rows(config, case, config.samples, 0, seed)
    long = [make_rows(config, case, config.long_samples, d, seed) for d in range(config.long_draws)]
    exact = Exact(rows)
    errors: dict[str, Any] = {"bits": [], "score": {}, "readout": {}, "long": {}}

    def note(kind: str, name: str, error: float | None) -> None:
        errors[kind].setdefault(name, []).append(error)

    for ratio in config.ratios:
        bits, readout = exact.solve(config.samples / ratio)
        errors["bits"].append(bits)
        for name in BATCH:
            call = name, rows, config.samples / ratio
            note("score", name, error_of(partial(batch_bits, *call), bits))
            note("readout", name, error_of(partial(batch_readout, *call), readout))
        for name, form in zip(ONLINE, (determinants, streamed), strict=True):
            note("score", name, error_of(lambda f=form, r=ratio: f(rows, r), bits))
            note("long", name, long_error(long, form, ratio))
    return errors


def long_error(
    streams: list[Rows], form: Callable[[Rows, float], Tensor], ratio: float
) -> float | None:
    """Return the largest error of an online form, relative to the score or to one bit."""
    errors: list[float] = []
    for rows in streams:
        count = len(rows.features)
        exact = float(batch_bits("float64 QR", rows, count / ratio))
        error = error_of(lambda stream=rows: form(stream, ratio), exact, least=1.0)
        if error is None:
            return None
        errors.append(error)
    return max(errors)


def error_of(
    call: Callable[[], Tensor], exact: float | np.ndarray, least: float = 0.0
) -> float | None:
    """Return the relative error of a result, or None where rounding or a guard refuses it."""
    try:
        value = call().double().numpy()
    except (torch.linalg.LinAlgError, ValueError):  # pyright: ignore[reportPrivateImportUsage]
        return None
    return float(np.linalg.norm(value - exact) / max(np.linalg.norm(exact), least))


def make_rows(config: Config, case: str, samples: int, draw: int, seed: int) -> Rows:
    """Make the features and targets of a case."""
    generator = torch_generator(seed, "data", case, samples, draw)

    def normal(columns: int) -> Tensor:
        return torch.randn(samples, columns, generator=generator, dtype=torch.float64)

    if case == "random":
        features, mixing = normal(config.width), normal(3 * config.window)[: config.width]
        return Rows(features, features @ mixing + normal(3 * config.window))
    source = split(seed, "data", draw)
    if case == "Lorenz":
        pair = BY_NAME["Lorenz"].sample(samples, window=config.window, seed=source)
        inputs, targets = (torch.from_numpy(values) for values in pair)
    else:
        walk = temporal.Config(pairs=samples, window=config.window)
        name = "stable node" if case == "rest" else "rotation"
        inputs, targets = temporal.trajectory_pairs(walk, name, source)
    seed = split(seed, "reservoir", draw)
    reservoir = reservoirs.MLP(inputs.shape[1], config.width, 4, seed=seed)
    return Rows(reservoir(inputs), normal(targets.shape[1]) if case == "noise" else targets)


def time_batch(config: Config, shape: tuple[int, int, int], seed: int) -> dict[str, float]:
    """Time every batch solver from features to bits, in milliseconds."""
    samples, width, target_dim = shape
    generator = torch_generator(seed, "timing")
    features = torch.randn(samples, width, generator=generator)
    rows = Rows(features, torch.randn(samples, target_dim, generator=generator))
    calls: dict[str, Callable[[], Any]] = {
        name: partial(batch_bits, name, rows, 0.1)
        for name in BATCH
        if name != "float64 dual" or samples <= config.dual_rows
    }
    return time_all(calls, config.repeats)


def time_online(config: Config, target_dim: int, seed: int) -> dict[str, float]:
    """Time two evaluations of a score from moments, and a whole online step, in milliseconds."""
    generator = torch_generator(seed, "timing")
    features = torch.randn(2 * config.width, config.width, generator=generator).double()
    targets = torch.randn(2 * config.width, target_dim, generator=generator).double()
    normal = Rows(features, targets).moments(torch.float64).standardized(1.0)
    outer = normal.cross @ normal.cross.T
    online = OnlineObserver(Given(config.width), target_dim=target_dim, ridge_penalty=1.0)
    calls: dict[str, Callable[[], Any]] = {
        "determinants": lambda: determinant_form(normal.gram, outer, 1.0),
        "readout": lambda: readout_form(normal.gram, normal.cross, 1.0),
        "whole step": lambda: online.update(features[:1], targets[:1]),
    }
    return time_all(calls, 20 * config.repeats)


def time_all(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median time of each call in milliseconds; the calls take turns."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats + 1):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            taken[name].append(1e3 * (time.perf_counter() - started))
    return {name: statistics.median(times[1:]) for name, times in taken.items()}

"""Scores beside an oracle of a hundred digits: each is right to the stated digits, or refused.

``python -m stress oracle --cases 20000 [--cuda]`` prints how many were right, refused and wrong, by
way. A case is one random problem, with columns of mixed kinds, scales and offsets, scored
in one way: from rows by either solver, with weights, from merged moments or roots, by a fit, with a
gradient, or pair by pair, saved and loaded or started anew on the way.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import Identity
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments, Roots, Rows, merge
from learnable_novelty.seeds import numpy_generator

ROWS = ("auto", "gram", "spectral", "moments", "roots", "fit", "gradient")
STREAMS = ("stream", "saved stream", "restarted stream")
STATED = 1e-6
"""Of the score, or in bits where it is below one bit."""


@dataclass(frozen=True)
class Problem:
    """Features, targets and the settings of an observer."""

    features: Tensor
    targets: Tensor
    counts: Tensor
    """How often each row counts, (num_rows,)."""
    ridge_penalty: float
    resolution: float
    target_unit: float
    tame: bool
    """Whether all columns are of ordinary size and far from collinear."""


def draw(seed: int) -> Problem:
    """Draw a problem."""
    rng = numpy_generator(seed, "oracle")
    n, m, d = int(rng.integers(2, 21)), int(rng.integers(1, 9)), int(rng.integers(1, 6))
    h = rng.standard_normal((n, m))
    y = np.sin(h @ rng.standard_normal((m, d))) + 10 ** rng.uniform(-8, 0) * rng.standard_normal(
        (n, d)
    )
    if rng.random() < 0.2:
        h[n // 2 :], y[n // 2 :] = h[: n - n // 2], y[: n - n // 2]  # repeated rows
    kinds = rng.choice(6, m, p=[0.5, 0.15, 0.1, 0.1, 0.1, 0.05])
    for k, kind in enumerate(kinds):
        if kind == 1:
            h[:, k] += 10 ** rng.uniform(0, 9)
        elif kind == 2:
            h[:, k] = 3 * h[:, 0]
        elif kind == 3:
            h[:, k] = h[:, 0] + 10 ** rng.uniform(-10, -2) * h[:, k]
        elif kind == 4:
            h[:, k] = h[0, k]
        elif kind == 5:
            h[rng.integers(n), k] *= 10 ** rng.uniform(2, 10)
    other = rng.choice(4, d, p=[0.6, 0.2, 0.1, 0.1])
    for k, kind in enumerate(other):
        if kind == 1:
            y[:, k] += 10 ** rng.uniform(0, 12)
        elif kind == 2:
            y[:, k] = y[0, k]
        elif kind == 3:
            y[rng.integers(n), k] *= 10 ** rng.uniform(2, 10)
    size = rng.choice([0, 6, 170], p=[0.5, 0.3, 0.2])
    h *= 10 ** rng.uniform(-size, size, m)
    unit = 10 ** rng.uniform(-size, size)
    y *= unit * 10 ** (rng.uniform(-1, 1, d) * min(size, 8))
    dtype = torch.float32 if size < 170 and rng.random() < 0.15 else torch.float64
    return Problem(
        torch.from_numpy(h).to(dtype),
        torch.from_numpy(y).to(dtype),
        torch.from_numpy(rng.integers(1, 4, n)) if rng.random() < 0.3 else torch.ones(n),
        float(10 ** rng.uniform(-8, 5)),
        float(10 ** rng.uniform(-2, 2)),
        float(unit),
        bool(size == 0 and (kinds == 0).all() and (other < 2).all()),
    )


def exact(problem: Problem) -> float:
    """Return eq. (rc-score) of the numbers as given, at alpha = 1/2."""
    mp = mpmath.mp.clone()
    mp.dps = 100
    counts = [int(count) for count in problem.counts]
    eps = torch.finfo(problem.features.dtype).eps
    h, y = (
        [_deviations(mp, column, counts, eps) for column in values.T.tolist()]
        for values in (problem.features, problem.targets)
    )
    n, m = sum(counts), len(h)
    for i, column in enumerate(h):
        power = mp.fdot(counts, [value**2 for value in column])
        scale = 1 / mp.sqrt(power / n * m) if power else mp.mpf(0)
        h[i] = [value * scale for value in column]
    y = [[value / mp.mpf(problem.target_unit) for value in column] for column in y]
    weighted = [[c * value for c, value in zip(counts, column, strict=True)] for column in h]
    gram = mp.matrix([[mp.fdot(a, b) for b in h] for a in weighted])
    cross = mp.matrix([[mp.fdot(a, b) for b in y] for a in weighted])
    w = mp.inverse(gram + mp.mpf(problem.ridge_penalty) * mp.eye(m)) * cross
    inner = mp.eye(len(y)) + mp.mpf(problem.resolution) * (w.T * w)
    return float(mp.log(mp.det(inner), 2) / 2)


def _deviations(mp: Any, column: list[float], counts: list[int], eps: float) -> list[Any]:
    """Return deviations from the mean, zero for a column that is constant by the library's rule."""
    numbers, n = [mp.mpf(value) for value in column], sum(counts)
    mean = mp.fdot(counts, numbers) / n
    left = [number - mean for number in numbers]
    power, whole = (mp.fdot(counts, [v**2 for v in values]) for values in (left, numbers))
    constant = power <= (64 * mp.mpf(eps)) ** 2 * whole
    return [mp.mpf(0)] * len(left) if constant else left


def score(problem: Problem, way: str, seed: int, device: str = "cpu") -> float:
    """Score a problem in one way; raise where the library refuses."""
    rng = np.random.default_rng(seed)
    if way in STREAMS:
        return streamed(problem, way)
    h, y = problem.features.to(device), problem.targets.to(device)
    weights = None if bool((problem.counts == 1).all()) else problem.counts.to(device)
    observer = Observer(
        Identity(h.shape[1]),
        ridge_penalty=problem.ridge_penalty,
        resolution=problem.resolution,
        target_unit=problem.target_unit,
        solver=way if way in ("gram", "spectral") else "auto",
    )
    if weights is None and way in ("auto", "gram", "spectral"):
        return float(observer(h, y))
    if way in ("moments", "roots"):
        kind: type[Moments] | type[Roots] = Moments if way == "moments" else Roots
        cuts = [0, *sorted(rng.integers(1, len(h), 2).tolist()), len(h)]
        merged = merge(
            kind.of(h[a:b], y[a:b], None if weights is None else weights[a:b])
            for a, b in itertools.pairwise(cuts)
            if b > a
        )
        if isinstance(merged, Moments):
            return float(observer.bits(merged))
        return observer.fit(merged).bits()
    if way == "fit":
        return observer.fit(Rows(h, y, weights)).bits()
    if way == "gradient":
        y = y.clone().requires_grad_()
    return float(observer.bits(Rows(h, y, weights)).detach())


def streamed(problem: Problem, way: str) -> float:
    """Score pair by pair, each as often as it counts, beside a stream of other pairs."""
    m, d = problem.features.shape[1], problem.targets.shape[1]

    def make() -> OnlineObserver:
        return OnlineObserver(
            Identity(m),
            target_dim=d,
            num_streams=2,
            ridge_penalty=problem.ridge_penalty,
            resolution=problem.resolution,
            target_unit=problem.target_unit,
        )

    online, only = make(), torch.tensor([True, False])
    order = np.repeat(np.arange(len(problem.features)), problem.counts.numpy().astype(int))
    if way == "restarted stream":
        for row in order[:5].tolist():
            online.update(problem.targets[row, :1].expand(2, m), problem.targets[[row, row]], only)
        online.reset([0])
    for place, row in enumerate(order.tolist()):
        if way == "saved stream" and place == len(order) // 2:
            saved, online = online.state_dict(), make()
            online.load_state_dict(saved)
        online.update(problem.features[[row, row]], problem.targets[[row, row]], only)
    return float(online.cumulative[0])


def judge(seed: int, ways: Sequence[str], device: str = "cpu") -> tuple[str, str, Problem, str]:
    """Score one case; return its way, "right", "refused" or "wrong", the problem, and what came."""
    problem, way = draw(seed), ways[seed % len(ways)]
    try:
        found = score(problem, way, seed, device)
    except UserError as refusal:
        return way, "refused", problem, str(refusal)
    except Exception as error:  # noqa: BLE001 - of any kind: the next case is tried all the same
        return way, "wrong", problem, f"{type(error).__name__}: {error}"
    expected = exact(problem)
    right = abs(found - expected) <= STATED * max(1.0, expected)
    return way, "right" if right else "wrong", problem, f"{found!r} where {expected!r} is right"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 if a score was wrong."""
    parser = argparse.ArgumentParser(prog="python -m stress oracle", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--cuda", action="store_true", help="score rows on the GPU; no streams")
    options = parser.parse_args(arguments)
    if options.cuda and not torch.cuda.is_available():
        parser.error("--cuda needs an NVIDIA GPU and a build of torch for it")
    torch.set_num_threads(1)
    ways, device = (ROWS, "cuda") if options.cuda else (ROWS + STREAMS, "cpu")
    counted: Counter[tuple[str, str]] = Counter()
    with contextlib.suppress(KeyboardInterrupt):
        for seed in range(options.seed, options.seed + options.cases):
            way, verdict, problem, said = judge(seed, ways, device)
            counted[way, verdict] += 1
            if verdict == "wrong":
                settings = dataclasses.asdict(problem)
                print(f"case {seed}, {way}: {said}\n{settings}", flush=True)
    for way in ways:
        numbers = (f"{counted[way, v]:6} {v}" for v in ("right", "refused", "wrong"))
        print(f"{way:>16}: {', '.join(numbers)}")
    return int(any(verdict == "wrong" for _, verdict in counted))

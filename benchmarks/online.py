"""One step of the online observer against an SVD of every stream's readout.

The plain way holds each stream's centred sums, advances them by the same rank-one terms, solves
for the readout and takes its singular values, one stream after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch
from torch import Tensor

from benchmarks.timing import Row, faster, interleave
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.stream import OnlineObserver

SETTING = {"ridge_penalty": 0.3, "resolution": 1.0, "code_scale": 0.5}


@dataclass(frozen=True)
class Case:
    """A task: how much is observed, and how much is predicted."""

    input_dim: int
    target_dim: int
    collinear: bool = False
    """Whether the features are nearly those of a line."""


AT_LEAST = 1.5
"""How many times faster than the plain way a step has to be."""
# The least, a middle and the largest task of the paper's table, and one that is nearly a line.
CASES = (
    Case(6, 48),
    Case(17, 272),
    Case(24, 960),
    Case(2, 56, collinear=True),
)


class PlainStream:
    """The score of one stream after every pair, step by step as appendix F.2 says it."""

    def __init__(self, feature_dim: int, target_dim: int) -> None:
        self.count, self.score = 0, torch.zeros((), dtype=torch.float64)
        self.feature_mean = torch.zeros(feature_dim, dtype=torch.float64)
        self.target_mean = torch.zeros(target_dim, dtype=torch.float64)
        self.gram = torch.zeros(feature_dim, feature_dim, dtype=torch.float64)
        self.cross = torch.zeros(feature_dim, target_dim, dtype=torch.float64)

    def update(self, features: Tensor, targets: Tensor) -> Tensor:
        self.count += 1
        dh, dy = features - self.feature_mean, targets - self.target_mean
        self.feature_mean += dh / self.count
        self.target_mean += dy / self.count
        share = 1 - 1 / self.count
        self.gram.addr_(dh, dh, alpha=share)
        self.cross.addr_(dh, dy, alpha=share)
        before, self.score = self.score, self._score()
        return self.score - before

    def _score(self) -> Tensor:
        variance = self.gram.diagonal() / self.count
        scale = torch.where(variance > 0, (variance * len(variance)).rsqrt(), 0.0)
        gram = self.gram * scale * scale[:, None]
        gram.diagonal().add_(SETTING["ridge_penalty"])
        readout = torch.linalg.solve(gram, self.cross * scale[:, None])
        values = torch.linalg.svdvals(readout)
        bits = torch.log2(1 + SETTING["resolution"] * values.square()).sum()
        return SETTING["code_scale"] * bits


class PlainObserver:
    """The plain streams, side by side behind one reservoir."""

    def __init__(self, reservoir: reservoirs.Reservoir, target_dim: int, num_streams: int) -> None:
        self.reservoir = reservoir
        self.streams = [PlainStream(reservoir.feature_dim, target_dim) for _ in range(num_streams)]

    def update(self, inputs: Tensor, targets: Tensor) -> Tensor:
        features = self.reservoir(inputs)
        pairs = zip(self.streams, features, targets, strict=True)
        return torch.stack([stream.update(h, y) for stream, h, y in pairs])


def make_pairs(case: Case, num_streams: int, num_pairs: int) -> tuple[Tensor, Tensor]:
    """Draw inputs (num_pairs, num_streams, input_dim) and targets (..., target_dim)."""
    if case.collinear:  # on a slow circle, paired with the states that follow
        time = torch.arange(num_pairs + case.target_dim // 2, dtype=torch.float64)
        angle = 0.05 * time[:, None] + torch.arange(num_streams)
        path = 2**0.5 * torch.stack([angle.sin(), angle.cos()], dim=-1)
        windows = path[1:].unfold(0, case.target_dim // 2, 1).movedim(-1, 2)
        return path[:num_pairs], windows[:num_pairs].flatten(2)
    generator = torch.Generator().manual_seed(0)
    shape = num_pairs, num_streams, case.input_dim
    inputs = torch.randn(*shape, generator=generator, dtype=torch.float64)
    mixing = torch.randn(case.input_dim, case.target_dim, generator=generator, dtype=torch.float64)
    return inputs, (inputs @ mixing / 5).sin()


def prepare(
    width: int, case: Case, num_streams: int, num_pairs: int
) -> dict[str, Callable[[], Tensor]]:
    """Make all ways, each a function that takes the next step of equal streams."""
    reservoir = reservoirs.MLP(case.input_dim, width, 4)
    inputs, targets = make_pairs(case, num_streams, num_pairs)
    sizes = {"target_dim": case.target_dim, "num_streams": num_streams}
    ways: dict[str, PlainObserver | OnlineObserver] = {
        "plain": PlainObserver(reservoir, **sizes),
        "ours": OnlineObserver(reservoir, **sizes, **SETTING),
    }

    def stepper(observer: PlainObserver | OnlineObserver) -> Callable[[], Tensor]:
        counter = itertools.cycle(range(num_pairs))

        @torch.no_grad()
        def step() -> Tensor:
            index = next(counter)
            return observer.update(inputs[index], targets[index])

        return step

    return {name: stepper(observer) for name, observer in ways.items()}


def run(
    width: int = 32,
    cases: tuple[Case, ...] = CASES,
    num_streams: int = 8,
    warm_up: int = 600,
    repeats: int = 41,
) -> list[Row]:
    """Time steps of all, in turn, on one torch thread and on as many as were set."""
    threads, rows = torch.get_num_threads(), list[Row]()
    for count, case in itertools.product(sorted({1, threads}), cases):
        torch.set_num_threads(count)
        ways = prepare(width, case, num_streams, num_pairs=2 * warm_up)
        for _ in range(warm_up):  # past the first pairs, whose matrices are nearly empty
            for step in ways.values():
                step()
        plain, ours = map(median, interleave(*ways.values(), repeats=repeats, calls=(2, 40)))
        name = f"online step, m={width}, D={case.target_dim}, {num_streams} streams"
        name += ", collinear" * case.collinear + f", threads: {count}"
        rows.append(faster(name, plain, ours, AT_LEAST))
    torch.set_num_threads(threads)
    return rows

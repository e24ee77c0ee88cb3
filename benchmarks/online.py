"""One step of the online observer against an SVD of every stream's readout.

The plain way holds each stream's centred sums, advances them by the same rank-one terms, solves
for the readout and takes its singular values, one stream after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.timing import Row, compare
from learnable_novelty.observer import OnlineObserver, reservoirs

SETTING = {"ridge_penalty": 0.3, "resolution": 1.0, "code_scale": 0.5}


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


def prepare(
    width: int, target_dim: int, num_streams: int, num_pairs: int
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make both ways, each a function that takes the next step of equal streams."""
    # The widest task of the paper's table: 24 observed values, a window of 40, four layers.
    reservoir = reservoirs.MLP(24, width, 4)
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(num_pairs, num_streams, 24, generator=generator, dtype=torch.float64)
    mixing = torch.randn(24, target_dim, generator=generator, dtype=torch.float64) / 5
    targets = (inputs @ mixing).sin()
    plain = PlainObserver(reservoir, target_dim, num_streams)
    ours = OnlineObserver(reservoir, target_dim=target_dim, num_streams=num_streams, **SETTING)
    steps = [itertools.cycle(range(num_pairs)) for _ in range(2)]

    def step(observer: PlainObserver | OnlineObserver, counter: itertools.cycle[int]) -> Tensor:
        index = next(counter)
        return observer.update(inputs[index], targets[index])

    return (
        torch.no_grad()(lambda: step(plain, steps[0])),
        lambda: step(ours, steps[1]),
    )


def run(
    width: int = 32,
    target_dim: int = 960,
    num_streams: int = 8,
    warm_up: int = 100,
    repeats: int = 41,
) -> list[Row]:
    """Time steps of both, in turn, on one torch thread and on as many as were set."""
    threads = torch.get_num_threads()
    rows: list[Row] = []
    for count in sorted({1, threads}):
        torch.set_num_threads(count)
        plain, ours = prepare(width, target_dim, num_streams, num_pairs=64)
        for _ in range(warm_up):  # past the first pairs, whose matrices are nearly empty
            plain()
            ours()
        name = f"online step, m={width}, D={target_dim}, {num_streams} streams, threads: {count}"
        rows.append(compare(name, plain, ours, at_least=20, repeats=repeats, calls=(2, 40)))
    torch.set_num_threads(threads)
    return rows

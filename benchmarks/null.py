"""The null and the floor of a score: refits of one factorization, against fresh scores."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.timing import Row, compare
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer

NULLS, FLOORS = 99, 16


def prepare(
    num_rows: int, feature_dim: int, target_dim: int, nulls: int = NULLS, floors: int = FLOORS
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make both ways to score every rearrangement, as bits (nulls + floors,)."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(num_rows, 3, generator=generator, dtype=torch.float64)
    targets = (inputs @ torch.randn(3, target_dim, generator=generator, dtype=torch.float64)).sin()
    observer = Observer(reservoirs.MLP(3, feature_dim, 4), ridge_penalty=0.1)
    orders = [torch.randperm(num_rows, generator=generator) for _ in range(nulls + floors)]

    def ours() -> Tensor:
        fit = observer.fit(observer.rows(inputs, targets))
        null, _ = fit.rearranged(fit.targets, iter(orders[:nulls]))
        floor, _ = fit.rearranged(fit.noise(), iter(orders[nulls:]), same_penalty=True)
        return torch.cat([null, floor])

    def plain() -> Tensor:
        rows = observer.rows(inputs, targets)
        noise = observer.fit(rows).noise()
        null = [observer(inputs, targets[order]) for order in orders[:nulls]]
        # The residuals' own target unit is the one the targets had.
        floor = [observer(inputs, noise[order]) for order in orders[nulls:]]
        return torch.stack(null + floor)

    return plain, ours


def prepare_many_targets(
    num_rows: int, feature_dim: int, target_dim: int, floors: int = FLOORS
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make both ways to the products of rearranged targets: moving them, or the components."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(num_rows, 3, generator=generator, dtype=torch.float64)
    targets = (inputs @ torch.randn(3, target_dim, generator=generator, dtype=torch.float64)).sin()
    observer = Observer(reservoirs.MLP(3, feature_dim, 4), ridge_penalty=0.1)
    fit = observer.fit(observer.rows(inputs, targets))
    orders = [torch.randperm(num_rows, generator=generator) for _ in range(floors)]

    def plain() -> Tensor:
        return torch.stack([fit.components.T @ fit.targets[order] for order in orders])

    def ours() -> Tensor:
        return torch.cat(list(fit.moved_products(fit.targets, iter(orders))))

    return plain, ours


def run(
    num_rows: int = 4096,
    feature_dim: int = 128,
    target_dim: int = 8,
    many_targets: tuple[int, int, int] = (20_000, 64, 300),
) -> list[Row]:
    """Time both in turn; nothing is required of the ratios but that they exceed one."""
    plain, ours = prepare(num_rows, feature_dim, target_dim)
    name = f"{NULLS} null and {FLOORS} floor scores ({num_rows}, {feature_dim}, {target_dim})"
    rows = [compare(name, plain, ours, at_least=1, repeats=5)]
    name = f"{FLOORS} rearrangements of more targets than features {many_targets}"
    return [*rows, compare(name, *prepare_many_targets(*many_targets), at_least=1, repeats=5)]

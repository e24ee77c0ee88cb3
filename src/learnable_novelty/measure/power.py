"""How strong a straight-line relation would have to be to be found nine times in ten.

Targets with a known share s of signal are made of the data themselves: a random line f = X a of the
inputs, and the targets in a random order as noise,

    Y(s) = sqrt(s u) f + sqrt((1 - s) w) Y_order,     |f|^2 = |Y|^2,

so inputs and noise keep their distributions. u and w are the mean squares of rows that are drawn
with replacement: other samples of this size have more signal or noise than this one. In the axes P
of the features the refit of Y(s) needs the products P'f and P'Y_order only. The share that is
returned is the smallest whose explained variance exceeds the 5% point of the null in 90% of the
drawn lines. Relations that bend are found less often: the artefact ``answers`` measures how often.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch
from torch import Tensor

from learnable_novelty.observer.fit import Fit
from learnable_novelty.seeds import Seed, torch_generator

LEVEL, POWER = 0.05, 0.9
LINES = 199
"""Random lines, each with an order of its own."""
BATCH = 4_000_000
BISECTIONS = 9


@torch.no_grad()
def detectable_share(fit: Fit, inputs: Tensor, orders: Iterator[Tensor], seed: Seed) -> float:
    """Return the smallest share of variance that would be found 9 times in 10; NaN if none is.

    Args:
        fit: of the observed targets, with its rows.
        inputs: of these rows, (num_rows, columns).
        orders: of target rows, as the null draws them.
        seed: of the random lines.
    """
    generator = torch_generator(seed, "power")
    x = inputs.to(fit.targets) - inputs.to(fit.targets).mean(0)
    crosses, along_x = _products(fit, x, itertools.islice(orders, LINES))
    power, lines = fit.targets.square().sum(), len(crosses)
    slopes = torch.randn(lines, x.shape[1], fit.targets.shape[1], generator=generator).to(x)
    # Of a wide table, columns times columns would not fit into memory.
    along = x.T @ (x @ slopes) if x.shape[1] > len(x) else x.T @ x @ slopes
    size = (slopes * along).sum((1, 2))
    if not power > 0 or not bool((size > 0).all()):
        return torch.nan
    slopes *= (power / size).sqrt()[:, None, None]
    signal = fit.components.T @ x @ slopes
    overlap = (slopes * along_x).sum((1, 2))
    drawn = torch.randint(len(x), (lines, len(x)), generator=generator)
    noise_size = _resampled(fit.targets.square().sum(1, keepdim=True), drawn)
    signal_size = _resampled((x @ slopes[0]).square().sum(1, keepdim=True), drawn)
    # A p-value of at most 0.05 needs a rank among the highest values, as the test counts them.
    null = fit.shares_of_products([(crosses, power.expand(lines))])
    critical = null.sort(descending=True).values[max(0, int(LEVEL * (lines + 1)) - 1)] + 1e-10

    def found(share: float) -> float:
        one, other = (share * signal_size).sqrt(), ((1 - share) * noise_size).sqrt()
        mixed = one[:, None, None] * signal + other[:, None, None] * crosses
        total = (one.square() + other.square()) * power + 2 * one * other * overlap
        return float((fit.shares_of_products([(mixed, total)]) > critical).double().mean())

    low, high = 0.0, 0.99
    if found(high) < POWER:
        return torch.nan
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def _products(fit: Fit, x: Tensor, orders: Iterator[Tensor]) -> tuple[Tensor, Tensor]:
    """Return P'Y_order and X'Y_order of every order, (num_orders, ..., target_dim)."""
    both = torch.cat([fit.components, x], dim=1).T
    products, size = [], max(1, BATCH // fit.targets.numel())
    while batch := list(itertools.islice(orders, size)):
        moved = torch.cat([fit.targets[order] for order in batch], dim=1)
        products.append((both @ moved).unflatten(1, (len(batch), -1)).movedim(1, 0))
    rank = fit.components.shape[1]
    joined = torch.cat(products)
    return joined[:, :rank], joined[:, rank:]


def _resampled(squares: Tensor, drawn: Tensor) -> Tensor:
    """Return mean squares of rows drawn with replacement, relative to that of all."""
    return squares[:, 0].cpu()[drawn].mean(1).to(squares) / squares.mean()

"""Which columns of a wide table are worth a test, and which others seem to tell about them.

With r the correlations of column g with the values and the sizes of another one, j, over some rows,

    c_gj = max(r(y_g, x_j)^2, r(y_g, |x_j|)^2),

the partners of g are the j of largest c_gj, and g is worth a test if the sum of their likelihood
ratios, -log(1 - c_gj), is large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

WORK = 5e11
"""Products of a first look at all columns; of wider tables it takes fewer rows."""
FEWEST_ROWS, FEWEST_CANDIDATES = 8, 1_000
TARGETS, FEATURES = 512, 2_048
"""Columns of a block, which fits into a processor's cache."""


def partners(
    x: Tensor, places: Sequence[slice], able: Sequence[bool], top: int, most: int
) -> list[tuple[int, list[int]]]:
    """Choose targets, in the order of the table, each with its partners, the strongest first.

    Args:
        x: standardized, (num_rows, width).
        places: where the values of a column are; a category has one for each level.
        able: whether a column can be a target.
        top: how many targets.
        most: how many partners of each.
    """
    count, most = len(places), min(most, len(places) - 1)
    sizes = torch.tensor([place.stop - place.start for place in places])
    owner = torch.arange(count).repeat_interleave(sizes)
    candidates = torch.tensor(able).nonzero()[:, 0]
    few = max(FEWEST_ROWS, int(WORK / x.shape[1] ** 2))
    reserve = max(FEWEST_CANDIDATES, 4 * top)
    if len(candidates) > reserve:
        sums = torch.cat(list(_first_looks(x[:few], owner, most)))
        best = sums.new_zeros(count).scatter_reduce_(0, owner, sums, "amax")
        candidates = candidates[best[candidates].topk(reserve).indices].sort().values
    values, features = _unit(x), _features(x)
    chosen = []
    for target in candidates.tolist():
        strength = x.new_zeros(count, dtype=torch.float32)
        for feature in features:
            squared = (values[:, places[target]].T @ feature).square().amax(0)
            strength.scatter_reduce_(0, owner, squared, "amax")
        strength[target] = -1.0
        told, others = strength.topk(most)
        chosen.append((float(_ratios(told).sum()), target, others.tolist()))
    best_ones = sorted(chosen, reverse=True)[:top]
    return sorted((target, others) for _, target, others in best_ones)


def _first_looks(x: Tensor, owner: Tensor, most: int) -> Iterator[Tensor]:
    """Yield the sums of each value column g, with one j of a block at most."""
    values, features = _unit(x), _features(x)
    for own, target in zip(owner.split(TARGETS), values.split(TARGETS, dim=1), strict=True):
        largest, rows = [], target.T.contiguous()
        for start in range(0, len(owner), FEATURES):
            block = slice(start, start + FEATURES)
            squared = torch.maximum(*((rows @ one[:, block]).square_() for one in features))
            if owner[block][0] <= own[-1] and own[0] <= owner[block][-1]:
                squared[own[:, None] == owner[block]] = 0.0
            largest.append(squared.amax(1))
        blocks = torch.stack(largest, dim=1)
        yield _ratios(blocks.topk(min(most, blocks.shape[1])).values).sum(1)


def _ratios(squared: Tensor) -> Tensor:
    return -torch.log1p(-squared.clamp(max=1 - 1e-6))


def _features(x: Tensor) -> tuple[Tensor, Tensor]:
    return _unit(x), _unit(x.abs())


def _unit(x: Tensor) -> Tensor:
    """Centre columns and give them length one, those that vary."""
    left = x - x.mean(0)
    length = left.norm(dim=0)
    return torch.where(length > 1e-9 * x.norm(dim=0), left / length, 0.0).float()

"""Many targets read off the same features: one factorization, and a penalty for each of them.

Columns of targets make groups: a number is a group of one, a category of as many as it has levels.
With the membership G, (columns, groups) of zeros and ones, sums over the columns of a group are
products with G, so that all groups, and all their permutations, are fitted at once: every group
has its own evidence and lambda in the axes that all of them share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.measure.held_out import Folds, HeldOut, Trained
from learnable_novelty.observer.evidence import Evidence, evidence_penalties
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.spectral import Spectral
from learnable_novelty.observer.summary import Roots, Rows
from learnable_novelty.rearrange import BATCH_VALUES, moved_rows


@dataclass(frozen=True)
class Tested:
    """Explained variances of the groups, and of their rearrangements."""

    observed: np.ndarray
    """(groups,)"""
    permuted: np.ndarray
    """(num_orders, groups)"""
    signed: np.ndarray
    """(num_signs, groups)"""


def membership(places: Sequence[slice], columns: int) -> Tensor:
    """Return G, (columns, groups).

    >>> membership([slice(0, 1), slice(1, 3)], 3).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    groups = torch.zeros(columns, len(places), dtype=torch.float64)
    for group, place in enumerate(places):
        groups[place, group] = 1.0
    return groups


@torch.no_grad()
def predict_groups(observer: Observer, rows: Rows, groups: Tensor, folds: Folds) -> list[HeldOut]:
    """Predict every group of targets in samples that its readout has not seen."""
    h, y = folds.in_order(rows)
    wholes = folds.wholes(observer, h, y)
    standard = [observer.standardized(whole) for whole in wholes]
    axes = [Spectral.of(one) for one in standard]
    penalties = evidence_penalties(axes, groups)
    trained, freedom = [], []
    for whole, fitted, one, chosen in zip(wholes, standard, axes, penalties, strict=True):
        shrink = (one.eigenvalues[:, None] + chosen).reciprocal()
        weights = one.basis @ (one.cross * (shrink @ groups.T))
        trained.append(Trained(whole, fitted.scale, weights))
        freedom.append((one.eigenvalues[:, None] * shrink).sum(0))
    predicted, left = folds.predict([h] * len(trained), y, trained)
    errors, spread = (left[:, which, 0].square() @ groups for which in (0, 1))
    effective = torch.stack(freedom).mean(0)
    return [
        HeldOut(
            errors[:, group].numpy(),
            spread[:, group].numpy(),
            float(effective[group]),
            predicted[:, 0, groups[:, group] > 0].numpy(),
        )
        for group in range(groups.shape[1])
    ]


@torch.no_grad()
def explain_groups(
    observer: Observer,
    rows: Rows,
    groups: Tensor,
    orders: Iterable[Tensor],
    signs: Iterable[Tensor],
) -> Tested:
    """Return what the features explain of every group, of permuted and of signed rows of it."""
    standard = observer.standardized(rows)
    assert isinstance(standard, Roots)
    axes = Spectral.of(standard)
    components, power = standard.root @ axes.basis, standard.target_power
    observed = _explained(axes, (axes.cross.square() @ groups)[:, None], (power @ groups)[None])

    def shares(many: Iterable[Tensor]) -> np.ndarray:
        some = [observed[:0]]
        for columns in many:  # (columns, problems, rows)
            flat = components.T @ columns.flatten(0, 1).T
            crosses = flat.unflatten(1, columns.shape[:2]).transpose(1, 2)
            left = power - columns.sum(2).T.square() / columns.shape[2]
            some.append(_explained(axes, crosses.square() @ groups, left @ groups))
        return torch.cat(some).numpy()

    y = standard.along
    turned = (y.T[:, None] * one.to(y) for many in signs for one in many.split(_at_once(y)))
    return Tested(observed[0].numpy(), shares(moved_rows(y, orders)), shares(turned))


def _at_once(values: Tensor) -> int:
    return max(1, BATCH_VALUES // max(1, values.numel()))


def _explained(axes: Spectral, cross_power: Tensor, power: Tensor) -> Tensor:
    """Return the share of variance that a ridge of largest evidence explains, (num_orders, groups).

    Args:
        axes: of the features.
        cross_power: sums of b^2 over the columns of a group, (rank, num_orders, groups).
        power: of the groups, (num_orders, groups).
    """
    orders, groups = cross_power.shape[1:]
    problems, total = cross_power.flatten(1).T, power.flatten()
    penalties = Evidence(axes.eigenvalues, problems, total, axes.count).penalties()
    return axes.explained_share(problems, penalties, total).reshape(orders, groups)

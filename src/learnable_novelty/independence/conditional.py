"""Given a third variable: what it cannot predict of the features of x and of y.

    residual of f(x) = f(x) - E[f(x) | z]

by a ridge regression on features of z, fitted on four fifths of the rows and taken from the last
fifth, in turn. If x and y are independent given z, products of residuals have mean zero, whatever
their size depends on. Errors of the two regressions enter as a product only.
"""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.independence.features import (
    Features,
    by_rank,
    by_value,
    random_features,
    standardized,
    waves,
    with_norm,
)
from learnable_novelty.seeds import torch_generator

FOLDS = 5
Z_WAVES, Z_FEATURES = 15, 150
"""Waves of a column of z, and of all columns together, at most."""
PENALTIES = torch.logspace(-4, 3, 15)
"""Ridge penalties that are tried for each feature, times the mean squared singular value."""


def residual_pairs(
    pairs: list[tuple[Features, Features]], given: Tensor, seed: int, *, shuffled: bool
) -> list[tuple[Features, Features]]:
    """Return features less what z predicts of them.

    Args:
        pairs: features of x and of y.
        given: z, (num_rows, columns).
        seed: of the folds, and of random features of z.
        shuffled: whether folds are random rows, or stretches of consecutive ones.
    """
    design = design_of(given, seed)
    order = torch.arange(len(given))
    if shuffled:
        order = torch.randperm(len(given), generator=torch_generator(seed, "folds"))
    folds = list(torch.tensor_split(order, FOLDS))

    def less(features: Features) -> Features:
        return features.with_rows(_residuals(design, features, folds))

    return [(less(a), less(b)) for a, b in pairs]


def design_of(given: Tensor, seed: int) -> Tensor:
    """Return features of z for the regressions, (num_rows, features)."""
    columns = with_norm(given)
    count = max(2, min(Z_WAVES, len(given) // 8, Z_FEATURES // columns.shape[1]))
    parts = [waves(place(columns), count).flatten(1) for place in (by_value, by_rank)]
    parts.append(standardized(given))
    if given.shape[1] > 1:
        parts.append(random_features(given, seed).flat.double())
    return standardized(torch.cat(parts, dim=1)).float()


def _residuals(design: Tensor, features: Features, folds: list[Tensor]) -> Tensor:
    targets = features.flat
    residuals = torch.empty_like(targets)
    for number, held_out in enumerate(folds):
        fitted = torch.cat([fold for other, fold in enumerate(folds) if other != number])
        predicted = _predict(design[fitted], targets[fitted], design[held_out])
        residuals[held_out] = targets[held_out] - predicted
    return residuals.reshape(features.rows.shape)


def _predict(design: Tensor, targets: Tensor, new: Tensor) -> Tensor:
    """Predict by ridge regressions, each target with the penalty that its GCV is smallest at.

    GCV(lambda) = RSS(lambda) / (n - df(lambda))^2,  df = 1 + sum_i s_i^2 / (s_i^2 + lambda).
    """
    mean, level = design.mean(0), targets.mean(0)
    left, singular, right = torch.linalg.svd(design - mean, full_matrices=False)
    coefficients = left.T @ (targets - level)
    power = (targets - level).square().sum(0)
    squares = singular.square()
    shrinks = squares / (squares + PENALTIES[:, None] * squares.mean())
    explained = (shrinks * (2 - shrinks)) @ coefficients.square()
    freedom = len(design) - 1 - shrinks.sum(1)
    best = ((power - explained) / freedom[:, None].square()).argmin(0)
    inverse = torch.where(singular > 1e-6 * singular[0], 1 / singular.clamp_min(1e-30), 0.0)
    readout = (right.T * inverse) @ (shrinks[best].T * coefficients)
    return level + (new - mean) @ readout

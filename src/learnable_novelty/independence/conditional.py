"""Given a third variable: what it cannot predict of x and of y, and of their features.

    x' = x - E[x | z],      residual of f(x') = f(x') - E[f(x') | z]

with x in normal scores of its ranks, by ridge regressions on features of z, each fitted on four
fifths of the rows and taken from the last fifth, in turn. If x and y are independent given z, so
are x' and y', and products of residuals have mean zero, whatever their size depends on. Errors of
the two regressions enter as a product only.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from learnable_novelty.independence.features import (
    Features,
    by_rank,
    by_value,
    standardized,
    waves,
)
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.seeds import torch_generator

FOLDS = 5
Z_WAVES = 12
"""Waves of a single z, at most."""
Z_FEATURES, Z_DEPTH = 128, 2
"""Width, at most, and depth of the random network of several."""
PENALTIES = torch.logspace(-6, 3, 19, dtype=torch.float64)
"""Ridge penalties that are tried for each feature, times the mean squared singular value."""


class Given:
    """Removes what z predicts.

    Args:
        given: z, (num_rows, columns).
        seed: of the folds, and of random features of z.
        shuffled: whether folds are random rows, or stretches of consecutive ones.
    """

    def __init__(self, given: Tensor, seed: int, *, shuffled: bool) -> None:
        self.design = design_of(given, seed)
        order = torch.arange(len(given))
        if shuffled:
            order = torch.randperm(len(given), generator=torch_generator(seed, "folds"))
        self.folds = list(torch.tensor_split(order, FOLDS))

    def columns(self, columns: Tensor) -> Tensor:
        """Return normal scores of columns less what z predicts of them."""
        return self._residuals(torch.special.ndtri(by_rank(columns)))

    def features(self, features: Features) -> Features:
        """Return features less what z predicts of them."""
        residuals = self._residuals(features.flat.double())
        return replace(features, rows=standardized(residuals).reshape(features.rows.shape).float())

    def _residuals(self, targets: Tensor) -> Tensor:
        residuals = torch.empty_like(targets)
        for number, held_out in enumerate(self.folds):
            fitted = torch.cat([fold for other, fold in enumerate(self.folds) if other != number])
            predicted = _predict(self.design[fitted], targets[fitted], self.design[held_out])
            residuals[held_out] = targets[held_out] - predicted
        return residuals


def design_of(given: Tensor, seed: int) -> Tensor:
    """Return features of z for the regressions, (num_rows, features).

    One column has waves and powers; several have a random network of all of them.
    """
    scores = torch.special.ndtri(by_rank(given))
    parts = [standardized(given), scores]
    if given.shape[1] == 1:
        count = max(2, min(Z_WAVES, len(given) // 8))
        parts += [waves(place(given), count).flatten(1) for place in (by_value, by_rank)]
        parts += [scores**2, scores**3]
    else:
        width = max(4, min(Z_FEATURES, len(given) // 4))
        parts.append(MLP(given.shape[1], width, Z_DEPTH, seed=seed)(scores))
    return standardized(torch.cat(parts, dim=1))


def _predict(design: Tensor, targets: Tensor, new: Tensor) -> Tensor:
    """Predict by ridge regressions, each target with the penalty that its GCV is smallest at.

    GCV(lambda) = RSS(lambda) / (n - df(lambda))^2,  df = 1 + sum_i s_i^2 / (s_i^2 + lambda).
    """
    mean, level = design.mean(0), targets.mean(0)
    left, singular, right = torch.linalg.svd(design - mean, full_matrices=False)
    coefficients = left.T @ (targets - level)
    power = (targets - level).square().sum(0)
    squares = singular.square()
    if not bool(squares.sum() > 0):  # z is constant, and predicts nothing
        return level.expand(len(new), -1)
    shrinks = squares / (squares + PENALTIES[:, None] * squares.mean())
    explained = (shrinks * (2 - shrinks)) @ coefficients.square()
    freedom = len(design) - 1 - shrinks.sum(1)
    error = (power - explained) / freedom[:, None].square()
    # GCV knows nothing of fits that use up most rows.
    error[freedom < len(design) / 2] = torch.inf
    best = error.argmin(0)
    inverse = torch.where(singular > 1e-12 * singular[0], 1 / singular.clamp_min(1e-30), 0.0)
    readout = (right.T * inverse) @ (shrinks[best].T * coefficients)
    return level + (new - mean) @ readout

"""Given a third variable: what it cannot predict of x and of y, and of their features.

    x' = x - E[x | z],      residual of f(x') = f(x') - E[f(x') | z]

with x in normal scores of its ranks, by ridge regressions on features of z, each fitted on nine
tenths of the rows and taken from the last tenth, in turn. If x and y are independent given z, so
are x' and y', and products of residuals have mean zero, whatever their size depends on. Errors of
the two regressions enter as a product only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

FOLDS = 10
"""Parts of the rows. Five give worse regressions, and a higher level (docs/dependence.md)."""
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
        design, order = design_of(given, seed), torch.arange(len(given))
        if shuffled:
            order = torch.randperm(len(given), generator=torch_generator(seed, "folds"))
        parts = torch.tensor_split(order, min(FOLDS, len(order)))
        self.folds = [
            Fold.of(design, torch.cat([*parts[:number], *parts[number + 1 :]]), held_out)
            for number, held_out in enumerate(parts)
        ]

    def columns(self, columns: Tensor) -> Tensor:
        """Return normal scores of columns less what z predicts of them."""
        return self._residuals(torch.special.ndtri(by_rank(columns)))

    def features(self, features: Features) -> Features:
        """Return features less what z predicts of them."""
        residuals = self._residuals(features.flat.double())
        return replace(features, rows=standardized(residuals).reshape(features.rows.shape).float())

    def _residuals(self, targets: Tensor) -> Tensor:
        residuals = torch.empty_like(targets)
        for fold in self.folds:
            held_out = targets[fold.held_out]
            residuals[fold.held_out] = held_out - fold.predict(targets[fold.fitted])
        return residuals


@dataclass(frozen=True)
class Fold:
    """Ridge regressions that are fitted on some rows, and predict the others.

    The singular values of the features are computed once for all targets.
    """

    fitted: Tensor
    held_out: Tensor
    axes: Tensor
    """Left singular vectors U of the centred features, (num_fitted, rank)."""
    new: Tensor
    """The other rows in the same axes, (num_held_out, rank)."""
    shrinks: Tensor
    """s^2 / (s^2 + lambda) of every penalty, (penalties, rank)."""

    @staticmethod
    def of(design: Tensor, fitted: Tensor, held_out: Tensor) -> Fold:
        """Decompose the features of the rows that are fitted."""
        mean = design[fitted].mean(0)
        left, singular, right = torch.linalg.svd(design[fitted] - mean, full_matrices=False)
        kept = singular > 1e-12 * singular[0]  # none where z is constant, which predicts nothing
        squares = singular[kept].square()
        shrinks = squares / (squares + PENALTIES[:, None] * singular.square().mean())
        new = (design[held_out] - mean) @ (right[kept].T / singular[kept])
        return Fold(fitted, held_out, left[:, kept], new, shrinks)

    def predict(self, targets: Tensor) -> Tensor:
        """Predict each target with the penalty that its GCV is smallest at.

        GCV(lambda) = RSS(lambda) / (n - df(lambda))^2,  df = 1 + sum_i s_i^2 / (s_i^2 + lambda).
        """
        level = targets.mean(0)
        coefficients = self.axes.T @ (targets - level)
        power = (targets - level).square().sum(0)
        explained = (self.shrinks * (2 - self.shrinks)) @ coefficients.square()
        freedom = len(targets) - 1 - self.shrinks.sum(1)
        error = (power - explained) / freedom[:, None].square()
        # GCV knows nothing of fits that use up most rows.
        error[freedom < len(targets) / 2] = torch.inf
        best = error.argmin(0)
        return level + self.new @ (self.shrinks[best].T * coefficients)


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
        parts.append(MLP(given.shape[1], width, Z_DEPTH, linear_last=False, seed=seed)(scores))
    return standardized(torch.cat(parts, dim=1))

"""Given a third variable: what it cannot predict of x and of y, and of their features.

    x' = x - E[x | z],      residual of f(x') = f(x') - E[f(x') | z]

with x in normal scores of its ranks, by ridge regressions on features of z, each fitted on nine
tenths of the rows and taken from the last tenth, in turn. If x and y are independent given z, so
are x' and y', and products of residuals have mean zero, whatever their size depends on. Errors of
the two regressions enter as a product only.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.spatial import KDTree
from scipy.special import ndtr
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
NEIGHBOURS = 5
"""Rows nearest in z that tell whether it was taken out."""
MOST_PAIRED, MOST_COMPARED = 5, 2000
"""Columns of z whose pairs are looked at, and rows that are compared, at most."""
PENALTIES = torch.logspace(-6, 3, 19, dtype=torch.float64)
"""Ridge penalties that are tried for each feature, times the mean squared singular value."""


class Given:
    """Removes what z predicts.

    Args:
        given: z, (num_rows, columns).
        seed: of the folds, and of random features of z.
        units: None for folds of random rows; the length of blocks for stretches of consecutive
            ones; or the number of the group of each row, which is not divided.
    """

    def __init__(self, given: Tensor, seed: int, units: Any = None) -> None:
        self.design = design_of(given, seed)
        self._given = given
        self._whole = self.design.T @ self.design
        self.folds = _folds(len(given), units, torch_generator(seed, "folds"))
        self._axes = [Axes.of(self.design, self._whole, fold) for fold in self.folds]

    def columns(self, columns: Tensor) -> Tensor:
        """Return normal scores of columns less what z predicts of them."""
        return self._residuals(torch.special.ndtri(by_rank(columns)))

    def features(self, features: Features) -> Features:
        """Return features less what z predicts of them."""
        residuals = self._residuals(features.flat.double())
        return replace(features, rows=standardized(residuals).reshape(features.rows.shape).float())

    def left(self, x: Tensor, y: Tensor) -> tuple[float, float]:
        """Return the correlation of residuals that rows near in z share, and its p-value.

        With W the weights of near rows, and residuals r and q of unit variance,

            c = r'W q / n,    its variance under independence sum_ij W_ij^2 r_i^2 q_j^2 / n^2

        is the mean product of what both regressions miss, for no noise of a row is in it. Near is
        meant in single columns of z, in pairs and in all of them; the p-value counts them.
        """
        rows = slice(None, None, -(-len(x) // MOST_COMPARED))
        r, q = (standardized(self.columns(side)).numpy()[rows] for side in (x, y))
        places = torch.special.ndtri(by_rank(self._given)).numpy()[rows]
        signs, kinds = np.sign(r.T @ q), _kinds_of_near(places.shape[1])
        shared, score = 0.0, 0.0
        for columns in kinds:
            near = _near(places[:, columns])
            size = np.square(r).T @ (near.multiply(near) @ np.square(q))
            cross = signs * (r.T @ (near @ q))
            scores = cross / np.sqrt(np.where(size > 0, size, np.inf))
            if scores.max() > score:
                score, shared = float(scores.max()), float(cross.flat[scores.argmax()]) / len(r)
        return shared, min(1.0, 2 * len(kinds) * signs.size * float(ndtr(-score)))

    def _residuals(self, targets: Tensor) -> Tensor:
        residuals, cross = torch.empty_like(targets), self.design.T @ targets
        sums, powers = targets.sum(0), targets.square().sum(0)
        for fold, axes in zip(self.folds, self._axes, strict=True):
            held_out = targets[fold]
            level = (sums - held_out.sum(0)) / axes.count
            left = cross - self.design[fold].T @ held_out - axes.count * axes.mean[:, None] * level
            power = powers - held_out.square().sum(0) - axes.count * level.square()
            residuals[fold] = held_out - level - axes.predict(left, power)
        return residuals


def _kinds_of_near(columns: int) -> list[list[int]]:
    """List the columns of z in which rows can be near."""
    sizes = {1, 2, columns} if columns <= MOST_PAIRED else {1, columns}
    return [list(c) for size in sizes for c in itertools.combinations(range(columns), size)]


def _near(places: np.ndarray) -> Any:
    """Return the symmetric weights of the rows that are nearest to each row, (rows, rows)."""
    rows, count = len(places), min(NEIGHBOURS, len(places) - 1)
    near = np.asarray(KDTree(places).query(places, k=count + 1)[1])[:, 1:]
    of = np.repeat(np.arange(rows), count), near.ravel()
    weights = csr_matrix((np.full(near.size, 1 / count), of), (rows, rows))
    weights = (weights + weights.T) / 2
    weights.setdiag(0.0)  # of equal rows, one may be its own neighbour
    return weights


def _folds(num_rows: int, units: Any, generator: torch.Generator) -> list[Tensor]:
    """Cut rows into folds that keep blocks of time, or groups, together."""
    if units is None or np.ndim(units) == 0:
        rows = torch.arange(num_rows)
        if units is None:
            rows = torch.randperm(num_rows, generator=generator)
        return list(torch.tensor_split(rows, min(FOLDS, num_rows)))
    numbers = torch.as_tensor(units)
    groups = torch.randperm(int(numbers.max()) + 1, generator=generator)
    parts = torch.tensor_split(groups, min(FOLDS, len(groups)))
    return [torch.isin(numbers, part).nonzero()[:, 0] for part in parts]


@dataclass(frozen=True)
class Axes:
    """Ridge regressions that are fitted on all rows but one fold, and predict that.

    The products of the features are decomposed once for all targets.
    """

    count: int
    """Rows that are fitted."""
    mean: Tensor
    """Of their features, (features,)."""
    turn: Tensor
    """V diag(1 / s): features times it are the left singular vectors, (features, rank)."""
    new: Tensor
    """The other rows in these axes, (num_held_out, rank)."""
    shrinks: Tensor
    """s^2 / (s^2 + lambda) of every penalty, (penalties, rank)."""

    @staticmethod
    def of(design: Tensor, whole: Tensor, fold: Tensor) -> Axes:
        """Decompose the features of the rows that are fitted; ``whole`` is the product of all."""
        held_out, count = design[fold], len(design) - len(fold)
        mean = (design.sum(0) - held_out.sum(0)) / count
        gram = whole - held_out.T @ held_out - count * mean[:, None] * mean
        squares, axes = torch.linalg.eigh(gram)
        kept = squares > 1e-12 * squares[-1]  # none where z is constant, which predicts nothing
        unit = squares[kept].sum() / min(count, len(squares))
        squares, turn = squares[kept], axes[:, kept] / squares[kept].sqrt()
        shrinks = squares / (squares + PENALTIES[:, None] * unit)
        return Axes(count, mean, turn, (held_out - mean) @ turn, shrinks)

    def predict(self, cross: Tensor, power: Tensor) -> Tensor:
        """Predict each target with the penalty that its GCV is smallest at.

        GCV(lambda) = RSS(lambda) / (n - df(lambda))^2,  df = 1 + sum_i s_i^2 / (s_i^2 + lambda).

        Args:
            cross: products of the fitted features and targets about their means.
            power: sums of squares of the targets about theirs.
        """
        coefficients = self.turn.T @ cross
        explained = (self.shrinks * (2 - self.shrinks)) @ coefficients.square()
        freedom = self.count - 1 - self.shrinks.sum(1)
        error = (power - explained) / freedom[:, None].square()
        # GCV knows nothing of fits that use up most rows.
        error[freedom < self.count / 2] = torch.inf
        best = error.argmin(0)
        return self.new @ (self.shrinks[best].T * coefficients)


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

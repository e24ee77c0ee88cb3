"""Features of x and of y: waves of single columns, and random features of whole vectors.

A column is placed in [0, 1], once by its values and once by its ranks, and its features are the
waves sqrt(2) cos(pi j u), j = 1, 2, ...: the first few see a trend or a bend, many see fast
oscillations and local structure. Vectors have their norm as one more column, and random Fourier
features of all columns together (the reservoir of the observer with a Gaussian kernel).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.reservoirs import Fourier
from learnable_novelty.observer.standardize import CONSTANT_TOLERANCE
from learnable_novelty.seeds import split, torch_generator

COARSE = (0.5, 1.0, 2.0, 4.0)
"""Widths of the weights of waves, exp(-((j - 1) / width)^2): from a trend to a few bends."""
COARSE_WAVES = 8
SMOOTH = COARSE[:3]
"""Widths on the one side where the other side has all its waves."""
SMOOTH_WAVES = 5
FINE_WAVES = 40
"""Waves of a column, at most; the last has twenty periods. Their width is their number."""
MOST_FEATURES = 400
"""Waves of all columns together, where that leaves four of each."""
LENGTHSCALES = (0.5, 1.0)
"""Of the random features, in units of the median distance between rows."""
RANDOM_FEATURES = 40
"""For each length scale."""
DISTANCE_ROWS = 200
"""Rows that the median distance is taken from."""


@dataclass(frozen=True)
class Features:
    """Standardized features in groups, and the ways to weight them.

    Attributes:
        kind: "values", "ranks" or "vectors".
        rows: features, (num_rows, groups, count), each of mean 0 and variance 1, or 0 if constant.
        weights: (scales, count), the largest of each row is 1.
        scales: what each row of weights is called.
    """

    kind: str
    rows: Tensor
    weights: Tensor
    scales: tuple[float, ...]

    @property
    def flat(self) -> Tensor:
        """All features, (num_rows, groups * count)."""
        return self.rows.flatten(1)


def feature_pairs(x: Tensor, y: Tensor, seed: int) -> list[tuple[Features, Features]]:
    """List the sets of features that are compared, of x and of y.

    Coarse with coarse, and all waves of one side with the smoothest of the other: fine detail of
    both sides together is mostly noise.

    Args:
        x: (num_rows, columns), float64.
        y: (num_rows, columns), float64.
        seed: of the random features.
    """
    candidates = []
    for kind, place in (("values", by_value), ("ranks", by_rank)):
        (coarse_x, smooth_x, fine_x), (coarse_y, smooth_y, fine_y) = (
            _sets(kind, place(with_norm(columns))) for columns in (x, y)
        )
        candidates += [(coarse_x, coarse_y), (fine_x, smooth_y), (smooth_x, fine_y)]
    pairs = [(a, b) for a, b in candidates if a is not None and b is not None]
    if max(x.shape[1], y.shape[1]) > 1:
        pairs.append((random_features(x, split(seed, "x")), random_features(y, split(seed, "y"))))
    return pairs


def with_norm(columns: Tensor, of: Tensor | None = None) -> Tensor:
    """Return columns and, where there are several, the norm of all of them, standardized."""
    if columns.shape[1] == 1:
        return columns
    return torch.cat([columns, standardized(columns, of).norm(dim=1, keepdim=True)], dim=1)


def _sets(kind: str, places: Tensor) -> tuple[Features, Features, Features | None]:
    """Return coarse, smooth and fine waves; no fine ones where rows are few or columns many."""
    most = most_waves(*places.shape)
    coarse = _waves(kind, places, COARSE, min(most, COARSE_WAVES))
    smooth = _waves(kind, places, SMOOTH, min(most, SMOOTH_WAVES))
    fine = _waves(kind, places, (float(most),), most) if most > COARSE_WAVES else None
    return coarse, smooth, fine


def most_waves(num_rows: int, num_columns: int) -> int:
    """Return how many waves a column has at most."""
    return max(1, min(FINE_WAVES, num_rows // 2, max(4, MOST_FEATURES // num_columns)))


# Rows that are given with "of" set the scale; by default the rows themselves do.


def by_value(columns: Tensor, of: Tensor | None = None) -> Tensor:
    """Place values in [0, 1] linearly: the smallest at 0, the largest at 1."""
    of = columns if of is None else of
    low, high = of.amin(0), of.amax(0)
    # Halves: the difference of two numbers of size 1e308 is not finite.
    reach = high / 2 - low / 2
    return (columns / 2 - low / 2) / torch.where(reach > 0, reach, 1.0)


def by_rank(columns: Tensor, of: Tensor | None = None) -> Tensor:
    """Place values in (0, 1) by their ranks, (rank - 1/2) / n; equal values get their mean rank."""
    values = columns.T.contiguous()
    ordered = values.sort(dim=1).values if of is None else of.T.sort(dim=1).values.contiguous()
    below, up_to = (torch.searchsorted(ordered, values, right=right) for right in (False, True))
    return ((below + up_to) / (2 * ordered.shape[1])).T.to(columns.dtype)


def waves(places: Tensor, count: int) -> Tensor:
    """Return cos(pi j u) for j = 1 to count, (num_rows, columns, count)."""
    j = torch.arange(1, count + 1, dtype=places.dtype, device=places.device)
    return torch.cos(torch.pi * places[:, :, None] * j)


def standardized(rows: Tensor, of: Tensor | None = None) -> Tensor:
    """Return rows with mean 0 and variance 1 of every column, 0 where it is constant.

    Sums of squares are taken of values of size one, so that no float64 is too large for them.
    """
    of = rows if of is None else of
    peak = of.abs().amax(0)
    unit = torch.where(peak > 0, peak, 1.0)
    mean = (of / unit).mean(0)
    deviation = (of / unit - mean).square().mean(0).sqrt()
    # What rounding leaves of a constant is far below this; its largest value is 1 here.
    constant = deviation <= CONSTANT_TOLERANCE * torch.finfo(rows.dtype).eps
    return torch.where(constant, 0.0, (rows / unit - mean) / torch.where(constant, 1.0, deviation))


def _waves(kind: str, places: Tensor, widths: tuple[float, ...], count: int) -> Features:
    j = torch.arange(count, dtype=torch.float32)
    weights = torch.stack([torch.exp(-((j / width) ** 2)) for width in widths])
    return Features(kind, standardized(waves(places, count)).float(), weights, widths)


def random_features(columns: Tensor, seed: int) -> Features:
    """Draw Fourier features of whole rows, one block of them for each length scale."""
    weights = torch.eye(len(LENGTHSCALES)).repeat_interleave(RANDOM_FEATURES, dim=1)
    rows = standardized(random_rows(columns, seed))[:, None].float()
    return Features("vectors", rows, weights, LENGTHSCALES)


def random_rows(columns: Tensor, seed: int, of: Tensor | None = None) -> Tensor:
    """Return Fourier features of rows, (num_rows, length scales * features)."""
    own = standardized(columns if of is None else of)
    generator = torch_generator(seed, "distance")
    chosen = own[torch.randperm(len(own), generator=generator)[:DISTANCE_ROWS]]
    distance = float(torch.pdist(chosen).median()) or 1.0
    blocks = [
        Fourier(
            columns.shape[1],
            RANDOM_FEATURES,
            lengthscale=scale * distance,
            seed=split(seed, "lengthscale", number),
        )
        for number, scale in enumerate(LENGTHSCALES)
    ]
    scaled = own if of is None else standardized(columns, of)
    return torch.cat([fourier(scaled) for fourier in blocks], dim=1)

"""Mergeable summaries of regression rows: all that a ridge readout needs of the data.

Centred, never raw sums: n, means, and deviations from them, as sums of products (``Moments``) or as
a few rows that have these products (``Roots``). Chan's parallel update merges them, so chunks,
workers and streams add up to the summary of the undivided data, and a nearly constant column keeps
the digits that raw sums would cancel. Means have a low-order part for the same reason: the rounding
of a mean may be large beside the deviations from it.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.observer.checks import SMALLEST, is_readable
from learnable_novelty.observer.standardize import CONSTANT_TOLERANCE, feature_scale, target_scale

CHUNK_ROWS = 4096
"""Rows centred and multiplied at a time on a CPU: the centred copy then stays in cache, and memory
does not grow with the number of samples."""
MOST_TARGETS = 1024
"""Of more targets no products are kept: there would be millions."""
SCALARS = ("count", "feature_eps", "target_eps")
"""The fields that are numbers, in the order in which they start a packed summary."""
Scale = tuple[Tensor, Tensor]
"""What centred features and targets are multiplied by, (feature_dim,) and (target_dim,)."""
UNSCALED: Scale = (torch.ones(()), torch.ones(()))


@dataclass(frozen=True)
class Rows:
    """Features and targets row by row, each row standing for ``weights`` equal ones."""

    features: Tensor
    """(num_rows, feature_dim)"""
    targets: Tensor
    """(num_rows, target_dim)"""
    weights: Tensor | None = None
    """(num_rows,) counts, or None for one each."""

    def moments(self, dtype: torch.dtype, *, target_products: bool = False) -> Moments:
        """Compute the moments of these rows."""
        return Moments.of(
            self.features,
            self.targets,
            self.weights,
            accumulate_dtype=dtype,
            target_products=target_products,
        )

    def roots(self, dtype: torch.dtype) -> Roots:
        """Compute a few rows with the products of these."""
        return Roots.of(self.features, self.targets, self.weights, accumulate_dtype=dtype)

    def centred(self, dtype: torch.dtype) -> Roots:
        """Centre the rows and keep them all; a weight enters as its square root on both sides."""
        check_rows(self.features, self.targets, self.weights)
        return centre(self.features, self.targets, self.weights, dtype)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What moments and roots have in common.

    Build one with ``of``, merge two with ``+``, write one as a vector with ``pack``. A subclass
    adds matrices, whose shapes ``_matrix_shapes`` tells.
    """

    count: float
    """How many rows, or the sum of their weights."""
    feature_mean: Tensor
    """(feature_dim,)"""
    target_mean: Tensor
    """(target_dim,)"""
    feature_eps: float
    """Rounding unit of the features' own dtype: what "constant" means for them."""
    target_eps: float
    """Rounding unit of the targets' own dtype."""
    feature_mean_low: Tensor | float = 0.0
    """The exact mean less ``feature_mean``, which is rounded, (feature_dim,)."""
    target_mean_low: Tensor | float = 0.0
    """The same of the targets, (target_dim,)."""
    scale: Scale = UNSCALED
    """What the deviations have been multiplied by, if they are standardized."""

    @classmethod
    def of(
        cls,
        features: Tensor,
        targets: Tensor,
        weights: Tensor | None = None,
        *,
        accumulate_dtype: torch.dtype = torch.float64,
        target_products: bool = False,
    ) -> Self:
        """Summarize rows.

        Args:
            features: (num_rows, feature_dim).
            targets: (num_rows, target_dim).
            weights: (num_rows,) counts; a row of weight k stands for k equal rows.
            accumulate_dtype: the dtype that sums are held in.
            target_products: keep the products of targets in moments too; roots have them.

        Raises:
            ValueError: if shapes disagree, or weights are negative or sum to zero.
        """
        check_rows(features, targets, weights)
        if weights is not None and not bool(weights.all()):
            counted = weights > 0  # a chunk of rows that count for nothing has no mean
            features, targets, weights = features[counted], targets[counted], weights[counted]
        size = chunk_rows(features)
        if features.shape[0] <= size:
            return cls._of_centred(
                centre(features, targets, weights, accumulate_dtype), target_products
            )
        chunks = zip(
            features.split(size),
            targets.split(size),
            itertools.repeat(None) if weights is None else weights.split(size),
            strict=False,
        )
        return merge(
            cls._of_centred(centre(h, y, w, accumulate_dtype), target_products)
            for h, y, w in chunks
        )

    @classmethod
    def _of_centred(cls, rows: Roots, target_products: bool) -> Self:
        raise NotImplementedError

    def times(self, features: Tensor, targets: Tensor, **changed: Any) -> Self:
        """Return the summary with all deviations multiplied, and other fields that changed."""
        raise NotImplementedError

    def products(self, *, target_products: bool = True) -> Moments:
        """Return the products of the deviations."""
        raise NotImplementedError

    @property
    def feature_power(self) -> Tensor:
        """Sums of squared feature deviations, (feature_dim,)."""
        raise NotImplementedError

    @property
    def power(self) -> Tensor:
        """Sum of all squared target deviations, 0-dim."""
        return self.target_power.sum()  # pyright: ignore[reportAttributeAccessIssue]

    def standardized(self, target_unit: float | Tensor, *, own_scale: bool = False) -> Self:
        """Standardize features and scale targets.

        Args:
            target_unit: what targets are divided by.
            own_scale: leave features in their own scale, all but constant ones.
        """
        if self.count < 2:
            raise UserError(f"expected at least two samples, got {self.count:g}")
        h = self.feature_power / self.count
        y = self.target_power / self.count  # pyright: ignore[reportAttributeAccessIssue]
        total = h.sum() + y.sum()
        if is_readable(total) and not bool(torch.isfinite(total)):
            raise UserError(
                "features and targets must be finite, and so must their sums of squares, got NaN, "
                "infinite values, or values beyond about 1e150; choose another unit for them"
            )
        scale = (
            feature_scale(h, self.feature_mean, self.feature_eps, own_scale=own_scale),
            target_scale(y, self.target_mean, self.target_eps, target_unit),
        )
        return self.times(*scale, scale=scale)

    @property
    def feature_dim(self) -> int:
        """Number of features m."""
        return self.feature_mean.shape[0]

    @property
    def target_dim(self) -> int:
        """Number of targets D."""
        return self.target_mean.shape[0]

    def pack(self) -> Tensor:
        """Write the summary as one float64 vector, from which ``unpack`` makes it again.

        The vector is: count, feature_eps, target_eps, both means, their low-order parts, and then
        the fields of the subclass row by row. For moments it has
        3 + 2 m + 2 D + m m + m D + D entries, and D D more with the products of targets.
        """
        scalars = [getattr(self, name) for name in SCALARS]
        head = torch.tensor(scalars, dtype=torch.float64, device=self.feature_mean.device)
        values = {name: getattr(self, name) for name in self._tensor_names()}
        if values.get("target_gram", self) is None:
            del values["target_gram"]
        for name in ("feature_mean", "target_mean"):  # a low-order part may be the number 0
            values[f"{name}_low"] = torch.zeros_like(values[name]) + values[f"{name}_low"]
        return torch.cat([head, *(value.double().flatten() for value in values.values())])

    @classmethod
    def unpack(
        cls,
        vector: Tensor | np.ndarray[Any, Any],
        feature_dim: int,
        target_dim: int,
        dtype: torch.dtype = torch.float64,
    ) -> Self:
        """Make the summary again that ``pack`` has written.

        Args:
            vector: the result of ``pack``.
            feature_dim: m.
            target_dim: D.
            dtype: the dtype that its sums are held in.
        """
        if not isinstance(vector, Tensor):
            # Copied: a buffer that came over the network may be one that cannot be written to.
            vector = torch.tensor(vector)
        m, d = feature_dim, target_dim
        fixed = (m,), (d,), (m,), (d,)
        size = vector.numel() - len(SCALARS) - 2 * m - 2 * d
        shapes = cls._matrix_shapes(m, d, size)
        if vector.ndim != 1 or sum(math.prod(shape) for shape in shapes) != size:
            raise UserError(
                f"expected the packed {cls.__name__} of feature_dim={m} and target_dim={d}, got a "
                f"vector of shape {tuple(vector.shape)}"
            )
        values: dict[str, Any] = dict(zip(SCALARS, vector[: len(SCALARS)].tolist(), strict=True))
        shapes = [*fixed, *shapes]
        parts = vector[len(SCALARS) :].to(dtype).split([math.prod(shape) for shape in shapes])
        for name, part, shape in zip(cls._tensor_names(), parts, shapes, strict=False):
            values[name] = part.view(shape)
        return cls(**values)

    @classmethod
    def _matrix_shapes(cls, m: int, d: int, size: int) -> list[tuple[int, ...]]:
        """Return the shapes of the fields of the subclass, which have this size together."""
        raise NotImplementedError

    @classmethod
    def _tensor_names(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name not in (*SCALARS, "scale")]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as one NumPy array where that is possible: ten times faster than tensors."""
        packed = self.pack()
        if not packed.is_cpu or packed.requires_grad or self.scale is not UNSCALED:
            return type(self).__new__, (type(self),), dict(vars(self))
        sizes = self.feature_dim, self.target_dim
        return type(self).unpack, (packed.numpy(), *sizes, self.feature_mean.dtype)

    def __add__(self, other: Any) -> Self:
        """Merge two disjoint sets of rows."""
        raise NotImplementedError

    def means_from(self, other: Summary) -> tuple[Tensor, Tensor]:
        """Return these means less those of another summary: features and targets."""
        apart = self.feature_mean.shape != other.feature_mean.shape
        if apart or self.target_mean.shape != other.target_mean.shape:
            raise UserError(
                f"expected {type(self).__name__} of feature_dim={other.feature_dim} and "
                f"target_dim={other.target_dim}, got {self.feature_dim} and {self.target_dim}"
            )
        dh, dy = self.feature_mean - other.feature_mean, self.target_mean - other.target_mean
        return (
            dh + (self.feature_mean_low - other.feature_mean_low),
            dy + (self.target_mean_low - other.target_mean_low),
        )

    def _merged_means(self, other: Summary) -> tuple[dict[str, Any], Tensor, Tensor, float]:
        """Return the fields that all summaries share, merged; differences of means; their weight.

        With n = n_1 + n_2 rows, the products of all deviations are those of both parts and
        (n_1 n_2 / n) times the product of the differences (Chan, Golub and LeVeque).
        """
        n, (dh, dy) = self.count + other.count, other.means_from(self)
        share = other.count / n
        h, h_low = add_exactly(self.feature_mean, self.feature_mean_low + share * dh)
        y, y_low = add_exactly(self.target_mean, self.target_mean_low + share * dy)
        shared = {
            "count": n,
            "feature_mean": h,
            "target_mean": y,
            "feature_eps": max(self.feature_eps, other.feature_eps),
            "target_eps": max(self.target_eps, other.target_eps),
            "feature_mean_low": h_low,
            "target_mean_low": y_low,
        }
        return shared, dh, dy, self.count * share


AnySummary = TypeVar("AnySummary", bound=Summary)


@dataclass(frozen=True, kw_only=True)
class Moments(Summary):
    """Centred first and second moments of features and targets.

    Of the products of targets only the squares are kept, unless ``target_products=True``: the
    score needs no more, denoised bits do.

    >>> x, y = torch.randn(100, 3), torch.randn(100, 2)
    >>> whole, parts = Moments.of(x, y), Moments.of(x[:30], y[:30]) + Moments.of(x[30:], y[30:])
    >>> torch.allclose(whole.cross, parts.cross)
    True
    >>> torch.equal(Moments.unpack(whole.pack(), 3, 2).gram, whole.gram)
    True
    """

    gram: Tensor
    """Sum of products of feature deviations, (feature_dim, feature_dim)."""
    cross: Tensor
    """Sum of products of feature and target deviations, (feature_dim, target_dim)."""
    target_power: Tensor
    """Sum of squared target deviations, (target_dim,)."""
    target_gram: Tensor | None = None
    """Sum of products of target deviations, (target_dim, target_dim); None if it is not kept."""

    @classmethod
    def _of_centred(cls, rows: Roots, target_products: bool) -> Moments:
        return rows.check_size().products(target_products=target_products)

    def products(self, *, target_products: bool = True) -> Moments:
        return self

    def times(self, features: Tensor, targets: Tensor, **changed: Any) -> Moments:
        gram = self.target_gram
        return replace(
            self,
            gram=self.gram * features * features[:, None],
            cross=self.cross * features[:, None] * targets,
            target_power=self.target_power * targets.square(),
            target_gram=None if gram is None else gram * targets * targets[:, None],
            **changed,
        )

    @staticmethod
    def grouped(
        features: Tensor, counts: Tensor, target_sums: Tensor, target_squares: Tensor
    ) -> Moments:
        """Compute the moments of rows whose inputs repeat, from one row per distinct input.

        Args:
            features: (num_groups, feature_dim), one row per distinct input.
            counts: (num_groups,) how many rows share it.
            target_sums: (num_groups, target_dim) sums of the targets over a group.
            target_squares: (target_dim,) sums of the squared targets over all rows, or
                (target_dim, target_dim) sums of all their products.
        """
        counts = counts.to(torch.float64)
        if not bool((counts > 0).all()):
            raise UserError("expected positive counts: leave out inputs that do not occur")
        means = target_sums.to(torch.float64) / counts[:, None]
        products = target_squares.ndim == 2
        between = Moments.of(features, means, counts, target_products=products)
        squares = target_squares.diagonal() if products else target_squares
        within = squares - (counts[:, None] * means.square()).sum(0)
        # Rounding can push a zero a hair below zero; a sum of squares is not negative.
        power = between.target_power + within.clamp(min=0)
        if between.target_gram is None:
            return replace(between, target_power=power)
        gram = between.target_gram + target_squares - (counts[:, None] * means).T @ means
        return replace(between, target_power=power, target_gram=gram)

    @classmethod
    def _matrix_shapes(cls, m: int, d: int, size: int) -> list[tuple[int, ...]]:
        shapes = [(m, m), (m, d), (d,)]
        return shapes if size == m * m + m * d + d else [*shapes, (d, d)]

    @property
    def feature_power(self) -> Tensor:
        return self.gram.diagonal()

    def about(self, other: Summary) -> Moments:
        """Return the products of deviations from the means of another summary."""
        dh, dy = self.means_from(other)
        return replace(
            self,
            feature_mean=other.feature_mean,
            target_mean=other.target_mean,
            feature_mean_low=other.feature_mean_low,
            target_mean_low=other.target_mean_low,
            gram=torch.addr(self.gram, dh, dh, alpha=self.count),
            cross=torch.addr(self.cross, dh, dy, alpha=self.count),
            target_power=self.target_power + self.count * dy.square(),
            target_gram=_added(self.target_gram, dy, self.count),
        )

    def __add__(self, other: Any) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        shared, dh, dy, weight = self._merged_means(other)
        if is_readable(dh):
            for name, apart, power in (
                ("feature", dh, self.feature_power + other.feature_power),
                ("target", dy, self.target_power + other.target_power),
            ):
                peak = torch.where(power > SMALLEST**2, 0.0, apart).detach().abs()
                check_squares(name, peak, shared[f"{name}_mean"], shared[f"{name}_eps"])
        if (self.target_gram is None) != (other.target_gram is None):
            raise UserError("expected moments that both have the products of targets, or neither")
        both = None
        if self.target_gram is not None and other.target_gram is not None:
            both = self.target_gram + other.target_gram
        return Moments(
            **shared,
            gram=torch.addr(self.gram + other.gram, dh, dh, alpha=weight),
            cross=torch.addr(self.cross + other.cross, dh, dy, alpha=weight),
            target_power=self.target_power + other.target_power + weight * dy.square(),
            target_gram=_added(both, dy, weight),
        )


def _added(gram: Tensor | None, apart: Tensor, weight: float) -> Tensor | None:
    """Add the products of a difference of means, if there is a matrix."""
    return None if gram is None else torch.addr(gram, apart, apart, alpha=weight)


def check_squares(
    name: str, peak: Tensor, mean: Tensor, eps: float, unit: float | Tensor = 0.0
) -> None:
    """Raise where float64 does not hold the squares of a column's deviations, at most ``peak``."""
    varies = peak > CONSTANT_TOLERANCE * eps * mean.detach().abs()
    tiny = varies & (peak < SMALLEST) & (peak > SMALLEST * unit)
    if bool(tiny.any()):
        column = int(tiny.nonzero()[0])
        raise UserError(
            f"{name} {column} differs by at most {float(peak[column]):.3g} from its mean, and "
            f"squares of numbers below {SMALLEST:g} vanish in float64; choose a larger unit for it"
        )


def products_of(rows: Tensor) -> Tensor:
    """Return products of columns, (columns, columns); of more than a thousand the squares only."""
    return rows.T @ rows if rows.shape[1] <= MOST_TARGETS else rows.square().sum(0)


def squares_of(products: Tensor) -> Tensor:
    """Return the squares among products of columns, (columns,)."""
    return products if products.ndim == 1 else products.diagonal()


def merge(parts: Iterable[AnySummary]) -> AnySummary:
    """Merge any number of moments, or of roots."""
    return reduce(operator.add, parts)


def chunk_rows(features: Tensor) -> int:
    """Return how many rows to work on at a time: all of them on an accelerator."""
    return CHUNK_ROWS if features.device.type == "cpu" else max(1, features.shape[0])


def centre(features: Tensor, targets: Tensor, weights: Tensor | None, dtype: torch.dtype) -> Roots:
    """Centre rows, in the given dtype, and keep them all, times the roots of their weights."""
    h, y = features.to(dtype), targets.to(dtype)
    w = h.new_ones(h.shape[0]) if weights is None else weights.to(dtype)
    n = float(h.shape[0]) if weights is None else float(w.sum())
    h_mean, h_low, h = _less_mean(h, w, n)
    y_mean, y_low, y = _less_mean(y, w, n)
    root = None if weights is None else w.sqrt()[:, None]
    return Roots(
        count=n,
        feature_mean=h_mean,
        target_mean=y_mean,
        feature_eps=torch.finfo(features.dtype).eps,
        target_eps=torch.finfo(targets.dtype).eps,
        feature_mean_low=h_low,
        target_mean_low=y_low,
        root=h if root is None else root * h,
        along=y if root is None else root * y,
        outside=products_of(y[:0].detach()),
    )


def _less_mean(values: Tensor, weights: Tensor, count: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean of columns, its low-order part, and the columns less both."""
    mean = (weights @ values) / count
    left = values - mean
    # Without gradient: that of the mean is all there is.
    low = (weights @ left.detach()) / count
    return *add_exactly(mean, low), left.sub_(low)


def add_exactly(large: Tensor, small: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rounded sum of two tensors, and what the rounding took off (Dekker)."""
    total = large + small
    return total, small - (total - large)


def check_rows(features: Tensor, targets: Tensor, weights: Tensor | None) -> None:
    """Raise unless these are floating rows, as many of both, and weights are counts."""
    for name, values in (("features", features), ("targets", targets)):
        if values.ndim != 2:
            raise UserError(f"expected {name} (num_rows, columns), got {tuple(values.shape)}")
        if not values.is_floating_point():
            raise UserTypeError(f"expected floating {name}, got dtype {values.dtype}")
    if features.shape[0] != targets.shape[0]:
        raise UserError(
            f"expected as many target rows as feature rows, {features.shape[0]}, "
            f"got {targets.shape[0]}"
        )
    if features.shape[0] == 0:
        raise UserError("expected at least one row, got 0")
    if weights is None:
        return
    if weights.shape != features.shape[:1]:
        raise UserError(
            f"expected weights (num_rows={features.shape[0]},), got {tuple(weights.shape)}"
        )
    if bool((weights < 0).any()) or not bool(0 < weights.sum() < math.inf):
        raise UserError("expected weights that are finite counts: none negative, not all zero")


@dataclass(frozen=True, kw_only=True)
class Roots(Summary):
    """Means, and a few rows that have the products of all deviations from them.

    A Gram matrix squares what it sums, and with it the rounding: features that are nearly
    collinear lose all their digits in it. Rows H, Y of centred features and targets, turned by an
    orthogonal Q,

        Q'H = [R; 0],   Q'Y = [Z; E]

    have the same products R'R = H'H and R'Z = H'Y, and E is what no feature can explain, without a
    difference of large sums. So R, Z and the size of E are all that a ridge needs of the rows, to
    the digits that the rows themselves have. They merge by one more factorization of a few rows.

    >>> x, y = torch.randn(100, 3).double(), torch.randn(100, 2).double()
    >>> whole, parts = Roots.of(x, y), Roots.of(x[:30], y[:30]) + Roots.of(x[30:], y[30:])
    >>> torch.allclose(whole.root.T @ whole.along, parts.root.T @ parts.along)
    True
    """

    root: Tensor
    """R, (num_rows, feature_dim); no more rows than features."""
    along: Tensor
    """Z, (num_rows, target_dim)."""
    outside: Tensor
    """E'E, (target_dim, target_dim); of more than a thousand targets the squares only."""

    @classmethod
    def _of_centred(cls, rows: Roots, target_products: bool) -> Roots:
        root, along, outside = turned(rows.root, rows.along)
        return replace(rows, root=root, along=along, outside=outside)

    def products(self, *, target_products: bool = True) -> Moments:
        others = {f.name: getattr(self, f.name) for f in fields(Summary)}
        kept = target_products and self.outside.ndim == 2
        return Moments(
            **others,
            gram=self.root.T @ self.root,
            cross=(self.along.T @ self.root).T,  # faster than the other way round
            target_power=self.target_power,
            target_gram=products_of(self.along) + self.outside if kept else None,
        )

    def times(self, features: Tensor, targets: Tensor, **changed: Any) -> Roots:
        both = targets * targets[:, None] if self.outside.ndim == 2 else targets.square()
        return replace(
            self,
            root=self.root * features,
            along=self.along * targets,
            outside=self.outside * both,
            **changed,
        )

    @classmethod
    def _matrix_shapes(cls, m: int, d: int, size: int) -> list[tuple[int, ...]]:
        rows = max(0, size - (d * d if d <= MOST_TARGETS else d)) // (m + d)
        return [(rows, m), (rows, d), (d, d) if d <= MOST_TARGETS else (d,)]

    @property
    def feature_power(self) -> Tensor:
        return self.root.square().sum(0)

    @property
    def target_power(self) -> Tensor:
        return self.along.square().sum(0) + squares_of(self.outside)

    def standardized(self, target_unit: float | Tensor, *, own_scale: bool = False) -> Roots:
        standard = super().standardized(target_unit, own_scale=own_scale)
        self.check_size(torch.as_tensor(target_unit).to(self.along))
        return standard

    def check_size(self, target_unit: float | Tensor = 0.0) -> Roots:
        """Return these rows, or raise where float64 does not hold the squares of a column.

        Targets that are nothing in their unit may be that small.
        """
        if self.root.shape[0] and is_readable(self.root):
            rows, targets = self.root.detach().abs(), self.along.detach().abs()
            check_squares("feature", rows.amax(0), self.feature_mean, self.feature_eps)
            check_squares("target", targets.amax(0), self.target_mean, self.target_eps, target_unit)
        return self

    def in_units(self, unit: Tensor) -> Roots:
        """Return the roots for the same targets, each divided by its unit (target_dim,)."""
        return self.times(
            torch.ones_like(self.feature_mean),
            unit.reciprocal(),
            target_mean=self.target_mean / unit,
            target_mean_low=self.target_mean_low / unit,
        )

    def about(self, other: Summary) -> tuple[Tensor, Tensor]:
        """Return features and targets with the products of deviations from another's means."""
        weight, (dh, dy) = self.count**0.5, self.means_from(other)
        return (
            torch.cat([self.root, weight * dh[None]]),
            torch.cat([self.along, weight * dy[None]]),
        )

    def __add__(self, other: Any) -> Roots:
        if not isinstance(other, Roots):
            return NotImplemented
        shared, dh, dy, weight = self._merged_means(other)
        root, along, outside = turned(
            torch.cat([self.root, other.root, weight**0.5 * dh[None]]),
            torch.cat([self.along, other.along, weight**0.5 * dy[None]]),
        )
        outside = self.outside + other.outside + outside
        return Roots(**shared, root=root, along=along, outside=outside)


def turned(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return R and Z of the formula above, and E'E, (target_dim, target_dim)."""
    width = features.shape[1]
    if features.shape[0] <= width:
        return features, targets, products_of(targets[:0])
    factored, reflections = torch.geqrf(features)
    coordinates = torch.ormqr(factored, reflections, targets, transpose=True)
    outside = products_of(coordinates[width:])
    # Copied: a view would keep the memory of all rows.
    return factored[:width].triu(), coordinates[:width].clone(), outside


def fewer_rows(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Do the same with any number of rows, some at a time."""
    size = chunk_rows(features)
    if features.shape[0] <= size:
        return turned(features, targets)
    root, along, outside = features[:0], targets[:0], products_of(targets[:0])
    for h, y in zip(features.split(size), targets.split(size), strict=True):
        root, along, more = turned(torch.cat([root, h]), torch.cat([along, y]))
        outside = outside + more
    return root, along, outside

"""Denoised bits: a readout without the part that noise explains.

With P the projection on r feature directions, the targets split into what the features explain and
what they leave, B = Y'PY and E = Y'(I - P)Y. Noise of covariance Sigma = E / f, f = n - 1 - r, puts
r Sigma into B as well, spread over roots: the eigenvalues s^2 of L^-1 B L^-T, Sigma = LL', of noise
alone end at an edge near (sqrt(r) + sqrt(D))^2 (``largest_root``). A root above it is signal plus
noise, and the optimal shrinker of Gavish and Donoho (2017) takes the noise off: with
q^2 = s^2 / max(r, D) and c = min(r, D) / max(r, D)

    shrink(s^2) = sqrt((q^2 - c - 1)^2 - 4 c) / q^2  above the edge, else 0.

Written as a matrix of targets, T = L^-T V diag(shrink) V'L', the denoised readout is the paper's
ridge readout times T, and the denoised bits are its code length. All of it is made of moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.largest_root import (
    DEVIATION,
    MEAN,
    LargestRoot,
    quantile,
    upper_tail,
)
from learnable_novelty.observer.summary import MOST_TARGETS, Moments, Roots

FALSE_RATE = 0.01
"""How often pure noise may keep a direction."""
FEWEST_ROWS = 4
NEGLIGIBLE = 1e-10
"""Eigenvalue of a feature direction, relative to the largest, below which it is left out."""
NO_PRODUCTS = (
    f"expected moments with the products of at most {MOST_TARGETS} targets, to denoise: make them "
    "with target_products=True"
)
Shrink = Callable[[Tensor], tuple[Tensor, Tensor]]
EXACT = 1e-12
"""Variance relative to that of a target, added to its residuals: they are known up to rounding."""


@dataclass(frozen=True)
class Split:
    """Targets split into what feature directions explain and what they leave."""

    explained: Tensor
    """B, (target_dim, target_dim)."""
    residual: Tensor
    """E, of the same shape."""
    directions: int
    """r."""
    count: float
    """n."""

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the residuals, n - 1 - r."""
        return self.count - 1 - self.directions

    @cached_property
    def noise(self) -> Noise:
        """The noise that these residuals tell of."""
        return Noise.of(self)


def kept_directions(eigenvalues: Tensor, count: float) -> Tensor:
    """Choose the directions of features that take part, as a mask.

    Those of negligible eigenvalue do not; nor do the least of more than half the rows, because
    the noise is told from what the directions leave.

    Args:
        eigenvalues: (..., rank).
        count: rows.
    """
    if count < FEWEST_ROWS:
        raise UserError(
            f"expected at least {FEWEST_ROWS} rows to tell noise from signal, got {count:g}"
        )
    most = torch.zeros_like(eigenvalues, dtype=torch.bool)
    if not eigenvalues.numel():
        return most
    order = eigenvalues.argsort(dim=-1, descending=True)
    most.scatter_(-1, order[..., : int(count - 1) // 2], True)
    return most & (eigenvalues > NEGLIGIBLE * eigenvalues.amax(-1, keepdim=True))


@dataclass(frozen=True)
class Noise:
    """Noise in the targets: its covariance LL', and where its largest root ends."""

    root: Tensor
    """L, (target_dim, target_dim), lower triangular."""
    law: LargestRoot

    @staticmethod
    def of(split: Split) -> Noise:
        """Estimate the noise from residuals.

        Variances are those of the residuals. Correlations are shrunk to zero by the rule of Chen
        et al. (2010, OAS). Where there are too few residuals to whiten by them, targets are
        divided by their deviations only, and the largest eigenvalue of the correlations raises
        the edge instead.
        """
        total, size = (split.explained + split.residual).diagonal(), split.residual.shape[0]
        rounding = torch.where(total > 0, EXACT * total, 1.0)
        deviation = (split.residual.diagonal().clamp(min=0) + rounding).sqrt()
        correlation = split.residual / deviation / deviation[:, None]
        eye = torch.eye(size, dtype=total.dtype, device=total.device)
        correlation = correlation * (1 - eye) + eye
        share = _shrinkage(correlation.detach(), split.freedom)
        while share < 1 and int(torch.linalg.cholesky_ex(_shrunk(correlation, share)).info):
            share = min(1.0, 0.01 + 2 * share)  # residuals that are all rounding
        shrunk = _shrunk(correlation, share)
        rank, freedom = max(1, split.directions), split.freedom
        if freedom > 2 * size:
            estimated = 1 + (size - 1) * (1 - share) ** 2
            law = LargestRoot(rank, size, freedom, estimated)
            root = torch.linalg.cholesky(shrunk)
        else:
            common = float(torch.linalg.eigvalsh(shrunk.detach())[-1])
            law, root = LargestRoot(rank, size, freedom, 1.0, min(common, size)), eye
        return Noise((deviation / freedom**0.5)[:, None] * root, law)

    def whitened(self, products: Tensor) -> Tensor:
        """Return L^-1 M L^-T of products M of targets (..., target_dim, target_dim)."""
        left = torch.linalg.solve_triangular(self.root, products, upper=False)
        return torch.linalg.solve_triangular(self.root, left.mT, upper=False)


def _shrunk(correlation: Tensor, share: float) -> Tensor:
    """Return correlations shrunk to zero by a share."""
    eye = torch.eye(correlation.shape[0], dtype=correlation.dtype, device=correlation.device)
    return (1 - share) * correlation + share * eye


def _shrinkage(correlation: Tensor, freedom: float) -> float:
    """Return how far correlations are shrunk to zero, Chen et al. (2010), eq. (23)."""
    size = correlation.shape[0]
    if size == 1:
        return 0.0
    squares = float(correlation.square().sum())
    spread = (freedom + 1 - 2 / size) * (squares - size)
    return min(1.0, ((1 - 2 / size) * squares + size**2) / spread) if spread > 0 else 1.0


@dataclass(frozen=True)
class Edge:
    """Where the roots of noise end.

    By the law of independent rows of Gaussian noise; and no lower than where rearranged residuals
    have their largest roots, if some were measured. These keep what the law leaves out: dependent
    rows, heavy tails, uneven variance. A few of them tell a mean and a deviation, and the tail
    has the shape of the law, widened as Student's is.
    """

    law: LargestRoot
    false_rate: float = FALSE_RATE
    """How often noise may keep a direction."""
    measured: Tensor | None = None
    """Largest roots of rearranged residuals, (num_rearrangements,)."""

    @cached_property
    def root(self) -> float:
        """A root must be larger to count as signal."""
        x = quantile(self.false_rate)
        known = self.law.at(x)
        if self.measured is None:
            return known
        freedom = self.measured.numel() - 1
        z = (x - MEAN) / DEVIATION * (8 * freedom + 3) / (8 * freedom + 1)
        t = math.sqrt(freedom * math.expm1(z * z / freedom))
        return max(known, self._mean + t * self._deviation)

    @property
    def inflation(self) -> float:
        """How many times larger the noise is than one of known covariance and independent rows."""
        known = (math.sqrt(self.law.directions - 0.5) + math.sqrt(self.law.targets - 0.5)) ** 2
        return max(1.0, self.law.at(0.0) / known) * self.dependence

    @property
    def dependence(self) -> float:
        """How many times larger the measured roots are than those of the law; at least 1."""
        return 1.0 if self.measured is None else max(1.0, self._mean / self.law.at(MEAN))

    def p_value(self, root: float) -> float:
        """Return the probability of a larger root under noise alone."""
        known = self.law.p_value(root)
        if self.measured is None or self._deviation == 0:
            return known
        freedom, t = self.measured.numel() - 1, (root - self._mean) / self._deviation
        z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
        return max(known, upper_tail(MEAN + DEVIATION * math.copysign(z, t)))

    @cached_property
    def _mean(self) -> float:
        assert self.measured is not None
        return float(self.measured.mean())

    @cached_property
    def _deviation(self) -> float:
        """Of one more rearrangement from the mean of these."""
        assert self.measured is not None
        return float(self.measured.std()) * math.sqrt(1 + 1 / self.measured.numel())


def shrinker(split: Split, edge: Edge) -> Shrink:
    """Return the function shrink(s^2) of the formula above, with its derivative."""
    few, many = sorted((max(1, split.directions), split.residual.shape[0]))
    unit, c = edge.inflation * many, few / many

    def shrink(roots: Tensor) -> tuple[Tensor, Tensor]:
        above = roots > edge.root
        q = torch.where(above, roots, 1.0) / unit
        inside = (q - c - 1).square() - 4 * c
        above = above & (inside > 0) & (q > 1 + c)
        bent = torch.where(above, inside, 1.0).sqrt()
        value = bent / q
        slope = ((q - c - 1) / bent - value) / (q * unit)
        return torch.where(above, value, 0.0), torch.where(above, slope, 0.0)

    return shrink


def denoiser(split: Split, edge: Edge | None = None) -> Tensor:
    """Return T, (target_dim, target_dim), which a ridge readout is multiplied by.

    Differentiable in the products of the split; the edge and the strength with which correlations
    are shrunk are held fixed.
    """
    noise = split.noise
    function = shrinker(split, edge or Edge(noise.law))
    whitened = noise.whitened(split.explained)
    if whitened.requires_grad:
        kept: Tensor = _SpectralFunction.apply(whitened, function)
    else:  # without what a function with a gradient costs
        kept = _spectral(whitened, function)[0]
    right = kept @ noise.root.T
    return torch.linalg.solve_triangular(noise.root.T, right, upper=True)


def denoised_readout(data: Moments | Roots, readout: Tensor) -> Tensor:
    """Return a ridge readout without the part that noise explains; differentiable.

    The directions of features that take part are held fixed; the projection on them is not.
    """
    if isinstance(data, Roots) and data.root.shape[0] < data.root.shape[1]:
        # Few rows span few directions, and matrices of their size are enough.
        span = torch.linalg.qr(data.root.detach().T).Q
        turned = replace(data, root=data.root @ span)
        return span @ denoised_readout(turned, span.T @ readout)
    normal = data.products()
    if normal.target_gram is None:
        raise UserError(NO_PRODUCTS)
    with torch.no_grad():
        eigenvalues, basis = torch.linalg.eigh(normal.gram)
        basis = basis[:, kept_directions(eigenvalues, normal.count)]
    root = torch.linalg.cholesky(basis.T @ normal.gram @ basis)
    along = torch.linalg.solve_triangular(root, basis.T @ normal.cross, upper=False)
    explained = along.T @ along
    residual = normal.target_gram - explained
    split = Split(explained, residual, basis.shape[1], normal.count)
    return basis @ (basis.T @ readout) @ denoiser(split)


def signal_units(split: Split, denoise: Tensor, edge: Edge) -> Tensor:
    """Return the deviation of the signal in each target, in units of the target's own.

    At least that of a signal at the edge: a target without a signal is not blown up.
    """
    signal = (denoise.T @ split.explained @ denoise).diagonal()
    unseen = edge.root * split.noise.root.square().sum(1)
    total = (split.explained + split.residual).diagonal()
    ratio = torch.maximum(signal, unseen) / torch.where(total > 0, total, 1.0)
    return torch.where(total > 0, ratio.clamp(max=1.0), 1.0).sqrt()


@dataclass(frozen=True)
class Denoised:
    """A readout without the part that noise explains."""

    bits: float
    """Its code length."""
    spectrum: Tensor
    """Its singular values, descending, one for each direction."""
    directions: float
    """How many directions of targets can be learned: roots above the edge."""
    root: float = math.nan
    """The largest root of the targets."""
    edge: Edge | None = None
    """Of noise; None where none is known."""

    @property
    def p_value(self) -> float:
        """Of the largest root: the probability of a larger one under noise alone."""
        return math.nan if self.edge is None else self.edge.p_value(self.root)


def _spectral(matrix: Tensor, function: Shrink) -> tuple[Tensor, ...]:
    """Return V f(k) V' of a symmetric V diag(k) V', and k, V, f and its slope."""
    values, vectors = torch.linalg.eigh((matrix + matrix.T) / 2)
    f, slope = function(values)
    return (vectors * f) @ vectors.T, values, vectors, f, slope


class _SpectralFunction(torch.autograd.Function):
    """V f(k) V' of a symmetric V diag(k) V', with a gradient that equal eigenvalues do not harm.

    d(V f V') = V (F * (V'dM V)) V' with the divided differences F of f (Daleckii and Krein).
    """

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, function: Shrink) -> Tensor:
        result, *parts = _spectral(matrix, function)
        ctx.save_for_backward(*parts)
        return result

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        values, vectors, f, slope = ctx.saved_tensors
        apart = values[:, None] - values
        close = apart.abs() <= 1e-9 * values.abs().max()
        mean = (slope[:, None] + slope) / 2
        differences = torch.where(close, mean, (f[:, None] - f) / torch.where(close, 1.0, apart))
        gradient = vectors.T @ ((gradient + gradient.T) / 2) @ vectors
        return vectors @ (differences * gradient) @ vectors.T, None

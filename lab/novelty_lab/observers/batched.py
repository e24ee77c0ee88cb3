"""Many regressions of one shape at once, on a GPU: bits, floor and null of lattices.

What ``Observer`` and ``Fit`` compute for one set of rows, for many of them side by side:

    A = H~'H~ + lambda I,   W = A^-1 H~'Y~,   S = alpha log2 det(I + eta W W')

The floor refits the residuals and the null the targets, both with rows permuted, so they share A
and cost only further right-hand sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.bits import ROUNDING, allowed, code_length, quick_error
from learnable_novelty.observer.standardize import feature_scale


@dataclass(frozen=True)
class BatchScore:
    """The scores of a batch of regressions."""

    bits: Tensor
    """(batch,)"""
    floor_bits: Tensor
    """Bits of the moved residuals, (batch, num_floor_orders)."""
    null_bits: Tensor
    """Bits of the moved targets, (batch, num_null_orders)."""
    explained_variance: Tensor
    """Share of the target variance, (batch,); 0 for constant targets."""


@torch.no_grad()
def score_batch(
    features: Tensor,
    targets: Tensor,
    floor_orders: Sequence[Tensor],
    null_orders: Sequence[Tensor],
    *,
    ridge_penalty: float,
    resolution: float,
    code_scale: float = 0.5,
) -> BatchScore:
    """Score a batch of regressions with their floors and nulls, in float64.

    Args:
        features: (batch, samples, sites, feature_dim).
        targets: (batch, samples, sites, target_dim), of 0 and 1.
        floor_orders: row indices (samples * sites,) that move residuals.
        null_orders: the same for targets.
        ridge_penalty: lambda.
        resolution: eta.
        code_scale: alpha.
    """

    def bits(readout: Tensor) -> Tensor:
        return code_length(readout, resolution, code_scale)

    count, width = features.shape[1] * features.shape[2], features.shape[-1]
    h, mean, y = _centred(features, targets)
    products = _products(h, torch.cat([h, y, *(_moved(y, order) for order in null_orders)], dim=-1))
    gram, crosses = products[..., :width], products[..., width:]
    scale = _scale(gram, mean, features)
    inverse = _inverse(gram * scale * scale.mT, ridge_penalty)
    readouts = _split(inverse @ (crosses * scale), y.shape[-1])
    fitted = h @ (scale * readouts[0])[:, None]
    residual = y - fitted
    power, left = (value.square().sum((1, 2, 3)) for value in (y, residual))
    log2dets, rank = bits(readouts[0]) / code_scale, min(width, y.shape[-1])
    eps = ROUNDING * torch.finfo(h.dtype).eps
    relative = torch.full_like(power, eps * (count / ridge_penalty + width))  # |H~|^2 <= n
    absolute = eps * (count * power).sqrt() / ridge_penalty
    if bool((quick_error(rank, relative, absolute, resolution) > allowed(log2dets)).any()):
        raise UserError(
            f"rounding may change scores of {count} rows with a ridge_penalty of "
            f"{ridge_penalty:.1e}; choose a larger ridge_penalty"
        )
    noise = residual * _noise_scale(inverse, ridge_penalty, count)[:, None, None, None]

    def stacked(readouts: Sequence[Tensor]) -> Tensor:
        return torch.stack([bits(r) for r in readouts], 1) if readouts else y.new_empty(len(y), 0)

    floors: list[Tensor] = []
    if floor_orders:
        moved = torch.cat([_moved(noise, order) for order in floor_orders], dim=-1)
        floors = _split(inverse @ (_products(h, moved) * scale), y.shape[-1])
    return BatchScore(
        bits=bits(readouts[0]),
        floor_bits=stacked(floors),
        null_bits=stacked(readouts[1:]),
        explained_variance=torch.where(power > 0, 1 - left / power, 0.0),
    )


def _centred(features: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return features less their mean, this mean, and targets less theirs, in float64."""
    count, width = features.shape[1] * features.shape[2], features.shape[-1]
    if count <= width + 1:
        raise UserError(f"expected more rows than features, got {count} rows and {width} features")
    h, y = features.double(), targets.double()
    mean = h.mean((1, 2), keepdim=True)
    return h - mean, mean, y - y.mean((1, 2), keepdim=True)


def _scale(gram: Tensor, mean: Tensor, features: Tensor) -> Tensor:
    """Return the factors that standardize features, (batch, feature_dim, 1)."""
    variance = gram.diagonal(dim1=1, dim2=2) / (features.shape[1] * features.shape[2])
    eps = torch.finfo(features.dtype).eps
    return feature_scale(variance, mean[:, 0, 0], eps)[:, :, None]


def _products(h: Tensor, right: Tensor) -> Tensor:
    """Return h' right, summed over rows sample by sample: small outputs need the parallel work."""
    return (h.mT @ right).sum(1)


def _inverse(gram: Tensor, penalty: float) -> Tensor:
    eye = torch.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)
    factor = torch.linalg.cholesky(gram + penalty * eye)
    root = torch.linalg.solve_triangular(factor, eye.expand_as(factor), upper=False)
    return root.mT @ root


def _noise_scale(inverse: Tensor, penalty: float, count: int) -> Tensor:
    """Return sqrt((n - 1) / tr (I - S)^2), as ``Fit.noise_scale``.

    With eigenvalues k of the Gram matrix, each of the m directions keeps (lambda / (k + lambda))^2,
    whose sum is lambda^2 |A^-1|^2.
    """
    kept = penalty**2 * inverse.square().sum((1, 2))
    return ((count - 1) / (count - 1 - inverse.shape[-1] + kept)).sqrt()


def _moved(values: Tensor, order: Tensor) -> Tensor:
    """Move rows (batch, samples, sites, columns) by row indices that count over both axes."""
    return values.flatten(1, 2)[:, order].view_as(values)


def _split(joined: Tensor, size: int) -> list[Tensor]:
    return list(joined.split(size, dim=-1))

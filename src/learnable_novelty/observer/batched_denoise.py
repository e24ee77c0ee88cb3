"""Denoised bits of many regressions of one shape at once, on a GPU.

What ``Fit.denoised`` computes for one set of rows, for a batch of lattices. Whatever grows with
rows or features is done for all of them together: with H~'H~ = V diag(k) V' and Q = H~V / sqrt(k)

    B = (Q'Y)'(Q'Y),   E = (Y - QQ'Y)'(Y - QQ'Y)

and Q'R of the moved residuals R, which tell the noise of sites that depend on each other. What is
left for each of them alone is of the size of its targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.batched import (
    centred_batch,
    moved_rows,
    products_of_batch,
    scale_of_batch,
)
from learnable_novelty.observer.code_length import code_length
from learnable_novelty.observer.denoise import (
    FALSE_RATE,
    Edge,
    Split,
    denoiser,
    kept_directions,
)


@dataclass(frozen=True)
class BatchDenoised:
    """The denoised readouts of a batch of regressions."""

    bits: Tensor
    """Their code lengths, (batch,)."""
    directions: Tensor
    """How many directions of targets can be learned, (batch,)."""


@torch.no_grad()
def denoise_batch(
    features: Tensor,
    targets: Tensor,
    orders: Sequence[Tensor],
    *,
    ridge_penalty: float,
    resolution: float,
    code_scale: float = 0.5,
    false_rate: float = FALSE_RATE,
) -> BatchDenoised:
    """Denoise a batch of regressions, in float64.

    Args:
        features: (batch, samples, sites, feature_dim).
        targets: (batch, samples, sites, target_dim).
        orders: row indices (samples * sites,) that move residuals; at least two.
        ridge_penalty: lambda.
        resolution: eta.
        code_scale: alpha.
        false_rate: how often noise may keep a direction.
    """
    count = features.shape[1] * features.shape[2]
    h, mean, y = centred_batch(features, targets)
    gram = products_of_batch(h, h)
    scale = scale_of_batch(gram, mean, features)
    k, v = torch.linalg.eigh(gram * scale * scale.mT)
    kept = kept_directions(k, count)
    whitening = torch.where(kept, torch.where(kept, k, 1.0).rsqrt(), 0.0)
    q = h @ (scale * v * whitening[:, None])[:, None]
    along = products_of_batch(q, y)
    left = y - q @ along[:, None]
    explained, residual = (along.mT @ along).cpu(), products_of_batch(left, left).cpu()
    splits = [
        Split(b, e, directions, count)
        for b, e, directions in zip(explained, residual, kept.sum(1).tolist(), strict=True)
    ]
    root = torch.stack([split.noise.root for split in splits]).to(h.device)
    leverage = 1 / count + q.square().sum(-1, keepdim=True)
    noise = left / (1 - leverage).clamp(min=1e-12).sqrt()
    measured = [
        _roots(root, products_of_batch(q, moved_rows(noise, order)))[:, -1] for order in orders
    ]
    edges = [
        Edge(split.noise.law, false_rate, largest)
        for split, largest in zip(splits, torch.stack(measured, 1).cpu(), strict=True)
    ]
    right = [denoiser(split, edge) for split, edge in zip(splits, edges, strict=True)]
    ridge = torch.where(kept, k, 0.0).sqrt() / (k + ridge_penalty)
    readout = ridge[:, :, None] * along @ torch.stack(right).to(h.device)
    highest = torch.tensor([edge.root for edge in edges], dtype=k.dtype, device=k.device)
    above = _roots(root, along) > highest[:, None]
    return BatchDenoised(code_length(readout, resolution, code_scale), above.sum(1))


def _roots(root: Tensor, along: Tensor) -> Tensor:
    """Return the eigenvalues of L^-1 A'A L^-T, ascending, (batch, target_dim)."""
    whitened = torch.linalg.solve_triangular(root, along.mT, upper=False)
    return torch.linalg.eigvalsh(whitened @ whitened.mT)

"""A rival objective without labels: the coding rate of the codes alone."""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.code_length import log2det_plus_identity


def total_coding_rate(inputs: Tensor, codes: Tensor, *, squared_distortion: float = 0.5) -> Tensor:
    """Measure the bits that codes take at a distortion: MCR2's expansion term.

        R = 1/2 log2 det(I + d / (n epsilon^2) Z'Z)

    It sees no inputs: a code that no observer could read off an image is worth as much to it as
    one that can be read. Beside the score, it shows what the observer adds.

    Args:
        inputs: (num_samples, ...), not used; the argument makes this an objective.
        codes: (num_samples, code_dim), of unit length or the rate is a matter of scale.
        squared_distortion: epsilon^2.

    Returns:
        Bits, 0-dim, differentiable in the codes.

    >>> round(float(total_coding_rate(torch.zeros(2, 1), torch.eye(2), squared_distortion=1.0)), 9)
    1.0
    """
    if codes.ndim != 2 or codes.shape[0] != inputs.shape[0]:
        raise UserError(
            f"expected codes (num_samples={inputs.shape[0]}, code_dim), got {tuple(codes.shape)}"
        )
    if not squared_distortion > 0:
        raise UserError(f"squared_distortion must be positive, got {squared_distortion!r}")
    num_samples, code_dim = codes.shape
    z = codes.to(torch.float64)
    # det(I + Z'Z) = det(I + ZZ'): the smaller one.
    product = z.T @ z if code_dim <= num_samples else z @ z.T
    return log2det_plus_identity(product, code_dim / (num_samples * squared_distortion)) / 2

"""How many directions a code uses."""

from __future__ import annotations

import torch
from torch import Tensor


def effective_rank(codes: Tensor) -> float:
    """Return in how many directions codes (num_samples, code_dim) vary: a participation ratio.

        r = (sum_i v_i)^2 / sum_i v_i^2 = |Z|^4 / |Z'Z|^2,   Z the centred codes

    with v the variances along principal axes; 0 for constant codes.

    >>> effective_rank(torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    2.0
    """
    z = codes.to(torch.float64)
    z = z - z.mean(0)
    product = z.T @ z if z.shape[1] <= z.shape[0] else z @ z.T
    squares = float(product.square().sum())
    return float(product.trace()) ** 2 / squares if squares > 0 else 0.0

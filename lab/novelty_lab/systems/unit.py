"""Unit length, defined at zero too."""

from __future__ import annotations

import torch
from torch import Tensor


def unit_norm(values: Tensor, dim: int) -> Tensor:
    """Scale vectors to unit length; a zero vector becomes the first axis, with zero gradient.

        u = v / |v|,   (1, 0, ..., 0) where |v| = 0

    Args:
        values: vectors along ``dim``, finite.
        dim: the axis that holds a vector's components.

    >>> unit_norm(torch.tensor([[3.0, 4.0], [0.0, 0.0]]), dim=1)
    tensor([[0.6000, 0.8000],
            [1.0000, 0.0000]])
    """
    largest = values.detach().abs().amax(dim, keepdim=True)
    present = largest != 0  # NaN is present: it must not pass for a zero
    # Divided by the largest entry first: squares of 1e-30 underflow to a length of zero, squares
    # of 1e30 overflow. The scale cancels, so it carries no gradient.
    scaled = values / torch.where(present, largest, 1.0)
    square = scaled.square().sum(dim, keepdim=True)
    # Both branches are finite: where() alone would send 0 * inf = NaN back through the root.
    length = torch.where(present, square, 1.0).sqrt()
    shape = enumerate(values.shape)
    axis = values.new_zeros([size if d == dim % values.ndim else 1 for d, size in shape])
    axis.select(dim, 0).fill_(1.0)
    return torch.where(present, scaled / length, axis)

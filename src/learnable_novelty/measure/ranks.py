"""Normal scores: values replaced by normal quantiles of their ranks."""

from __future__ import annotations

import torch
from torch import Tensor


def normal_scores(values: Tensor, column_axis: int = 1) -> Tensor:
    """Replace each column by the normal quantiles of its ranks, q((rank - 1/2) / n), in float64.

    Equal values get their mean rank. Any monotone change of a column leaves its scores as they are,
    and no value is an outlier any more.

    >>> normal_scores(torch.tensor([[1.0], [1e9], [2.0]]))[:, 0]
    tensor([-0.9674,  0.9674,  0.0000], dtype=torch.float64)
    """
    columns = values.movedim(column_axis, -1)
    flat = columns.reshape(-1, columns.shape[-1])
    scores = torch.empty(flat.shape, dtype=torch.float64, device=flat.device)
    for place, column in enumerate(flat.T):
        _, group, sizes = torch.unique(column, return_inverse=True, return_counts=True)
        mean_rank = sizes.cumsum(0) - (sizes - 1) / 2  # from one
        scores[:, place] = torch.special.ndtri((mean_rank.double() - 0.5) / len(column))[group]
    return scores.reshape(columns.shape).movedim(-1, column_axis)

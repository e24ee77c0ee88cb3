"""Moments of a batch that is divided among the ranks of a process group.

A rank l holds n_l rows with the means of its own. With the means of all rows, from a first sum over
ranks, its products about them are a second sum's terms:

    n = sum n_l,   mean = sum n_l mean_l / n,
    H~'Y~ = sum_l [ H_l'Y_l + n_l (mean_l - mean)(mean_l - mean)' ]

The sums carry no gradient; a rank adds its own term's, and that is all: the means of all rows are
where the products do not change to first order. So the gradient of the score with respect to a
rank's rows is that part of the gradient of the undivided batch, and nothing is sent backwards.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from learnable_novelty.observer.moments import Moments


def merge_ranks(own: Moments, group: Any) -> Moments:
    """Merge the moments of all ranks: the same numbers on every one of them.

    Args:
        own: the moments of this rank's rows.
        group: the ``torch.distributed`` process group.

    Returns:
        The moments of all rows, differentiable in this rank's.
    """
    m = own.feature_dim
    means = torch.cat([own.feature_mean, own.target_mean])
    first = torch.cat([means.new_tensor([own.count]), own.count * means.detach()])
    total = _sum(first, group)
    count, mean = float(total[0]), total[1:] / total[0]
    apart = means - mean
    gram = torch.addr(own.gram, apart[:m], apart[:m], alpha=own.count)
    cross = torch.addr(own.cross, apart[:m], apart[m:], alpha=own.count)
    power = own.target_power + own.count * apart[m:].square()
    mine = torch.cat([gram.flatten(), cross.flatten(), power])
    whole = _sum(mine, group) + (mine - mine.detach())
    gram, cross, power = whole.split([gram.numel(), cross.numel(), power.numel()])
    eps = means.new_tensor([own.feature_eps, own.target_eps])
    dist.all_reduce(eps, dist.ReduceOp.MAX, group)
    mean = mean + (own.count / count) * (means - means.detach())
    return Moments(
        count=count,
        feature_mean=mean[:m],
        target_mean=mean[m:],
        gram=gram.view_as(own.gram),
        cross=cross.view_as(own.cross),
        target_power=power,
        feature_eps=float(eps[0]),
        target_eps=float(eps[1]),
    )


def _sum(values: Tensor, group: Any) -> Tensor:
    """Add over ranks, without gradient."""
    total = values.detach().clone()
    dist.all_reduce(total, dist.ReduceOp.SUM, group)
    return total

"""Moments of a batch that is divided among the ranks of a process group.

Rank l holds n_l rows with means of their own. A first sum over ranks gives the means of all rows,
a second one their low-order parts, and a third one adds up every rank's products of deviations:

    n = sum n_l,   mean = sum n_l mean_l / n,
    H~'Y~ = sum_l [ H_l'Y_l + n_l (mean_l - mean)(mean_l - mean)' ]

The sums carry no gradient; a rank adds that of its own term. Nothing more is needed: the products
do not change to first order with the mean that deviations are taken from. So the gradient of the
score with respect to a rank's rows is that part of the gradient of the undivided batch, and nothing
is sent backwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from learnable_novelty.observer.summary import Moments


def merge_ranks(own: Moments, group: Any) -> Moments:
    """Merge the moments of all ranks: the same numbers on every one of them.

    Args:
        own: the moments of this rank's rows.
        group: the ``torch.distributed`` process group.

    Returns:
        The moments of all rows, differentiable in this rank's.
    """
    m, d, dtype = own.feature_dim, own.target_dim, own.gram.dtype
    means = torch.cat([own.feature_mean, own.target_mean])
    total = _sum(torch.cat([means.new_tensor([own.count]), own.count * means]), group)
    count, mean = float(total[0]), total[1:] / total[0]
    common: dict[str, Any] = {"feature_mean": mean[:m], "target_mean": mean[m:]}
    rounded = replace(own, **common, feature_mean_low=0.0, target_mean_low=0.0)
    low = _sum(own.count * torch.cat(own.means_from(rounded)), group) / count
    common |= {"feature_mean_low": low[:m], "target_mean_low": low[m:]}
    term = own.about(replace(own, **common)).pack()
    whole = Moments.unpack(_sum(term, group) + (term - term.detach()), m, d, dtype)
    eps = means.new_tensor([own.feature_eps, own.target_eps])
    dist.all_reduce(eps, dist.ReduceOp.MAX, group)
    mean = mean + (own.count / count) * (means - means.detach())
    common |= {"feature_mean": mean[:m], "target_mean": mean[m:]}
    common |= {"feature_eps": float(eps[0]), "target_eps": float(eps[1])}
    return replace(whole, **common, count=count)


def _sum(values: Tensor, group: Any) -> Tensor:
    """Add over ranks, without gradient."""
    total = values.detach().clone()
    dist.all_reduce(total, dist.ReduceOp.SUM, group)
    return total

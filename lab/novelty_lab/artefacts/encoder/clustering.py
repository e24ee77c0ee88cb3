"""Clusters of codes, and how well they agree with classes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor
from torch.nn.functional import one_hot

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import Seed, torch_generator


@dataclass(frozen=True)
class Clustering:
    """A partition of codes."""

    labels: Tensor
    """(num_samples,), the cluster of each code."""
    centres: Tensor
    """(clusters, code_dim)."""
    inertia: float
    """Sum of squared distances to the own centre."""


@torch.no_grad()
def kmeans(
    codes: Tensor,
    clusters: int,
    *,
    restarts: int = 10,
    iterations: int = 300,
    seed: Seed = 0,
) -> Clustering:
    """Cluster by Lloyd's iteration from k-means++ starts; the best of all starts.

    Args:
        codes: (num_samples, code_dim).
        clusters: number of clusters.
        restarts: number of starts.
        iterations: at most, from each start.
        seed: of the starts.
    """
    if not 1 <= clusters <= len(codes):
        raise UserError(f"clusters must be from 1 to num_samples={len(codes)}, got {clusters}")
    if restarts < 1 or iterations < 1:
        raise UserError(f"restarts and iterations must be positive, got {restarts}, {iterations}")
    generator = torch_generator(seed, "kmeans")
    centred = codes - codes.mean(0)
    starts = (_start(centred, clusters, generator) for _ in range(restarts))
    best = min((_lloyd(centred, start, iterations) for start in starts), key=lambda c: c.inertia)
    return Clustering(best.labels, best.centres + codes.mean(0), best.inertia)


def _start(codes: Tensor, clusters: int, generator: torch.Generator) -> Tensor:
    """Pick centres among the codes, each with odds of its squared distance to those before."""
    # Drawn on the CPU and looked up where the codes are: one seed, one start on every device.
    drawn = torch.rand(clusters, generator=generator, dtype=torch.float64).tolist()
    picks = [int(drawn[0] * len(codes))]
    nearest = torch.full((len(codes),), math.inf, dtype=torch.float64, device=codes.device)
    for share in drawn[1:]:
        nearest = torch.minimum(nearest, (codes - codes[picks[-1]]).double().square().sum(1))
        odds = nearest.cumsum(0)
        pick = int((odds <= share * odds[-1]).sum())
        picks.append(min(pick, len(codes) - 1))  # all codes are centres already: any will do
    return codes[picks]


def _lloyd(codes: Tensor, centres: Tensor, iterations: int) -> Clustering:
    square = codes.square().sum(1)
    labels = torch.full((len(codes),), -1, device=codes.device)
    distances = square
    for _ in range(iterations):
        all_distances = square[:, None] - 2 * codes @ centres.T + centres.square().sum(1)
        distances, nearest = all_distances.clamp(min=0).min(1)
        if torch.equal(nearest, labels):
            break
        labels = nearest
        member = one_hot(labels, len(centres)).to(codes.dtype)
        counts = member.sum(0)
        centres = member.T @ codes / counts.clamp(min=1)[:, None]
        empty = (counts == 0).nonzero().flatten()
        # An empty cluster starts anew at the code that is worst off.
        centres[empty] = codes[distances.topk(len(empty)).indices]
    inertia = (codes - centres[labels]).square().sum(dtype=torch.float64)
    return Clustering(labels, centres, float(inertia))


def clustering_accuracy(clusters: Tensor, labels: Tensor) -> float:
    """Return the accuracy of the best one-to-one naming of clusters by labels."""
    table = contingency(clusters, labels).numpy()
    return float(table[linear_sum_assignment(table, maximize=True)].sum()) / len(labels)


def normalized_mutual_information(first: Tensor, second: Tensor) -> float:
    """Return I(A; B) over the mean of H(A) and H(B); 1 where neither varies."""
    joint = contingency(first, second) / len(first)
    a, b = joint.sum(1), joint.sum(0)
    mean_entropy = float(_entropy(a) + _entropy(b)) / 2
    information = float(_entropy(a) + _entropy(b) - _entropy(joint.flatten()))
    return information / mean_entropy if mean_entropy > 0 else 1.0


def contingency(first: Tensor, second: Tensor) -> Tensor:
    """Count how often each value of one meets each value of the other, in float64 on the CPU."""
    if first.ndim != 1 or first.shape != second.shape or len(first) == 0:
        raise UserError(
            f"expected two labellings of one length, got {tuple(first.shape)} and "
            f"{tuple(second.shape)}"
        )
    _, a = first.unique(return_inverse=True)
    _, b = second.unique(return_inverse=True)
    rows, columns = int(a.max()) + 1, int(b.max()) + 1
    counts = torch.bincount(a * columns + b, minlength=rows * columns)
    return counts.view(rows, columns).double().cpu()


def _entropy(shares: Tensor) -> Tensor:
    return -torch.special.xlogy(shares, shares).sum()

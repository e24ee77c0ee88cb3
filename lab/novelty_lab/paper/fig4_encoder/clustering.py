"""Clusters of codes, and how well they agree with labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor

from learnable_novelty.errors import needs_extra
from learnable_novelty.seeds import Seed, split


def kmeans(codes: Tensor, clusters: int, *, seed: Seed = 0) -> np.ndarray:
    """Return the cluster of each code, (num_samples,): the best of ten k-means++ starts."""
    with needs_extra("k-means", "data"):
        from sklearn.cluster import KMeans

    state = split(seed, "kmeans") % 2**32
    # With no tolerance Lloyd's iteration ends where the clusters no longer change.
    settings: dict[str, Any] = {"n_init": 10, "tol": 0.0, "random_state": state}
    method = KMeans(clusters, **settings)
    return method.fit_predict(codes.double().cpu().numpy())


def agreement(clusters: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Compare clusters with labels, both (num_samples,).

    Returns:
        ``clusters``: the accuracy of the best one-to-one naming of clusters by labels.
        ``information``: I(A; B) over the mean of H(A) and H(B); 1 where neither varies.
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.metrics.cluster import contingency_matrix

    table = np.asarray(contingency_matrix(clusters, labels))
    named = table[linear_sum_assignment(table, maximize=True)].sum()
    return {
        "clusters": float(named) / len(labels),
        "information": float(normalized_mutual_info_score(labels, clusters)),
    }

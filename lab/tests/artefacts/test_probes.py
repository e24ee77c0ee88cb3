"""Probes, against scikit-learn and SciPy."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

from novelty_lab.paper.fig4_encoder.probes import (
    fit_logistic,
    nearest_neighbours,
)

torch.set_num_threads(1)


@pytest.fixture
def blobs():
    """Overlapping classes: train and test codes with labels."""
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((4, 6))

    def draw(count):
        labels = rng.integers(0, 4, count)
        codes = centres[labels] + rng.standard_normal((count, 6))
        return torch.from_numpy(codes * [1, 10, 0.1, 1, 1, 1] + 5), torch.from_numpy(labels)

    return *draw(300), *draw(200)


# The linear probe


def test_linear_probe_finds_the_minimum_that_scikit_learn_finds(blobs):
    linear_model = pytest.importorskip("sklearn.linear_model")
    codes, labels, *_ = blobs
    standard = (codes - codes.mean(0)) / codes.std(0, correction=0)
    penalty = 1e-3
    weight, bias = fit_logistic(standard, labels, penalty, 1e-8, 2000)
    other = linear_model.LogisticRegression(C=1 / (penalty * len(codes)), tol=1e-10, max_iter=5000)
    other.fit(standard.numpy(), labels.numpy())
    np.testing.assert_allclose(weight.T.numpy(), other.coef_, atol=2e-4)
    ours = (bias - bias.mean()).numpy()
    np.testing.assert_allclose(ours, other.intercept_ - other.intercept_.mean(), atol=2e-4)


# Nearest neighbours


@pytest.mark.parametrize("neighbours", [1, 2, 5, 8])
@pytest.mark.parametrize("chunk", [7, 1024])
def test_neighbours_vote_as_in_a_plain_loop(blobs, neighbours, chunk):
    module = pytest.importorskip("sklearn.neighbors")
    codes, labels, test_codes, test_labels = (part.numpy() for part in blobs)
    search = module.NearestNeighbors(n_neighbors=neighbours, algorithm="kd_tree").fit(codes)
    right = 0
    for row, label in zip(
        search.kneighbors(test_codes, return_distance=False), test_labels, strict=True
    ):
        voters = labels[row].tolist()
        counts = Counter(voters)
        tied = [name for name, count in counts.items() if count == max(counts.values())]
        right += next(voter for voter in voters if voter in tied) == label
    found = nearest_neighbours(*blobs, neighbours=neighbours, chunk=chunk)
    assert found == pytest.approx(right / len(test_labels), abs=1e-12)


# Principal components and the coding rate

"""Oracles written afresh in NumPy: none of them calls the code under test."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

torch.set_num_threads(1)


def array(values):
    return values.detach().double().numpy() if isinstance(values, torch.Tensor) else values


def standardized(features, targets, unit=1.0):
    """Eq. (normalization), column by column, for float64 data."""
    h, y = np.array(array(features)), np.array(array(targets))
    for columns in (h, y):
        for c in range(columns.shape[1]):
            column = columns[:, c]
            deviation = column - column.mean()
            limit = 64 * np.finfo(np.float64).eps * math.sqrt(np.mean(column**2))
            constant = math.sqrt(np.mean(deviation**2)) <= limit
            columns[:, c] = 0.0 if constant else deviation
    for c in range(h.shape[1]):
        spread = math.sqrt(np.mean(h[:, c] ** 2))
        if spread > 0:
            h[:, c] /= spread * math.sqrt(h.shape[1])
    return h, y / array(unit)


def readout(features, targets, penalty, unit=1.0):
    """The augmented least squares of appendix E, by NumPy's QR."""
    h, y = standardized(features, targets, unit)
    m = h.shape[1]
    q, r = np.linalg.qr(np.vstack([h, math.sqrt(penalty) * np.eye(m)]))
    return np.linalg.solve(r, q.T @ np.vstack([y, np.zeros((m, y.shape[1]))]))


def price(weights, resolution=1.0, code_scale=0.5):
    """Eq. (spectral-code) by singular values."""
    values = np.linalg.svd(array(weights), compute_uv=False)
    return code_scale * float(np.sum(np.log2(1 + resolution * values**2)))


def bits(features, targets, penalty, resolution=1.0, code_scale=0.5, unit=1.0):
    """Eq. (rc-score)."""
    return price(readout(features, targets, penalty, unit), resolution, code_scale)


@pytest.fixture(scope="session")
def oracle():
    return SimpleNamespace(
        standardized=standardized, readout=readout, price=price, bits=bits, array=array
    )


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(20260101)


@pytest.fixture
def normal(rng):
    """Draw float64 Gaussian tensors."""

    def draw(*shape):
        return torch.randn(*shape, generator=rng, dtype=torch.float64)

    return draw

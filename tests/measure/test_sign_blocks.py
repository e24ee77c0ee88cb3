"""Random signs of blocks equal a plain loop over rows."""

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.observer.signed import SignedFit
from learnable_novelty.observer.summary import Roots

RNG = np.random.default_rng(0)
X = RNG.standard_normal((700, 3)) * [1, 100, 0.01] + [0, 5, -3]
Y = np.sin(X[:, :2] / [1, 100]) + 0.3 * RNG.standard_normal((700, 2)) + 1000


def test_signs_equal_a_plain_loop_over_rows():
    """Signed targets and residuals of the rows themselves, solved one by one."""
    from learnable_novelty.measure.draw import _signs, block_bounds

    observer = ln.Observer(ln.reservoirs.MLP(3, 10, 2), ridge_penalty=0.7)
    found = ln.score(
        X, Y, observer=observer, draws=1, null=ln.Null(6, "signs"), seed=3,
        standardize_inputs=False, target_unit=1.0,
    )  # fmt: skip
    h = observer.reservoir(torch.from_numpy(X)).numpy()
    h = (h - h.mean(0)) / (h.std(0) * h.shape[1] ** 0.5)
    y = Y - Y.mean(0)
    inverse = np.linalg.inv(h.T @ h + 0.7 * np.eye(10))
    blocks = np.repeat(np.arange(40), np.diff(block_bounds(700, 40)))

    def bits(product):
        return 0.5 * np.linalg.slogdet(np.eye(2) + product.T @ inverse @ inverse @ product)[1]

    explained = []
    for signs in _signs(3, "null", 6, 40).numpy():
        signed = y * signs[blocks][:, None]
        signed = signed - signed.mean(0)
        fitted = h @ (inverse @ (h.T @ signed))
        explained.append(1 - np.sum((signed - fitted) ** 2) / np.sum(signed**2))
    np.testing.assert_allclose(found.null_explained_variance, explained, rtol=1e-9)
    k, v = np.linalg.eigh(h.T @ h)
    residual = y - h @ (inverse @ (h.T @ y))
    # What the fit absorbs of noise, from the linear map that takes noise to signed products.
    floors = []
    for signs in _signs(3, "floor", 16, 40).numpy():
        product = v.T @ (h.T @ (residual * signs[blocks][:, None]))
        floors.append(product)
    left = np.zeros(10)
    for block in range(40):
        one = (blocks == block)[:, None] * (np.eye(700) - h @ inverse @ h.T)
        left += np.square(v.T @ h.T @ one).sum(1)
    floors = [bits(v @ (p * np.sqrt(k / left)[:, None])) / np.log(2) for p in floors]
    assert found.floor_bits == pytest.approx(np.mean(floors), rel=1e-8)


def test_the_floor_keeps_the_penalty_of_the_observed_targets():
    reservoir = ln.reservoirs.MLP(3, 10, 2)
    h, y = reservoir(torch.from_numpy(X)), torch.from_numpy(Y - Y.mean(0))
    blocks = [Roots.of(h[i : i + 100], y[i : i + 100]) for i in range(0, 700, 100)]
    chosen = SignedFit.of(ln.Observer(reservoir, ridge_penalty="evidence"), blocks)
    fixed = SignedFit.of(ln.Observer(reservoir, ridge_penalty=chosen.penalty), blocks)
    signs = torch.tensor([[1, -1, 1, 1, -1, -1, 1], [1, 1, -1, 1, 1, -1, -1]]).double()
    torch.testing.assert_close(chosen.floor(signs), fixed.floor(signs), rtol=1e-9, atol=0)

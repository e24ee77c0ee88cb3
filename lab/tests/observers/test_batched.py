"""Batches of binary tori against the observer that scores one at a time."""

import numpy as np
import pytest
import torch

from learnable_novelty.measure import row_orders
from learnable_novelty.observer import Edge, Observer, reservoirs
from novelty_lab.observers import denoise_batch, score_batch
from novelty_lab.observers.binary_torus import (
    OFFSETS,
    BinaryTorus,
    pattern_codes,
    pattern_inputs,
)

STATES = {"binary": (0.0, 1.0), "signed": (-1.0, 1.0)}


def tori(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 2, shape, dtype=np.uint8))


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("states", list(STATES))
@pytest.mark.parametrize("linear_last", [True, False])
def test_tables_give_the_features_of_the_convolution(depth, states, linear_last):
    reservoir = reservoirs.Conv2d(1, 8, depth, linear_last=linear_last, gain=1.1, seed=depth)
    cells = tori(depth, 3, 5, 7)
    fast = BinaryTorus(reservoir, STATES[states], torch.float64)(cells)
    entered = torch.tensor(STATES[states], dtype=torch.float64)[cells.long()]
    torch.testing.assert_close(fast.movedim(-1, 1), reservoir(entered[:, None]))


def test_float32_tables_are_the_convolution_rounded():
    reservoir = reservoirs.Conv2d(1, 16, 3)
    cells = tori(0, 2, 9, 9)
    fast = BinaryTorus(reservoir, (-1.0, 1.0))(cells)
    assert fast.dtype == torch.float32
    exact = BinaryTorus(reservoir, (-1.0, 1.0), torch.float64)(cells)
    torch.testing.assert_close(fast.double(), exact, rtol=0, atol=2e-5)


def test_codes_spell_the_neighbourhood_of_each_cell():
    cells = tori(1, 2, 4, 6)
    codes = pattern_codes(cells)
    spelled = pattern_inputs((0.0, 1.0))[codes]
    for place, (down, right) in enumerate(OFFSETS):
        there = cells[1, (3 + down) % 4, (5 + right) % 6]
        assert spelled[1, 3, 5, place] == there


@pytest.mark.parametrize(("depth", "kernel", "channels"), [(1, 3, 1), (3, 5, 1), (3, 3, 2)])
def test_other_reservoirs_are_refused(depth, kernel, channels):
    reservoir = reservoirs.Conv2d(channels, 4, depth, kernel)
    with pytest.raises(ValueError, match="kernel 3, at least two layers and one input channel"):
        BinaryTorus(reservoir, (0.0, 1.0))


def test_a_batch_scores_as_its_members_do():
    """Two rules of the observer and one of constant targets, with floors and nulls."""
    samples, side, window = 4, 9, 5
    reservoir = reservoirs.Conv2d(1, 12, 3, seed=4)
    observer = Observer(reservoir, ridge_penalty=0.03, resolution=2.0, code_scale=0.7)
    torus = BinaryTorus(reservoir, (0.0, 1.0), torch.float64)
    inputs = tori(0, 3, samples, side, side)
    targets = tori(1, 3, samples, window, side, side)
    targets[1] = inputs[1].roll(1, -1)[:, None]  # readable off the inputs
    targets[2] = 1
    orders = list(row_orders("translations", samples, (side, side), 5, 7))
    found = score_batch(
        torus(inputs.flatten(0, 1)).unflatten(0, (3, samples)).flatten(2, 3),
        targets.movedim(2, -1).flatten(2, 3),
        orders[:3],
        orders[3:],
        ridge_penalty=0.03,
        resolution=2.0,
        code_scale=0.7,
    )
    assert found.floor_bits.shape == (3, 3)
    assert found.null_bits.shape == (3, 2)
    for place in range(3):
        rows = observer.rows(inputs[place][:, None].double(), targets[place].double())
        refit = observer.fit(rows)
        floor, _ = refit.rearranged(refit.noise(), iter(orders[:3]))
        null, _ = refit.rearranged(refit.targets, iter(orders[3:]))
        exact = {"rtol": 1e-9, "atol": 1e-9}
        torch.testing.assert_close(found.bits[place], observer.bits_of_rows(rows), **exact)
        torch.testing.assert_close(found.floor_bits[place], floor, **exact)
        torch.testing.assert_close(found.null_bits[place], null, **exact)
        expected = torch.tensor(refit.explained_variance(), dtype=torch.float64)
        torch.testing.assert_close(found.explained_variance[place], expected, **exact)
    assert found.bits[2] == 0
    assert found.explained_variance[1] > found.explained_variance[0] + 0.3


def test_constant_features_read_nothing():
    features = torch.ones(1, 2, 30, 4)
    targets = tori(3, 1, 2, 30, 3)
    order = torch.arange(60)
    found = score_batch(features, targets, [order], [], ridge_penalty=0.1, resolution=1.0)
    assert found.bits == 0
    assert found.floor_bits == 0
    assert found.null_bits.shape == (1, 0)


def test_more_features_than_rows_are_refused():
    with pytest.raises(ValueError, match="more rows than features"):
        score_batch(
            torch.randn(1, 1, 4, 4), torch.ones(1, 1, 4, 1), [], [], ridge_penalty=1, resolution=1
        )


def test_a_batch_is_denoised_as_its_members_are():
    """Noise, a shift in noise, a shift, constant targets, and inputs that repeat one row."""
    samples, side, window, batch = 6, 11, 4, 5
    reservoir = reservoirs.Conv2d(1, 20, 3, seed=4)
    observer = Observer(reservoir, ridge_penalty=0.03, resolution=2.0, code_scale=0.7)
    torus = BinaryTorus(reservoir, (-1.0, 1.0), torch.float64)
    inputs, targets = (
        tori(0, batch, samples, side, side),
        tori(1, batch, samples, window, side, side),
    )
    inputs[4] = inputs[4, :1, :1]
    shift = inputs.roll(1, -1)[:, :, None]
    targets[1, :, :2] = (shift[1] ^ (torch.rand(samples, 2, side, side) < 0.2)).to(torch.uint8)
    targets[2] = shift[2]
    targets[3] = 1
    orders = list(row_orders("translations", samples, (side, side), 8, 7))
    settings = {"ridge_penalty": 0.03, "resolution": 2.0, "code_scale": 0.7}
    features = torus(inputs.flatten(0, 1)).unflatten(0, (batch, samples)).flatten(2, 3)
    laid_out = targets.movedim(2, -1).flatten(2, 3)
    found = denoise_batch(features, laid_out, orders, **settings, false_rate=0.02)
    for place in range(batch):
        entered = 2 * inputs[place][:, None].double() - 1
        fit = observer.fit(observer.rows(entered, targets[place].double()))
        moved = torch.cat(list(fit.moved_products(fit.unexplained(), iter(orders))))
        alone = fit.denoised(Edge(fit.split.noise.law, 0.02, fit.noise_roots(moved)))
        assert float(found.bits[place]) == pytest.approx(alone.bits, rel=1e-7, abs=1e-9)
        assert int(found.directions[place]) == alone.directions
    raw = score_batch(features, laid_out, [], [], **settings).bits
    assert found.bits[0] == found.bits[3] == 0 < raw[0]
    assert 0 < found.bits[1] < raw[1]

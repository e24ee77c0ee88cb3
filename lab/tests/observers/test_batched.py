"""Batches of binary tori against the observer that scores one at a time."""

from typing import Any

import numpy as np
import pytest
import torch

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.rearrange import row_orders
from novelty_lab.observers.batched import score_batch
from novelty_lab.observers.binary_torus import (
    BinaryTorus,
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
        exact: Any = {"rtol": 1e-9, "atol": 1e-9}
        torch.testing.assert_close(found.bits[place], observer.bits(rows), **exact)
        torch.testing.assert_close(found.floor_bits[place], floor, **exact)
        torch.testing.assert_close(found.null_bits[place], null, **exact)
        expected = torch.tensor(refit.explained_variance(), dtype=torch.float64)
        torch.testing.assert_close(found.explained_variance[place], expected, **exact)
    assert found.bits[2] == 0
    assert found.explained_variance[1] > found.explained_variance[0] + 0.3

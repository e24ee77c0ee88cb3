import copy

import numpy as np
import pytest
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer


def inputs(n=200, d=5):
    return torch.from_numpy(np.random.default_rng(0).standard_normal((n, d)))


def test_features_are_those_of_all_columns_each_column_and_each_alone():
    x = inputs()
    reservoir = reservoirs.Tabular(5, 8, 3, numbers=[0, 4])
    h = reservoir(x)
    assert h.shape == (200, reservoir.feature_dim) == (200, 8 + 5 + 6)
    torch.testing.assert_close(h[:, 8:13], x)
    other = x.clone()
    other[:, 1:4] = inputs(200, 3)[:, [2, 0, 1]]
    torch.testing.assert_close(reservoir(other)[:, 13:], h[:, 13:])  # of columns 0 and 4 alone
    assert not torch.allclose(reservoir(other)[:, :8], h[:, :8])


def test_one_seed_is_one_reservoir_in_any_dtype_and_another_seed_another():
    x = inputs()
    first = reservoirs.Tabular(5, 8, seed=1)
    again = copy.deepcopy(first).redraw(2).redraw(1)
    torch.testing.assert_close(first(x), again(x))
    assert not torch.allclose(first(x), reservoirs.Tabular(5, 8, seed=2)(x))
    torch.testing.assert_close(first(x.float()).double(), first(x), atol=1e-4, rtol=1e-4)


def test_one_column_among_many_is_learned():
    x = inputs(600, 20)
    y = torch.sin(2 * x[:, :1])
    shares = [
        Observer(reservoir, ridge_penalty="evidence").readout(x, y).explained_variance
        for reservoir in (reservoirs.Tabular(20, 64, 4), reservoirs.MLP(20, 64, 4))
    ]
    assert shares[0] > 0.85 > 2 * shares[1]


def test_gradients_flow():
    x = inputs().requires_grad_()
    reservoirs.Tabular(5, 8, 2)(x).square().sum().backward()
    assert torch.isfinite(x.grad).all() and bool((x.grad != 0).any())


@pytest.mark.parametrize("wrong", [{"own": -1}, {"own": 1.5}, {"numbers": [5]}, {"width": 0}])
def test_bad_settings_are_refused(wrong):
    with pytest.raises(UserError):
        reservoirs.Tabular(**{"input_dim": 5, "width": 8, **wrong})

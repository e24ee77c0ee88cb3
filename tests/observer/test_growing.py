"""The observer that grows: what it reads, where it looks, and when it stops."""

import math

import numpy as np
import pytest
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.growing.focused import Focused
from learnable_novelty.observer.growing.gradients import gradient_product, noise_product
from learnable_novelty.observer.growing.growth import FOCUS_SAMPLES, PRECISION, Growing, _Path
from learnable_novelty.observer.observer import Observer

KINDS = {
    "mlp": (lambda: reservoirs.MLP(3, 8, 2), (5, 3), 3),
    "conv1d": (lambda: reservoirs.Conv1d(2, 8, 3), (5, 2, 7), 6),
    "conv2d": (lambda: reservoirs.Conv2d(1, 4, 2), (3, 1, 5, 4), 9),
    "fourier": (lambda: reservoirs.Fourier(3, 8), (5, 3), 3),
    "recurrent": (lambda: reservoirs.Recurrent(2, 8, washout=1), (3, 6, 2), 2),
}


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def signs(rows, columns, seed=0):
    return random(rows, columns, seed=seed).sign()


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_focus_it_is_the_reservoir_itself(kind):
    make, shape, size = KINDS[kind]
    base, x = make(), random(*shape)
    assert torch.equal(Focused(base, torch.eye(size))(x), base(x))
    assert base.reads(x).shape[-1] == size


def test_the_gradient_product_is_that_of_the_jacobian():
    reservoir, x, weights = reservoirs.MLP(3, 8, 2), random(20, 3), random(8, 1, seed=1)
    found = gradient_product(reservoir, x, weights, torch.Generator())
    jacobian = torch.stack(
        [torch.autograd.functional.jacobian(lambda v: reservoir(v[None]) @ weights, r) for r in x]
    )[:, 0, 0]
    assert torch.allclose(found, jacobian.T @ jacobian / len(x))


def test_random_signs_add_up_targets_and_sites():
    reservoir, x, weights = reservoirs.Conv1d(1, 6, 3), random(4, 1, 5), random(6, 2, seed=1)
    generator = torch.Generator().manual_seed(0)
    found = torch.stack(
        [gradient_product(reservoir, x, weights, generator) for _ in range(800)]
    ).mean(0)
    reads = reservoir.reads(x)
    jacobian = torch.autograd.functional.jacobian(
        lambda r: reservoir.rows(reservoir.driven(r)) @ weights, reads
    )
    rows = jacobian.flatten(2, -2).flatten(0, 2)
    assert torch.allclose(found, rows.T @ rows / 20, rtol=0.2, atol=0.04)


def test_what_noise_adds_to_the_gradient_product_is_what_noise_adds():
    x, generator = random(300, 3), torch.Generator().manual_seed(0)
    observer = Observer(reservoirs.MLP(3, 16, 2), ridge_penalty=0.5)
    added, expected = [], []
    for seed in range(60):
        rows = observer.rows(x, random(300, 1, seed=seed + 1))
        roots = rows.roots(torch.float64)
        fit = observer.fit(roots)
        scale = fit.scale[0]
        weights = scale[:, None] * fit.weights
        added.append(gradient_product(observer.reservoir, x, weights, generator))
        expected.append(noise_product(observer.reservoir, x, fit, 0.5, generator))
    added, expected = torch.stack(added).mean(0), torch.stack(expected).mean(0)
    assert torch.allclose(added.diagonal(), expected.diagonal(), rtol=0.15)


def test_the_focus_finds_the_inputs_of_a_product():
    x = random(1000, 8)
    y = (x[:, [1]] * 2).sin() * x[:, [4]]
    growth = Growing(reservoirs.MLP(8, 32, 3), most_features=200).grow(x, y)
    assert growth.kept.kind == "focus"
    assert growth.kept.held_out_variance > growth.steps[0].held_out_variance + 0.3
    assert set(growth.importance.topk(2).indices.tolist()) == {1, 4}
    assert float(growth.importance.topk(2).values.sum()) > 0.95


def test_importance_is_that_of_a_linear_function():
    x = random(600, 6)
    y = x @ torch.tensor([[2.0], [1.0], [0.0], [0.0], [0.0], [0.0]]).double()
    growth = Growing(reservoirs.MLP(6, 32, 3), most_features=64).grow(x, y)
    assert growth.importance.tolist() == pytest.approx([0.8, 0.2, 0, 0, 0, 0], abs=0.05)


def test_a_product_of_four_signs_among_twelve_is_learned():
    x = signs(1500, 12)
    y = x[:, :4].prod(1, keepdim=True)
    growth = Growing(reservoirs.MLP(12, 64, 4), most_features=256, rounds=6).grow(x, y)
    assert growth.steps[0].held_out_variance < 0.1
    assert growth.kept.held_out_variance > 0.9


def test_a_focus_of_many_samples_is_computed_from_a_part_of_them():
    generator = torch.Generator().manual_seed(3)
    x = signs(8400, 12, seed=3)
    y = x[:, :3].prod(1, keepdim=True)
    growth = Growing(reservoirs.MLP(12, 64, 4), most_features=128).grow(x, y)
    assert growth.kept.kind == "focus" and growth.kept.held_out_variance > 0.95

    path = _Path(Growing(reservoirs.MLP(12, 16, 2)), (x, y), (x[:8], y[:8]), 0)
    trial = path.trial("frozen", reservoirs.MLP(12, 16, 2))
    some, fit = path._looked_at(trial, generator)
    other, _ = path._looked_at(trial, generator)
    assert len(some) == fit.axes.count == FOCUS_SAMPLES and not torch.equal(some, other)
    few = _Path(path.growing, (x[:6144], y[:6144]), path.deciding, 0)
    trial = few.trial("frozen", reservoirs.MLP(12, 16, 2))
    assert few._looked_at(trial, generator)[1] is trial.fit


@pytest.mark.parametrize("seed", range(3))
def test_noise_does_not_grow(seed):
    x, y = random(200, 5, seed=seed), random(200, 2, seed=seed + 50)
    growing = Growing(reservoirs.MLP(5, 32, 3))
    growth = growing.grow(x, y, seed=seed)
    assert not growth.has_grown
    assert growth.observer is growing.frozen
    assert growth.importance is None


def test_the_description_is_that_of_the_formula():
    x = random(400, 3)
    y = x[:, :1] * x[:, 1:2] + 0.1 * random(400, 1, seed=1)
    growing = Growing(reservoirs.MLP(3, 16, 2), ridge_penalty=0.1, rounds=2, most_features=16)
    growth = growing.grow(x, y, ordered=True)
    fitted, deciding = slice(0, 300), slice(300, None)
    rows = growing.frozen.rows(x[fitted], y[fitted])
    h, t = rows.features.numpy(), rows.targets.numpy()
    scale = h.std(0) * math.sqrt(h.shape[1])
    standard = (h - h.mean(0)) / scale
    centred = t - t.mean(0)
    weights = np.linalg.solve(standard.T @ standard + 0.1 * np.eye(16), standard.T @ centred)
    new = (growing.frozen.reservoir(x[deciding]).numpy() - h.mean(0)) / scale
    errors = y[deciding].numpy() - t.mean(0) - new @ weights
    share = (errors**2).mean() / t.var()
    first = growth.steps[0]
    assert first.model_bits == pytest.approx(0.5 * math.log2(1 + float((weights**2).sum())))
    assert first.residual_bits == pytest.approx(50 * math.log2(1 + share / PRECISION**2))
    spread = ((y[deciding].numpy() - t.mean(0)) ** 2).mean()
    assert first.held_out_variance == pytest.approx(1 - (errors**2).mean() / spread)
    assert growth.kept.total_bits == min(step.total_bits for step in growth.steps)


def test_growth_needs_data_a_budget_and_a_reservoir_that_can_grow():
    with pytest.raises(UserError, match="at least 40 samples"):
        Growing(reservoirs.MLP(2, 8, 2)).grow(random(39, 2), random(39, 1))
    with pytest.raises(UserError, match="rounds must be a positive integer, got 0"):
        Growing(reservoirs.MLP(2, 8, 2), rounds=0)
    with pytest.raises(UserError, match="most_features must be a positive integer, got 0"):
        Growing(reservoirs.MLP(2, 8, 2), most_features=0)
    with pytest.raises(UserError, match="most_features of at least 8"):
        Growing(reservoirs.MLP(2, 8, 2), most_features=4)
    for refused in (reservoirs.Identity(2), reservoirs.ImageConv(8, 4, 2)):
        with pytest.raises(UserError, match="a reservoir that can grow"):
            Growing(refused)

"""How a perturbation grows from layer to layer."""

from __future__ import annotations

import pytest
import torch

from learnable_novelty.observer.reservoirs import MLP, Conv1d, Conv2d
from learnable_novelty.seeds import torch_generator
from novelty_lab.observers.criticality import perturbation_norms

CASES = {
    "mlp": (lambda depth, **k: MLP(8, 64, depth, **k), (32, 8)),
    "conv1d": (lambda depth, **k: Conv1d(2, 64, depth, **k), (8, 2, 12)),
    "conv2d": (lambda depth, **k: Conv2d(2, 48, depth, **k), (4, 2, 6, 6)),
}
every_geometry = pytest.mark.parametrize("make, shape", CASES.values(), ids=CASES)


@every_geometry
@pytest.mark.parametrize("normalize", [True, False])
def test_norms_are_those_of_finite_differences(make, shape, normalize, normal):
    reservoir, inputs = make(4, normalize=normalize, activation="tanh"), normal(*shape)
    got = perturbation_norms(reservoir, inputs, seed=3)
    assert got.shape == (5, shape[0])
    base = inputs.movedim(1, -1)
    direction = torch.randn(
        base.shape, generator=torch_generator(3, "perturbation"), dtype=torch.float64
    )
    step = 1e-6
    above, below = base + step * direction, base - step * direction
    for layer in range(5):
        slope = (above - below) / (2 * step)
        for sample in range(shape[0]):
            expected = float(slope[sample].square().sum().sqrt())
            assert float(got[layer, sample]) == pytest.approx(expected, rel=1e-6)
        if layer < 4:
            above, below = reservoir.advance(above, layer), reservoir.advance(below, layer)


def mean_multiplier(make, shape, depth, normal, scale=1.0, **knobs):
    found = []
    for seed in range(3):
        reservoir = make(depth, seed=seed, linear_last=False, **knobs)
        norms = perturbation_norms(reservoir, scale * normal(*shape), seed=seed)[1:]
        found.append(float((norms[1:] / norms[:-1]).mean()))
    return sum(found) / len(found)


@every_geometry
@pytest.mark.parametrize("depth", [4, 16])
def test_normalization_holds_the_multiplier_near_one(make, shape, depth, normal):
    assert mean_multiplier(make, shape, depth, normal) == pytest.approx(1.0, abs=0.1)

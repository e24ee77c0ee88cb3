"""Appendix A.3: the edge of chaos."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from novelty_lab.context import RunContext
from novelty_lab.paper.app_a_criticality import experiment as criticality
from novelty_lab.runner import run_experiment

TINY = dataclasses.replace(
    criticality.QUICK,
    depths=(2, 3),
    gains=(1.0,),
    input_scales=(1.0,),
    depth=3,
    width=8,
    input_dim=2,
    sizes=(5, 3),
    samples=2,
    draws=1,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("criticality", "quick", root=root)[0], root


@pytest.fixture(scope="module")
def base():
    return criticality.run(TINY, seed=0, context=RunContext())


def test_normalized_reservoirs_are_at_the_edge(found):
    low, high = found[0].results["normalized"]
    assert 0.9 < low <= high < 1.1


def test_normalization_takes_out_the_input_scale(found):
    plain, normalized = found[0].results["scale_plain"], found[0].results["scale_normalized"]
    assert normalized[1] - normalized[0] < 0.05 < plain[1] - plain[0]


def test_preactivations_of_a_plain_reservoir_shrink_to_tenths(found):
    sd = np.mean(found[0].results["preactivation_sd"], axis=0)
    assert list(sd) == sorted(sd, reverse=True)
    # Weights and biases of variance 1 / (3 x 8) on eight inputs of variance 1.
    assert sd[0] == pytest.approx(math.sqrt((8 + 1) / 24), rel=0.1) and sd[-1] < 0.2


def test_mean_field_of_relu_is_one_but_for_the_bias():
    assert criticality.mean_field("relu", 1.0, 10**9) == pytest.approx(1.0, abs=1e-6)
    assert criticality.mean_field("relu", 1.0, 2) == pytest.approx(math.sqrt(0.5), abs=1e-6)


def test_mean_field_of_tanh_agrees_with_sampling():
    z = 1.5 * torch.randn(10**6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    slope = 1.5 * (1 - z.tanh() ** 2)
    sampled = (slope.square().mean() / (z.tanh().square().mean() + 1 / 64)).sqrt()
    assert criticality.mean_field("tanh", 1.5, 64) == pytest.approx(float(sampled), rel=5e-3)


def test_gain_follows_mean_field(found):
    arrays = found[0].arrays
    np.testing.assert_allclose(arrays["gain"][..., 0], arrays["gain_theory"], rtol=0.12)


@pytest.mark.parametrize(
    "change",
    [
        {"depths": (2, 4)},
        {"gains": (1.0, 2.0)},
        {"input_scales": (2.0,)},
        {"depth": 4},
        {"width": 16},
        {"input_dim": 3},
        {"sizes": (6, 4)},
        {"samples": 3},
        {"draws": 2},
        {"difference_steps": (1e-2,)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_changes_the_outcome(change, base):
    assert set(change) <= {field.name for field in dataclasses.fields(criticality.Config)}
    other = criticality.run(dataclasses.replace(TINY, **change), seed=0, context=RunContext())
    assert any(not np.array_equal(base.arrays[name], held) for name, held in other.arrays.items())

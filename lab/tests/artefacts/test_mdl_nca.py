"""Appendix D, second half: both readouts along the training of the neural automaton."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from learnable_novelty.seeds import split
from novelty_lab.context import RunContext
from novelty_lab.paper.app_d_exact_readout import nca as mdl_nca
from novelty_lab.paper.fig3_neural.neural import from_vector, neural_observer
from novelty_lab.runner import run_experiment

TRAINING = {
    "hidden": 8,
    "batch": 8,
    "channels": 12,
    "depth": 2,
    "steps": 6,
    "snapshots": 3,
    "width": 16,
    "burn_in": 4,
    "window": 2,
    "seeds": (4, 1),
    "updates": ("residual",),
    "draws": 1,
    "judged_samples": 8,
    "shown": 0,
    "shown_steps": 8,
    "wide": (32,),
    "wide_steps": 8,
    "meter_width": 48,
    "meter_steps": 96,
    "meter_rollouts": 1,
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("nca", "quick", root=root, overrides=TRAINING)[0], root


@pytest.fixture(scope="module")
def settings(trained):
    return {"source": trained[0].config, "samples": 12, "plateau": 4}


@pytest.fixture(scope="module")
def found(trained, settings):
    overrides = {**settings, "seeds": 2}
    return run_experiment("mdl-nca", "quick", root=trained[1], overrides=overrides)[0]


def minimize_by_gradient(features, targets, penalty):
    """Minimize eq. (mdl-objective) from the ridge readout, by nothing but its gradient."""
    m = features.shape[1]
    h = (features - features.mean(0)) / (features.std(0, correction=0) * math.sqrt(m))
    y = targets - targets.mean(0)
    ridge = torch.linalg.solve(h.T @ h + penalty * torch.eye(m, dtype=h.dtype), h.T @ y)
    # In the axes of the features, each scaled by its curvature: the faint ones keep pace.
    values, axes = torch.linalg.eigh(h.T @ h)
    scale = (values.clamp(min=0) + penalty).rsqrt()[:, None]
    start = (axes.T @ ridge) / scale
    point = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS(
        [point],
        max_iter=4000,
        history_size=40,
        tolerance_grad=1e-10,
        tolerance_change=0.0,
        line_search_fn="strong_wolfe",
    )

    def bits(weights):
        return torch.logdet(torch.eye(m, dtype=h.dtype) + weights @ weights.T) / 2 / math.log(2)

    def loss():
        optimizer.zero_grad()
        weights = axes @ (scale * point)
        # sigma^2 = lambda / (2 alpha eta) = lambda
        value = (y - h @ weights).square().sum() / (2 * penalty * math.log(2)) + bits(weights)
        value.backward()
        return value

    optimizer.step(loss)
    return float(bits(ridge)), float(bits(axes @ (scale * point)).detach())


def test_both_readouts_are_those_of_the_same_rows(trained, found):
    """Against an optimizer that knows the objective and nothing of the sweeps."""
    record, _ = trained
    table_4 = mdl_nca.neural_config(record)
    seed = split(0, "mdl-nca", 1, 0)
    rule = from_vector("residual", 8, 2, record.arrays["weights/residual-seed-1"][2])
    with torch.no_grad():
        inputs, targets = rule.sample(
            12,
            16,
            burn_in=4,
            noise=0.1,
            window=2,
            generator=torch.Generator().manual_seed(split(seed, "states")),
        )
        features = neural_observer(table_4, split(seed, "reservoir")).reservoir(inputs)
    rows = [values.mT.reshape(-1, values.shape[1]).double() for values in (features, targets)]
    ridge, exact = minimize_by_gradient(*rows, penalty=0.3)
    assert found.arrays["ridge"][1, 2, 0] == pytest.approx(ridge, rel=1e-9)
    assert found.arrays["exact"][1, 2, 0] == pytest.approx(exact, rel=1e-4)


def test_comparison_counts_correlates_and_takes_the_offset_on_the_plateau():
    ridge = np.array([[[1.0, 3.0], [5.0, 7.0], [8.0, 8.0]]])
    exact = np.array([[[2.0, 2.0], [9.0, 9.0], [10.0, 12.0]]])
    result = mdl_nca.compare(ridge, exact, np.array([False, True, True]))
    assert result["pairs"] == 6
    assert result["pairs_exact_not_below"] == 5
    assert result["ridge"] == [[2.0, 6.0, 8.0]]
    assert result["exact"] == [[2.0, 9.0, 11.0]]
    assert result["offset_by_checkpoint"] == [0.0, 3.0, 3.0]
    assert (result["offset"], result["offset_sd"], result["plateau_points"]) == (3.0, 0.0, 2)
    assert result["plateau_ridge"] == 7.0
    centred = np.array([2, 6, 8]) - 16 / 3, np.array([2, 9, 11]) - 22 / 3
    expected = (
        centred[0] @ centred[1] / math.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum())
    )
    assert result["pearson"] == pytest.approx(expected, rel=1e-12)
    still = mdl_nca.compare(ridge * 0, exact, np.array([False] * 3))
    assert still["pearson"] is None
    assert still["offset"] is None


CHANGES = [
    {"seeds": 2},
    {"draws": 1},
    {"samples": 10},
    {"tolerance": 1e-2},
    {"plateau": 6},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_every_field_changes_the_outcome(trained, settings, change):
    context = RunContext(records=trained[1])
    base = dataclasses.replace(mdl_nca.QUICK, **settings)
    first = mdl_nca.run(base, seed=0, context=context).results
    assert (
        mdl_nca.run(dataclasses.replace(base, **change), seed=0, context=context).results != first
    )
    # The source and the update name another record and another part of it: see above.
    names = {name for one in CHANGES for name in one} | {"source", "update"}
    assert names == {field.name for field in dataclasses.fields(mdl_nca.Config)}

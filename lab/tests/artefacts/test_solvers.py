"""Appendix E: the error and the cost of the solvers."""

import dataclasses

import numpy as np
import pytest
import torch

from learnable_novelty.observer.summary import Rows
from novelty_lab.context import RunContext
from novelty_lab.paper.app_e_solvers import experiment as solvers
from novelty_lab.paper.app_e_solvers import forms as solver_forms
from novelty_lab.runner import run_experiment

TINY = dataclasses.replace(
    solvers.QUICK,
    samples=24,
    width=4,
    window=1,
    ratios=(1e2, 1e4),
    long_samples=48,
    shapes=((32, 4, 2),),
    repeats=1,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("solvers", "quick", root=root)[0], root


@pytest.fixture(scope="module")
def base():
    return solvers.run(TINY, seed=0, context=RunContext())


def row(record, solver):
    return record.arrays["score_error"][:, record.results["solvers"].index(solver)]


def test_exact_agrees_with_a_hand_computed_case():
    # One centred feature of variance 1 and targets 2 x: H~'H~ = n, W = 2 n / (n + lambda).
    x = torch.tensor([[-1.0], [1.0], [-1.0], [1.0]], dtype=torch.float64)
    bits, readout = solver_forms.Exact(Rows(x, 2 * x)).solve(4.0)
    assert readout == pytest.approx(1.0)
    assert bits == pytest.approx(0.5)


def test_float32_gram_loses_more_than_float32_qr_on_collinear_features(found):
    errors = found[0].arrays["readout_error"]
    names = found[0].results["solvers"]
    case = list(found[0].results["cases"]).index("orbit")
    gram, qr = (errors[case, names.index(n), 1] for n in ("float32 Gram", "float32 QR"))
    assert np.isnan(gram) or gram > 3 * qr


def test_determinants_lose_digits_that_the_readout_keeps(found):
    assert np.nanmax(row(found[0], "determinants")) > 100 * row(found[0], "float64 Gram").max()


def test_the_limit_keeps_the_tolerance(found):
    limits = found[0].results["online_limit"]
    for limit in limits.values():
        assert limit["ratio"] in (0.0, *found[0].configuration["ratios"])
        assert limit["error"] <= found[0].configuration["tolerance"]


@pytest.mark.parametrize(
    ("errors", "ratio"),
    [([1e-9, 1e-8, 1e-7], 1e8), ([1e-9, 1e-3, 1e-9], 1e2), ([1e-3, 0.0, 0.0], 0.0)],
)
def test_the_limit_is_the_last_ratio_before_the_first_excess(errors, ratio):
    assert solvers.largest_within(np.array(errors), solvers.QUICK)["ratio"] == ratio


@pytest.mark.parametrize(
    "change",
    [
        {"samples": 25},
        {"width": 5},
        {"window": 2},
        {"ratios": (1e2, 1e5)},
        {"long_samples": 49},
        {"long_draws": 4},
        {"tolerance": 1e-30},
        {"shapes": ((32, 4, 2), (33, 4, 2))},
        {"target_dims": (4, 5)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_changes_the_outcome(change, base):
    assert set(change) <= {field.name for field in dataclasses.fields(solvers.Config)}
    other = solvers.run(dataclasses.replace(TINY, **change), seed=0, context=RunContext())

    def told(outcome):
        lengths = [len(outcome.results[key]) for key in ("milliseconds", "online_ms")]
        kept = {key: outcome.results[key] for key in ("bits", "online_error", "online_limit")}
        return kept, lengths

    assert told(other) != told(base)

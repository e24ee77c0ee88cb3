"""Appendix F.2: the score along a trajectory."""

import dataclasses

import numpy as np
import pytest

from novelty_lab.context import RunContext
from novelty_lab.paper.app_f_flows import temporal
from novelty_lab.runner import run_experiment

TINY = dataclasses.replace(temporal.QUICK, pairs=20, scale_samples=16, draws=1, checkpoints=3)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("temporal", "quick", root=root)[0], root


@pytest.fixture(scope="module")
def base():
    """Run on flows that settle at once: their start is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        for name, flow in temporal.BY_NAME.items():
            patch.setitem(temporal.BY_NAME, name, dataclasses.replace(flow, settle_time=0.0))
        yield temporal.run(TINY, seed=0, context=RunContext())


def test_online_equals_batch_at_every_checkpoint(found):
    record, _ = found
    assert record.results["largest_batch_difference"] < 1e-8
    at = np.array(record.results["checkpoints"]) - 1
    online = record.arrays["cumulative"][:, :, at]
    np.testing.assert_allclose(online, record.arrays["batch"], atol=1e-5)


def test_targets_are_the_next_states_of_the_trajectory():
    inputs, targets = temporal.trajectory_pairs(TINY, "Lorenz", 0)
    assert targets.shape == (TINY.pairs, 3 * TINY.window)
    futures = targets.reshape(TINY.pairs, TINY.window, 3)
    for lead in (1, 4):
        np.testing.assert_array_equal(futures[:-lead, lead - 1], inputs[lead:])


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": 21},
        {"interval": 0.2},
        {"window": 5},
        {"burn_in": 0.7},
        {"scale_samples": 17},
        {"width": 16},
        {"depth": 3},
        {"ridge_penalty": 0.1},
        {"resolution": 2.0},
        {"draws": 2},
        {"checkpoints": 4},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_changes_the_outcome(change, base):
    assert set(change) <= {field.name for field in dataclasses.fields(temporal.Config)}
    other = temporal.run(dataclasses.replace(TINY, **change), seed=0, context=RunContext())
    assert other.results != base.results or other.scores != base.scores

"""Appendix F: the experiment on flows."""

import dataclasses

import numpy as np
import pytest

from novelty_lab.context import RunContext
from novelty_lab.paper.app_f_flows import experiment as flows
from novelty_lab.runner import run_experiment

TINY = dataclasses.replace(
    flows.QUICK,
    samples=32,
    ensembles=2,
    draws=2,
    lorenz_initial_sds=(1.0,),
    settle_times=(0.0,),
    portrait_points=4,
    portrait_states=2,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("flows", "quick", root=root)[0], root


def test_every_chaotic_flow_scores_above_every_linear_one(found):
    record, _ = found
    chaotic = [bits for name, bits in record.scores.items() if record.results["chaotic"][name]]
    linear = [bits for name, bits in record.scores.items() if not record.results["chaotic"][name]]
    assert len(chaotic) == len(linear) == 3
    assert min(chaotic) > max(linear) > 0


def test_lorenz_scores_more_the_closer_it_starts_to_its_attractor(found):
    starts = [s for s in found[0].results["starts"] if s["flow"] == "Lorenz"]
    starts.sort(key=lambda s: (s["settle_time"], s["initial_sd"]))
    bits = [s["bits"] for s in starts]
    assert bits == sorted(bits)
    assert bits[-1] > 2 * bits[0]


def test_floor_and_denoised_bits_belong_to_the_same_observers(found):
    record, _ = found
    held = record.results
    for name, bits in record.scores.items():
        assert held["floor"][name] + held["excess"][name] == pytest.approx(bits, rel=1e-9)
        assert 0 < held["denoised"][name] <= bits * (1 + 1e-9)


@pytest.fixture(scope="module")
def base():
    """Run on flows that settle at once: their start is not what is tested here."""
    held = flows.FLOWS
    with pytest.MonkeyPatch.context() as patch:
        brief = tuple(dataclasses.replace(flow, settle_time=0.0) for flow in held)
        patch.setattr(flows, "FLOWS", brief)
        patch.setattr(flows, "BY_NAME", {flow.name: flow for flow in brief})
        yield flows.run(TINY, seed=0, context=RunContext())


@pytest.mark.parametrize(
    "change",
    [
        {"samples": 33},
        {"burn_in": 0.6},
        {"interval": 0.2},
        {"window": 5},
        {"width": 32},
        {"depth": 3},
        {"ridge_penalty": 0.2},
        {"resolution": 2.0},
        {"draws": 3},
        {"ensembles": 3},
        {"lorenz_initial_sds": (2.0,)},
        {"settle_times": (1.0,)},
        {"portrait_states": 3},
        {"portrait_times": (1.0,) * 6},
        {"portrait_points": 5},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_changes_the_outcome(change, base):
    assert set(change) <= {field.name for field in dataclasses.fields(flows.Config)}
    other = flows.run(dataclasses.replace(TINY, **change), seed=0, context=RunContext())
    same = other.results == base.results and other.scores == base.scores
    assert not (same and all(np.array_equal(base.arrays[k], v) for k, v in other.arrays.items()))

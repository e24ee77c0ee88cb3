"""Figure 3: training a neural automaton, judging and saving it."""

from __future__ import annotations

import dataclasses
import json
import os
import signal

import numpy as np
import pytest
import torch

from learnable_novelty.seeds import split
from novelty_lab.context import RunContext
from novelty_lab.paper.fig3_neural import experiment as nca
from novelty_lab.paper.fig3_neural.neural import (
    NeuralConfig,
    as_vector,
    evaluate,
    from_vector,
    neural_automaton,
    neural_observer,
    phase,
    train,
)
from novelty_lab.runner import run_experiment
from novelty_lab.systems.neural import NeuralCA

SMALL = {
    "hidden": 8,
    "batch": 8,
    "channels": 12,
    "depth": 2,
    "steps": 6,
    "learning_rate": 1e-2,
    "snapshots": 3,
    "width": 16,
    "burn_in": 4,
    "window": 2,
}
OVERRIDES = {
    **SMALL,
    "seeds": (0, 1),
    "updates": ("residual",),
    "judged_samples": 8,
    "shown_steps": 8,
    "wide": (32,),
    "wide_steps": 8,
    "meter_width": 48,
    "meter_steps": 96,
    "meter_rollouts": 1,
}
TINY = NeuralConfig(**SMALL)
RUN = dataclasses.replace(nca.QUICK, **OVERRIDES)


@pytest.fixture
def rule():
    """A rule whose moments have settled, so that its two modes can be compared."""
    made = neural_automaton(TINY, "residual", 3)
    made.burn_in(made.random_states(64, 16, generator=torch.Generator().manual_seed(0)), 8)
    return made


# Rules as vectors, pictures, and text


@pytest.mark.parametrize("update", ["residual", "direct"])
def test_a_rule_comes_back_from_its_vector(update):
    rule = NeuralCA(update, hidden=8, radius=1, seed=5)
    rule.burn_in(rule.random_states(9, 7, generator=torch.Generator()), 3)
    vector = as_vector(rule.state_dict())
    assert vector.shape == (sum(value.numel() for value in rule.state_dict().values()),)
    again = from_vector(update, 8, 1, vector)
    assert again.update == update
    assert again.training
    for name, value in rule.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)
    half = from_vector(update, 8, 1, vector.astype(np.float16))
    assert torch.equal(half.lift.weight, rule.lift.weight.half().float())


# Judging


def test_phase_turns_known_angles_into_steps_of_a_256th():
    turns = np.array([0, 1 / 256, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 255 / 256, -1 / 4, 0.9999, 2.25])
    angle = 2 * np.pi * turns
    field = np.stack([np.cos(angle), np.sin(angle)])
    assert phase(field).dtype == np.uint8
    assert phase(field).tolist() == [0, 1, 32, 64, 128, 192, 255, 192, 0, 64]
    assert phase(np.stack([field, -field])).shape == (2, 10)
    assert phase(-field).tolist() == [(step + 128) % 256 for step in phase(field).tolist()]


@pytest.mark.parametrize("training", [True, False], ids=["batch moments", "fixed rule"])
def test_a_rule_is_judged_in_float64_in_the_mode_that_it_is_in(rule, training):
    rule.train(training)
    before = as_vector(rule.state_dict())
    found = evaluate(TINY, rule, 7, 2, samples=10)
    np.testing.assert_array_equal(as_vector(rule.state_dict()), before)
    assert rule.training is training
    twin = NeuralCA("residual", hidden=8).double().train(training)
    twin.load_state_dict(rule.state_dict())
    inputs, targets = twin.sample(
        10,
        16,
        burn_in=4,
        noise=0.1,
        window=2,
        generator=torch.Generator().manual_seed(split(7, "evaluation", 2)),
    )
    observer = neural_observer(TINY, split(7, "evaluation reservoir", 2))
    assert found["bits"] == pytest.approx(float(observer(inputs, targets).detach()), rel=1e-12)
    assert 0 < found["explained_variance"] < 1


# Training

CHANGES = [
    {"width": 12},
    {"hidden": 6},
    {"radius": 1},
    {"burn_in": 5},
    {"burn_in_statistics": "running"},
    {"noise": 0.2},
    {"renormalize_noise": True},
    {"window": 3},
    {"batch": 9},
    {"steps": 5},
    {"learning_rate": 2e-2},
    {"weight_decay": 0.5},
    {"score_scale": 1e-6},
    {"clip": 1e-4},
    {"clip_by": "value"},
    {"initial_weights": 3.0},
    {"initial_projection": 0.1},
    {"channels": 10},
    {"depth": 3},
    {"ridge_penalty": 0.1},
    {"linear_last": False},
    {"target_unit": 0.5},
]


def trained(config):
    automaton, found = train(config, "residual", 0, "cpu")
    return found.scores, as_vector(automaton.state_dict()).tobytes(), sorted(found.snapshots)


@pytest.fixture(scope="module")
def base():
    # Clipped, or the bound would not be felt.
    return trained(dataclasses.replace(TINY, clip=1e-3))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_every_field_changes_what_is_trained(change, base):
    found = trained(dataclasses.replace(TINY, **{"clip": 1e-3, **change}))
    assert found[1] != base[1]


# The experiment


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    return run_experiment("nca", "quick", root=root, overrides=OVERRIDES), root


def timeless(record):
    """What a run found, without how long that took."""
    values = json.loads(json.dumps(record.to_json()))
    values.pop("wall_time_s")
    for run in values["results"]["runs"].values():
        run.pop("seconds")
    return values


@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_a_run_cut_off_in_the_middle_and_resumed_gives_the_same_record(tmp_path, record, how):
    def cut(text, done, of):
        if text.startswith("residual seed 1") and done == 4:
            if how == "killed":  # at once, before the step is saved
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGINT)

    held = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_experiment("nca", "quick", root=tmp_path, overrides=OVERRIDES, detail=cut)
    finally:
        signal.signal(signal.SIGINT, held)
    (journal,) = tmp_path.glob("nca/.*.partial")
    tasks = [json.loads(line)["task"] for line in journal.read_text().splitlines() if line]
    assert tasks == ["residual seed 0"]
    steps = sorted(path.stem for path in tmp_path.glob("nca/.*.work/residual-seed-1/*.pt"))
    assert steps[-1] == ("step-000005" if how == "interrupted" else "step-000002")
    seen = []
    found, _ = run_experiment(
        "nca",
        "quick",
        root=tmp_path,
        overrides=OVERRIDES,
        resume=True,
        detail=lambda text, done, of: seen.append((text.split(":")[0], done)),
    )
    assert {name for name, _ in seen} == {"residual seed 1"}
    assert min(done for _, done in seen) > 2
    assert timeless(found) == timeless(record[0][0])
    for name, array in record[0][0].arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
    assert not list(tmp_path.glob("nca/.*"))


OWN = [
    {"updates": ("direct",)},
    {"seeds": (1,)},
    {"draws": 1},
    {"judged_samples": 12},
    {"shown": 0},
    {"shown_steps": 9},
    {"wide": (33,)},
    {"wide_steps": 9},
    {"meter_width": 50},
    {"meter_steps": 110},
    {"meter_rollouts": 2},
]


@pytest.mark.parametrize("change", OWN, ids=lambda change: next(iter(change)))
def test_every_own_field_changes_the_outcome(change, record):
    config = dataclasses.replace(RUN, **{"seeds": (0,), **change})
    found = nca.run(config, seed=0, context=RunContext())
    base = record[0][0]
    runs = [{k: v for k, v in r.items() if k != "seconds"} for r in found.results["runs"].values()]
    expected = base.results["runs"]["residual seed 0"]
    shapes = {name: array.shape for name, array in found.arrays.items()}
    same_arrays = all(shapes.get(n) == a.shape for n, a in base.arrays.items() if n[-1] == "0")
    assert not (same_arrays and runs == [{k: v for k, v in expected.items() if k != "seconds"}])
    own = {f.name for f in dataclasses.fields(nca.Config)}
    own -= {f.name for f in dataclasses.fields(NeuralConfig)}
    assert own == {name for one in OWN for name in one}

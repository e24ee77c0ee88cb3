"""What is compared with the observer that grows: functions, learners, sets, and structure."""

import dataclasses
import importlib.util
import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from novelty_lab.context import RunContext
from novelty_lab.studies.growing import epiplexity, experiment
from novelty_lab.studies.growing.functions import FUNCTIONS, NOISE
from novelty_lab.studies.growing.learners import LEARNERS, held_out
from novelty_lab.studies.growing.sets import SCIKIT_LEARN, SETS, load
from novelty_lab.systems.elementary import ElementaryRule


def random():
    return np.random.default_rng(0)


def test_functions_are_what_their_names_say():
    x, y = FUNCTIONS["product of 3 of 12 signs"](100, random())
    assert (y[:, 0] == x[:, 0] * x[:, 1] * x[:, 2]).all()
    x, y = FUNCTIONS["sum modulo 7"](100, random())
    a, b = x[:, :7].argmax(1), x[:, 7:].argmax(1)
    assert ((a + b) % 7 == y.argmax(1)).all()
    x, y = FUNCTIONS["logistic map, 4 steps"](100, random())
    assert y[:, 0] == pytest.approx(np.sin(16 * np.arcsin(np.sqrt(x[:, 0]))) ** 2)
    x, y = FUNCTIONS["Hénon map, 6 steps"](100, random())
    for _ in range(6):
        x = np.column_stack([1 - 1.4 * x[:, 0] ** 2 + x[:, 1], 0.3 * x[:, 0]])
    assert y == pytest.approx(x)


@pytest.mark.parametrize("name", NOISE)
def test_noise_does_not_depend_on_the_inputs(name):
    x, y = NOISE[name](4000, random())
    assert abs(spearmanr(x[:, 0], y[:, 0])[0]) < 4 / math.sqrt(4000)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_predict_a_line_on_new_rows(name):
    x = random().standard_normal((300, 3))
    y = x @ np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 0.0]])
    found = held_out(name, x[:200], y[:200], x[200:], y[200:], 0)
    if name == "xRFM" and importlib.util.find_spec("xrfm") is None:
        assert found == {"r2": None, "seconds": None}
    else:
        assert (found["r2"] or 0) > (0.75 if name == "boosted trees" else 0.9)


def test_sets_have_numbers_or_classes_as_they_say():
    for one in [one for one in SETS if one.package == SCIKIT_LEARN]:
        x, y = load(one, 300, 0)
        assert np.isfinite(x).all()
        assert (y.shape[1] > 1) == one.is_class


def test_found_is_the_share_of_small_p_values(monkeypatch):
    p = iter([0.04, 0.05, 0.06, 0.5])
    row = {"held out": 0.25, "excess": 2.0, "grown": True, "seconds": 1.0}
    monkeypatch.setattr(experiment, "_scored", lambda *_: row | {"p": next(p)})
    config = dataclasses.replace(experiment.QUICK, level_repeats=4)
    found = experiment.grow_on_noise(config, "t2", 100, 0)
    expected = {"found": 0.5, "grown": 1.0, "held out": 0.25, "excess": 2.0, "seconds": 1.0}
    assert found == expected | {"repeats": 4}


def test_structure_of_coins_is_small_and_that_of_a_copy_is_not():
    x = random().integers(0, 2, (2048, 4)).astype(float)
    coins = np.random.default_rng(1).integers(0, 2, (2048, 1)).astype(float)
    constant = np.ones((2048, 2))

    def halves(y: np.ndarray):
        return (x[:1024], y[:1024]), (x[1024:], y[1024:])

    for grows in (False, True):
        noise, copy, none = (
            epiplexity.structure(*halves(y), grows=grows, seed=0)
            for y in (coins, x[:, :1], constant)
        )
        assert abs(noise["structure"]) < 20
        assert noise["total"] == pytest.approx(1024, rel=0.05)
        assert copy["total"] < 2 * epiplexity.FIRST_BLOCK
        assert copy["structure"] == pytest.approx(epiplexity.FIRST_BLOCK, rel=0.5)
        assert set(none.values()) == {0.0}


def test_windows_are_cells_and_their_future():
    x, y = epiplexity.windows_of_rule(30, 200, random())
    table = ElementaryRule(30).table
    assert (table[(4 * x[:, 1] + 2 * x[:, 2] + x[:, 3]).astype(int)] == y[:, 0]).all()


def test_agreement_is_of_means_over_data_sets_and_a_learner_agrees_with_itself():
    draw = random()
    rows = [
        {"rule": rule, "learner": learner, "seed": seed}
        | {key: rule + noise * draw.standard_normal() for key in ("model", "structure")}
        for seed in range(4)
        for rule in range(20)
        for learner, noise in {"frozen": 0.0, "growing": 20.0, "network": 3.0}.items()
    ]
    found = {(row["learner"], row["measure"]): row for row in epiplexity.agreement(rows)}

    def means(learner: str) -> list[float]:
        own = [row for row in rows if row["learner"] == learner]
        return [float(np.mean([r["structure"] for r in own if r["rule"] == k])) for k in range(20)]

    expected = spearmanr(means("growing"), means("network"))[0]
    assert found["growing", "structure"]["network"] == pytest.approx(expected)
    assert found["frozen", "structure"]["itself"] == pytest.approx(1)
    assert found["network", "structure"]["itself"] < 1


def test_a_quick_run_compares_every_learner_with_the_network():
    found = epiplexity.run(epiplexity.QUICK, seed=0, context=RunContext()).results
    network = found["agreement"][-1]
    assert (network["learner"], network["rules"]) == ("network", 3)
    assert network["network"] == pytest.approx(1)

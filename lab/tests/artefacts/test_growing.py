"""What is compared with the observer that grows: functions, learners and sets."""

import dataclasses
import importlib.util
import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from novelty_lab.studies.growing import experiment
from novelty_lab.studies.growing.functions import FUNCTIONS, NOISE
from novelty_lab.studies.growing.learners import LEARNERS, held_out
from novelty_lab.studies.growing.sets import SCIKIT_LEARN, SETS, load


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

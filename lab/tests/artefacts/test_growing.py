"""What is compared with the observer that grows: functions, learners and data sets."""

import importlib.util

import numpy as np
import pytest

from novelty_lab.context import RunContext
from novelty_lab.studies.growing import experiment, figure
from novelty_lab.studies.growing.functions import FUNCTIONS, NOISE
from novelty_lab.studies.growing.learners import LEARNERS, held_out
from novelty_lab.studies.growing.sets import SCIKIT_LEARN, SETS, load


@pytest.mark.parametrize("name", [*FUNCTIONS, *NOISE])
def test_functions_make_as_many_rows_as_asked_for(name):
    x, y = (FUNCTIONS | NOISE)[name](50, np.random.default_rng(0))
    assert len(x) == len(y) == 50
    assert np.isfinite(x).all()
    assert y.std() > 0


def test_functions_are_what_their_names_say():
    random = np.random.default_rng(0)
    x, y = FUNCTIONS["product of 3 of 12 signs"](100, random)
    assert (y[:, 0] == x[:, 0] * x[:, 1] * x[:, 2]).all()
    x, y = FUNCTIONS["sum modulo 7"](100, random)
    a, b = x[:, :7].argmax(1), x[:, 7:].argmax(1)
    assert ((a + b) % 7 == y.argmax(1)).all()
    x, y = FUNCTIONS["logistic map, 4 steps"](100, random)
    assert y[:, 0] == pytest.approx(np.sin(16 * np.arcsin(np.sqrt(x[:, 0]))) ** 2)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_predict_a_line_on_new_rows(name):
    random = np.random.default_rng(0)
    x = random.standard_normal((300, 3))
    y = x @ np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 0.0]])
    found = held_out(name, x[:200], y[:200], x[200:], y[200:], 0)
    if name == "xRFM" and importlib.util.find_spec("xrfm") is None:
        assert found == {"r2": None, "seconds": None}
    else:
        assert found["r2"] > (0.75 if name == "boosted trees" else 0.9)


def test_sets_have_numbers_or_classes_as_they_say():
    assert len(SETS) >= 20
    for one in [one for one in SETS if one.package == SCIKIT_LEARN]:
        x, y = load(one, 300, 0)
        assert np.isfinite(x).all()
        assert (y.shape[1] > 1) == one.is_class


@pytest.mark.slow
def test_a_quick_run_has_every_table_and_a_figure():
    class Record:
        results = experiment.run(experiment.QUICK, seed=0, context=RunContext()).results

    assert len(figure.tables(Record)) == 5
    assert figure.figure(Record).axes

"""The data of the findings about epiplexity, and how they are measured."""

import numpy as np
import pytest

from novelty_lab.context import RunContext
from novelty_lab.studies.growing import data
from novelty_lab.studies.growing import epiplexity as experiment
from novelty_lab.studies.growing import epiplexity_figure as figure
from novelty_lab.studies.growing.structure import FIRST_BLOCK, structure
from novelty_lab.systems.elementary import ElementaryRule


def test_structure_of_coins_is_small_and_that_of_a_copy_is_not():
    random = np.random.default_rng(0)
    x = random.integers(0, 2, (2048, 4)).astype(float)
    coins = random.integers(0, 2, (2048, 1)).astype(float)

    def halves(y: np.ndarray):
        return (x[:1024], y[:1024]), (x[1024:], y[1024:])

    for grows in (False, True):
        noise = structure(*halves(coins), grows=grows, seed=0)
        copy = structure(*halves(x[:, :1]), grows=grows, seed=0)
        assert abs(noise["structure"]) < 20
        assert noise["total"] == pytest.approx(1024, rel=0.05)
        assert copy["total"] < 2 * FIRST_BLOCK
        assert copy["structure"] == pytest.approx(FIRST_BLOCK, rel=0.5)


def test_constant_targets_have_no_structure():
    constant = np.eye(100), np.ones((100, 2))
    found = structure(constant, constant, grows=True, seed=0)
    assert set(found.values()) == {0.0}


def test_windows_are_cells_and_their_future():
    x, y = data.windows_of_rule(30, 200, 1, range(1, 2), np.random.default_rng(0))
    table = ElementaryRule(30).table
    assert (table[(4 * x[:, 0] + 2 * x[:, 1] + x[:, 2]).astype(int)] == y[:, 0]).all()


def test_hidden_bits_are_not_shown():
    shapes = [x.shape for x, _ in data.hidden_bits(3, 50, np.random.default_rng(0))]
    assert shapes == [(50, 9 + place) for place in range(12)]


def test_hidden_rows_are_zero_and_shown_ones_are_probabilities():
    x, y = data.hidden_rows(0, 400, np.random.default_rng(0))
    assert x[:, :8].sum(1) == pytest.approx(1)
    assert (y.sum(1) == 1).all()
    chosen = (x[:, :8] * y).sum(1).mean()
    assert chosen == pytest.approx((x[:, :8] ** 2).sum(1).mean(), abs=0.05)
    assert not data.hidden_rows(8, 50, np.random.default_rng(0))[0][:, :8].any()


def test_an_order_is_tested_against_chance():
    rows = [
        {"finding": f, "case": c, "learner": o, "seed": s, "structure": v, "model": -v}
        for f, cases in {"rules": (3, 2, 1), "time": (1, 2), "hidden bits": (1, 2)}.items()
        for c, v in enumerate(cases)
        for o in experiment.LEARNERS
        for s in range(4)
    ] + [
        {"finding": "hidden symbols", "case": c, "learner": o, "seed": s, "structure": v}
        | {"model": v}
        for c, v in enumerate((1, 3, 2))
        for o in experiment.LEARNERS
        for s in range(4)
    ]
    found = {(r["finding"], r["measure"]): r for r in experiment.orders(rows)}
    assert found["rules", "structure"]["p"] == pytest.approx(6**-4)
    assert found["rules", "model"]["p"] == 1
    assert found["hidden symbols", "model"]["p"] == pytest.approx(3**-4)


def test_agreement_is_of_means_over_data_sets_and_a_learner_agrees_with_itself():
    random = np.random.default_rng(0)
    rows = [
        {"finding": "automata", "case": str(rule), "learner": learner, "seed": seed}
        | {key: rule + noise * random.standard_normal() for key in ("model", "structure")}
        for seed in range(4)
        for rule in range(20)
        for learner, noise in {"frozen": 0.0, "growing": 20.0, "network": 3.0}.items()
    ]
    found = {(row["learner"], row["measure"]): row for row in experiment.agreement(rows)}
    frozen, growing = found["frozen", "structure"], found["growing", "structure"]
    assert frozen["itself"] == pytest.approx(1)
    assert growing["network"] < frozen["one data set"] < frozen["network"] < 1
    assert found["network", "structure"]["network"] == pytest.approx(1)
    assert found["network", "structure"]["itself"] < 1


def test_a_quick_run_has_tables_and_a_figure():
    class Record:
        results = experiment.run(experiment.QUICK, seed=0, context=RunContext()).results

    assert len(figure.tables(Record)) == 2
    assert len(figure.figure(Record).axes) == 10
    network = Record.results["agreement"][-1]
    assert network["learner"] == "network"
    assert network["network"] == pytest.approx(1)
    assert network["rules"] == 3

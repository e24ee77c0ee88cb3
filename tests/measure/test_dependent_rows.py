"""Rows that are alike are tested by blocks, and the first sentence says so."""

import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.measure.dependent_rows import block_length, repeated_inputs


def autoregression(g, n, past, columns):
    noise = g.standard_normal((n + 100, columns))
    for t in range(1, n + 100):
        noise[t] += past * noise[t - 1]
    return noise[100:]


def is_found(g, n, make):
    x, y = (torch.from_numpy(values) for values in make(g, n))
    return block_length(x, y, is_dated=False) is not None


def sorted_by(column):
    def make(g, n):
        x = g.standard_normal((n, 3))
        y = x[:, :1] + g.standard_normal((n, 1))
        order = np.argsort(np.hstack([x, y])[:, column])
        return x[order], y[order]

    return make


def sorted_by_class(g, n):
    label = np.arange(n) * 3 // n
    x = label[:, None] * g.uniform(0, 2, 4) + g.standard_normal((n, 4))
    return x, np.eye(3)[label]


CLEAN = {
    "noise": lambda g, n: (g.standard_normal((n, 6)), g.standard_normal((n, 1))),
    "heavy tails": lambda g, n: (g.standard_cauchy((n, 6)), g.standard_cauchy((n, 1))),
    "sorted by an input": sorted_by(0),
    "sorted by the target": sorted_by(3),
    "sorted by a class": sorted_by_class,
    "inputs alone": lambda g, n: (autoregression(g, n, 0.8, 3), g.standard_normal((n, 1))),
}


@pytest.mark.parametrize("name", CLEAN)
def test_independent_rows_are_not_taken_for_a_series(name):
    found = sum(is_found(np.random.default_rng(seed), 200, CLEAN[name]) for seed in range(40))
    assert found <= 4  # one in ten


def test_memory_and_walks_are_seen():
    for seed in range(10):
        g = np.random.default_rng(seed)
        both = autoregression(g, 300, 0.6, 4)
        assert is_found(g, 300, lambda *_, both=both: (both[:, :3], both[:, 3:]))
        walks = g.standard_normal((300, 4)).cumsum(0)
        result = ln.score(walks[:, :3], walks[:, 3], draws=1, null=19)
        assert result.p_value is None
        assert result.verdict.startswith("no p-value: neighbouring rows are alike")


def test_blocks_are_tested_and_held_out_and_the_verdict_says_so():
    both = autoregression(np.random.default_rng(0), 400, 0.6, 3)
    related = ln.score(both[:, :2], both[:, 2] + both[:, 0], draws=1, null=99)
    assert related.p_value == 0.01
    assert "blocks of rows, because neighbouring rows are alike" in related.verdict
    small = 0
    for seed in range(12):
        x, y = np.split(autoregression(np.random.default_rng(seed), 300, 0.6, 3), [2], axis=1)
        small += ln.score(x, y, draws=1, null=99).p_value <= 0.05
    assert small <= 2


def test_dated_rows_are_put_in_order_first():
    g = np.random.default_rng(0)
    walks = pd.DataFrame(g.standard_normal((300, 3)).cumsum(0), columns=list("abc"))
    walks["day"] = pd.date_range("2020", periods=300)
    found = ln.score(walks.sample(frac=1, random_state=0), "c", draws=1, null=19)
    assert found.verdict.startswith("no p-value: dated rows are alike")


def test_a_column_that_names_patients_makes_groups():
    g = np.random.default_rng(0)
    patient = g.permutation(np.arange(30).repeat(10))
    values = g.standard_normal((30, 3))[patient] + 0.3 * g.standard_normal((300, 3))
    frame = pd.DataFrame(values, columns=list("abc")).assign(patient=patient)
    found = ln.score(frame, "c", draws=1, null=99)
    assert found.tested_by == "by 30 groups of rows" and found.p_value > 0.05
    assert ln.score(frame, "c", groups="patient", draws=1, null=99).p_value == found.p_value
    table = ln.read_table(frame)
    assert table.groups.name == "patient" and table.decisions[0].option == "keep=patient"
    assert ln.score(ln.read_table(frame, keep="patient"), "c", draws=1, null=99).tested_by == ""


def test_equal_inputs_are_groups_unless_few_values_make_them_so():
    g = np.random.default_rng(0)
    labels = repeated_inputs(torch.from_numpy(g.standard_normal((40, 2)).repeat(5, axis=0)))
    np.testing.assert_array_equal(np.bincount(labels), 5)
    assert repeated_inputs(torch.from_numpy(g.integers(0, 4, (300, 4)).astype(float))) is None

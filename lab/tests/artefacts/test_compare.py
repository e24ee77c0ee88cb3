"""Rank correlations, and what the comparison is made of."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from novelty_lab.rank_correlation import spearman
from novelty_lab.studies.rivals import experiment as compare
from novelty_lab.studies.rivals.correlations import correlate
from novelty_lab.systems.dysts_flows import CollectedFlow


def test_spearman_is_scipys_with_ties_and_infinities():
    generator = np.random.default_rng(0)
    x = generator.integers(0, 6, (20, 30)).astype(float)
    y = x + generator.integers(0, 9, (20, 30))
    x[3, :4] = np.inf
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(np.minimum(x, 99), y, strict=True)]
    assert spearman(x, y) == pytest.approx(expected, rel=1e-12)
    assert spearman(np.ones((1, 5)), y[:1, :5])[0] == 0.0


def test_rates_are_turned_into_rates_per_period_and_dimensions_are_not():
    periods = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    systems = [
        CollectedFlow(str(i), 3, float(p), False, {"lyapunov": 1 / p**0.5, "kaplan_yorke": -p})
        for i, p in enumerate(periods.tolist())
    ]
    values = {"rising": {str(i): float(i) for i in range(5)}, "short": {"0": 1.0}}
    for per_period, sign in ((True, 1.0), (False, -1.0)):
        found = {
            (f["measure"], f["figure"]): f for f in correlate(values, systems, per_period, 50, 0)
        }
        assert found["rising", "lyapunov"]["rho"] == pytest.approx(sign)
        assert found["rising", "kaplan_yorke"]["rho"] == pytest.approx(-1.0)
        assert found["rising", "lyapunov"]["n"] == 5
        assert ("short", "lyapunov") not in found


def test_rings_are_cut_into_every_state_and_its_future():
    config = dataclasses.replace(compare.QUICK, rings=2, ring_steps=40)
    cells = compare.make_rings(config, "automaton", "110", 0)
    assert cells.shape == (40, 2, 64)
    left, right = np.roll(cells, 1, -1), np.roll(cells, -1, -1)
    table = np.array([(110 >> i) & 1 for i in range(8)])
    assert (table[4 * left + 2 * cells + right][:-1] == cells[1:]).all()
    values = {r.key: r.value for r in compare.measure_rings(config, cells, "110", 0)}
    assert values["bits"] > 0
    assert 0 < values["lempel_ziv"] < 1.2


def test_noise_is_its_own_measure_of_being_fooled():
    def row(kind, name, sampling, value):
        values = {"bits": value, "prequential_total": 1.0}
        return {"kind": kind, "name": name, "sampling": sampling, "values": values}

    rows = [row("control", "white noise", "", 5.0)]
    rows += [row("flow", str(i), "period", float(i)) for i in range(10)]
    rows += [row("flow", "x", "fixed", "inf")]
    shares = compare._below_noise(rows, "flow")
    assert shares["period"]["bits"] == 0.5
    assert shares["fixed"]["bits"] == 0.0

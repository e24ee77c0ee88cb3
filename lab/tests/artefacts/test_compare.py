"""Rank correlations, and what the comparison is made of."""

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from novelty_lab import records
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


def test_a_flow_that_cannot_be_followed_is_said_and_stops_nothing(monkeypatch):
    def fail(*_):
        raise ArithmeticError("Lorenz left all bounds")

    monkeypatch.setattr(compare, "make_series", fail)
    row = compare.measure(compare.QUICK, "flow", "Lorenz", "period", 0)
    assert row["failed"] == "Lorenz left all bounds"
    assert row["values"] == {}


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


def test_the_committed_record_says_what_the_page_says():
    root = Path(__file__).parents[3] / "results"
    results = records.load(root / "compare" / "paper-seed0").results
    kinds = Counter((row["kind"], row["sampling"]) for row in results["rows"])
    assert kinds["automaton", ""] == 88
    assert kinds["flow", "period"] == kinds["flow", "fixed"] == 135
    assert not any("failed" in row for row in results["rows"])
    flows = results["below_noise"]["flow"]
    for sampling in compare.SAMPLINGS:
        assert flows[sampling]["bits"] > 0.9  # the raw score prefers noise to flows
        assert flows[sampling]["excess"] < 0.02
        assert flows[sampling]["evidence_excess"] == 0.0
        assert flows[sampling]["gzip"] > 0.98
    bits = {r["name"]: r["values"]["excess"] for r in results["rows"] if r["kind"] == "automaton"}
    assert max(bits, key=lambda rule: bits[rule]) == "110"
    still = {name for name, value in bits.items() if value == 0.0}
    assert still == {"0", "8", "32", "40", "60", "90", "128", "136", "160", "168"}

"""The life map: scores against the plain observer, blocks, settings, ranks, and what it records."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab.context import RunContext
from novelty_lab.studies.life_map import experiment as life_map
from novelty_lab.studies.life_map import results
from novelty_lab.studies.life_map.life import LifeConfig, life_observer, score_rules, vary
from novelty_lab.studies.life_map.stages import (
    mean_excess,
    score_all,
    scores,
)
from novelty_lab.systems.life import NUM_RULES, LifeRule
from novelty_lab.systems.life_catalogue import named_rules

TINY = LifeConfig(
    grid=13, samples=4, burn_in=10, window=3, channels=8, draws=2, floor_repeats=2, null_repeats=2
)
CODES = [LifeRule(text).number for text in ("B3/S23", "B36/S125", "B/S", "B0123/S8", "B2/S")]


def history_of(code, config, soups):
    """States by the plain definition, (samples, window + 1, height, width)."""
    rule, cells = LifeRule(code), soups
    for _ in range(config.burn_in):
        cells = rule.step(cells)
    states = [cells]
    for _ in range(config.window):
        states.append(rule.step(states[-1]))
    return np.stack(states, axis=1)


def test_scores_are_those_of_the_plain_observer():
    held = life_observer(TINY, 5, 1, "cpu")
    found = score_rules(TINY, CODES, 5, 1)
    reservoir = held.torus.reservoir
    assert isinstance(reservoir, reservoirs.Conv2d)
    observer = Observer(reservoir, ridge_penalty=TINY.ridge_penalty)
    for place, code in enumerate(CODES):
        states = torch.from_numpy(history_of(code, TINY, held.soups.numpy())).double()
        rows = observer.rows(2 * states[:, :1] - 1, states[:, 1:])
        refit = observer.fit(rows)
        expected = {
            "bits": float(observer.bits(rows)),
            "floor": float(refit.rearranged(refit.noise(), iter(held.floor_orders))[0].mean()),
            "null": float(refit.rearranged(refit.targets, iter(held.null_orders))[0].mean()),
            "explained": refit.explained_variance(),
        }
        for name, value in expected.items():
            assert found[name][place] == pytest.approx(value, abs=1e-4)


def test_densities_and_changes_are_counted():
    held = life_observer(TINY, 5, 0, "cpu")
    found = score_rules(TINY, CODES, 5, 0)
    for place, code in enumerate(CODES):
        states = history_of(code, TINY, held.soups.numpy())
        assert found["density"][place] == pytest.approx(states.mean())
        changed = (states[:, 1:] != states[:, :-1]).mean()
        assert found["activity"][place] == pytest.approx(changed)
        later = (states[:, 2:] != states[:, :-2]).mean()
        assert found["change_in_two"][place] == pytest.approx(later)
        patterns = np.stack(
            [np.roll(states[:, 0], (a, b), (1, 2)) for a in (-1, 0, 1) for b in (-1, 0, 1)], -1
        )
        _, counts = np.unique(patterns.reshape(-1, 9), axis=0, return_counts=True)
        share = counts / counts.sum()
        assert found["entropy"][place] == pytest.approx(-(share * np.log2(share)).sum(), abs=1e-9)


@pytest.mark.parametrize(
    "change",
    [
        {"grid": 12}, {"samples": 5}, {"density": 0.3}, {"burn_in": 11}, {"window": 4},
        {"channels": 9}, {"depth": 2}, {"ridge_penalty": 0.1}, {"resolution": 2.0},
        {"linear_last": False}, {"states": "binary"}, {"floor_repeats": 1}, {"null_repeats": 1},
    ],
)  # fmt: skip
def test_every_setting_changes_the_measures(change):
    before, after = (score_rules(c, CODES[:2], 0, 0) for c in (TINY, vary(TINY, **change)))
    assert any((before[name] != after[name]).any() for name in before)


def test_blocks_add_up():
    codes = np.array(CODES)
    whole, parts = (score_all(RunContext(), "map", TINY, codes, 0, block) for block in (99, 2))
    for name in ("bits", "floor", "null"):
        assert whole[name].shape == (2, len(codes))
        np.testing.assert_allclose(whole[name], parts[name], atol=1e-5)
    np.testing.assert_allclose(
        mean_excess(whole), (whole["bits"] - whole["floor"]).mean(0), atol=1e-6
    )


def test_intervals_are_students():
    stats = pytest.importorskip("scipy.stats")
    data = np.random.default_rng(0).standard_normal((8, 3))
    low, high = stats.t.interval(0.95, 7, data.mean(0), stats.sem(data, axis=0))
    np.testing.assert_allclose(results.half_widths(data), (high - low) / 2, rtol=1e-9)


def test_lambdas_are_those_of_the_rules():
    codes = np.random.default_rng(1).permutation(NUM_RULES)[:50]
    patterns = np.array(list(itertools.product((0, 1), repeat=9)), dtype=np.uint8).reshape(-1, 3, 3)
    # The centre of a 3 x 3 torus has all other cells for neighbours.
    expected = [LifeRule(int(code)).step(patterns)[:, 1, 1].mean() for code in codes]
    np.testing.assert_allclose(results.langton(codes), expected)


def test_agreement_of_draws_is_their_correlation():
    generator = np.random.default_rng(2)
    rules, draws = generator.standard_normal(5000), generator.standard_normal((2, 5000))
    values = 2 * rules + draws
    assert results.agreement(values) == pytest.approx(0.8, abs=0.02)
    assert results.agreement(values) == pytest.approx(np.corrcoef(values).min(), abs=0.01)
    assert results.agreement(values[:1]) is None
    assert results.agreement(np.ones((2, 5))) is None


SMALL = dataclasses.replace(
    life_map.QUICK, grid=11, samples=2, burn_in=6, window=2, channels=4, rules=110,
    again_grid=13, again_draws=2, again_share=0.5,
)  # fmt: skip


def test_a_small_map_records_what_it_must():
    outcome = life_map.run(SMALL, seed=0, context=RunContext())
    found, arrays = outcome.results, outcome.arrays
    assert found["rules"] == 110
    assert len(found["named"]) == len(named_rules())
    held = scores(SMALL, 0, RunContext())
    excess = mean_excess(held.measures)
    grain = found["grain"]
    recorded = arrays["bits"] * grain["bits"] - arrays["floor"] * grain["floor"]
    np.testing.assert_allclose(recorded, excess, atol=0.011)
    life_row = next(row for row in found["named"] if row["name"] == "Life")
    place = int(np.flatnonzero(held.codes == 224)[0])
    assert life_row["measures"]["excess"] == pytest.approx(excess[place])
    ties = (excess == excess[place]).sum()
    second = mean_excess(held.again)
    own = second[held.again_codes == 224]
    assert life_row["again_excess"] == pytest.approx(float(own[0]))
    assert life_row["again_rank"] == 1 + (second > own).sum()
    assert life_row["ranks"]["excess"] == (excess > excess[place]).sum() + (ties + 1) / 2

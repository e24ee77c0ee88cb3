"""Counted patterns must equal the plain path that computes features for every site."""

import dataclasses

import numpy as np
import pytest
import torch

from novelty_lab.paper.fig2_automata import automata
from novelty_lab.paper.fig2_automata.automata import AutomatonConfig
from novelty_lab.systems.elementary import unpack_cells

SMALL = AutomatonConfig(samples=20, burn_in=20, window=5, channels=24, draws=1)


def plain_pair(history):
    cells = torch.from_numpy(np.moveaxis(unpack_cells(history), 0, 1)).double()
    return cells[:, :1], cells[:, 1:]


@pytest.mark.parametrize("rule", [110, 30, 54, 15, 0, 204])
@pytest.mark.parametrize(("depth", "kernel_size"), [(1, 3), (2, 3), (3, 3), (2, 7)])
def test_counted_sites_score_like_every_site(rule, depth, kernel_size):
    config = dataclasses.replace(SMALL, depth=depth, kernel_size=kernel_size)
    observer = automata.automaton_observer(config, 0, 0)
    history = automata.sample_rule(config, rule, 0, 0)
    counted = observer.bits(automata.rule_rows(observer, history))
    plain = observer(*plain_pair(history))
    assert float(counted) == pytest.approx(float(plain), rel=1e-10, abs=1e-12)


def test_counted_floor_equals_that_of_every_site():
    observer = automata.automaton_observer(SMALL, 0, 0)
    history = automata.sample_rule(SMALL, 30, 0, 0)
    counted = automata.floor_bits(observer, history, repeats=1, seed=3)
    inputs, targets = plain_pair(history)
    refit = observer.fit(observer.rows(inputs, targets))
    residual = refit.noise().reshape(SMALL.samples, 64, -1)
    # The same rearrangement, ring by ring: find where each moved ring came from.
    moved = automata.move_rings(history, automata.numpy_generator(3, "floor", 0))
    cells, moved_cells = unpack_cells(history), unpack_cells(moved)
    rearranged = torch.empty_like(residual)
    for ring in range(SMALL.samples):
        source, shift = next(
            (s, k)
            for s in range(SMALL.samples)
            for k in range(64)
            if np.array_equal(np.roll(cells[:, s], k, axis=-1), moved_cells[:, ring])
        )
        rearranged[ring] = residual[source].roll(shift, 0)
    plain = observer(inputs, rearranged.movedim(-1, 1))
    assert counted == pytest.approx(float(plain), rel=1e-6)


def test_moving_rings_keeps_each_history_whole():
    history = automata.sample_rule(SMALL, 110, 0, 0)
    moved = automata.move_rings(history, np.random.default_rng(0))
    before = sorted(np.bitwise_count(column).tolist() for column in history.T)
    after = sorted(np.bitwise_count(column).tolist() for column in moved.T)
    assert before == after


@pytest.mark.parametrize(
    "change",
    [
        {"samples": 30},
        {"burn_in": 21},
        {"window": 6},
        {"channels": 25},
        {"depth": 2},
        {"kernel_size": 5},
        {"ridge_penalty": 0.1},
        {"resolution": 2.0},
        {"linear_last": False},
    ],
)
def test_every_setting_of_the_automaton_observer_changes_the_score(change):
    def score(config):
        observer = automata.automaton_observer(config, 0, 0)
        history = automata.sample_rule(config, 110, 0, 0)
        return float(observer.bits(automata.rule_rows(observer, history)))

    assert score(dataclasses.replace(SMALL, **change)) != score(SMALL)

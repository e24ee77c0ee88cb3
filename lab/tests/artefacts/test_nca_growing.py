"""The automaton against an observer that grows: when it grows, what it costs, and resuming."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from scipy import stats
from torch.utils.flop_counter import FlopCounterMode

from learnable_novelty.observer import Focused, reservoirs
from novelty_lab.context import TaskContext
from novelty_lab.studies.growing.nca_growing import experiment, together
from novelty_lab.studies.growing.nca_growing.figure import half_interval, interval
from novelty_lab.studies.growing.nca_growing.summary import spread, summarize
from novelty_lab.studies.growing.nca_growing.together import (
    climb_together,
    first_observer,
    has_stalled,
    observer_cost,
)

RULE = {"smooth": 10, "rise": 0.5, "patience": 30}
TINY = dataclasses.replace(
    experiment.QUICK,
    nca=dataclasses.replace(
        experiment.QUICK.nca, hidden=8, batch=64, channels=8, steps=80, width=12, burn_in=4,
        window=2, judged_samples=8, meter_width=48, shown_steps=8,
    ),
    growth=dataclasses.replace(
        experiment.QUICK.growth, smooth=5, rise=50.0, patience=10, most_features=16, rounds=1,
        large_channels=16, samples=40,
    ),
    judge_channels=(8,),
    judge_depths=(2, 3),
)  # fmt: skip


def climbed(arm, directory=None, config=TINY):
    return list(climb_together(config, "residual", arm, 0, "cpu", TaskContext(directory)))


def test_a_score_that_rises_has_not_stalled():
    assert not has_stalled((np.arange(500) * 0.1).tolist(), **RULE)


def test_a_flat_score_has_stalled_as_soon_as_the_rule_can_tell():
    rng = np.random.default_rng(0)
    scores = (70 + 0.1 * rng.standard_normal(100)).tolist()
    assert not has_stalled(scores[:39], **RULE)
    assert has_stalled(scores[:41], **RULE)


def test_a_score_that_falls_and_comes_back_within_the_patience_has_not_stalled():
    scores = [*np.linspace(0, 10, 100), *np.linspace(10, 5, 8), *np.linspace(5, 13, 14)]
    assert not has_stalled(scores, **RULE)
    assert has_stalled([*scores[:108], *[5.0] * 40], **RULE)


@pytest.mark.parametrize("focused", [False, True])
def test_the_observers_products_are_those_that_torch_counts(focused):
    reservoir = reservoirs.Conv1d(2, 12, 4)
    if focused:
        reservoir = Focused(reservoir, torch.eye(6))
    with FlopCounterMode(display=False) as counter:
        features = reservoir.rows(reservoir(torch.randn(3, 2, 20)))
        _ = features.T @ features
    counted = counter.get_total_flops() / 2 / 60
    readout = 3 * 12 * together.CHANNELS * TINY.nca.window
    assert observer_cost(TINY.nca, reservoir) == counted + readout


@pytest.mark.parametrize("arm", together.ARMS)
def test_every_arm_spends_the_budget_and_not_more(arm):
    phases = climbed(arm)
    last = phases[-1]
    assert [phase.annealed for phase in phases] == [False] * (len(phases) - 1) + [True]
    assert TINY.nca.steps - last.step_cost < last.end <= TINY.nca.steps
    for before, after in itertools.pairwise(phases):
        assert before.end <= after.begin
        assert (before.growth is not None) == (before.end < after.begin)
    if arm != "growing":
        assert len(phases) == 2


def test_growth_makes_another_observer_and_the_ascent_goes_on_with_it():
    first, second, *_ = climbed("growing")
    assert first.growth is not None
    assert first.growth.has_grown
    assert second.observer.reservoir is first.growth.observer.reservoir
    assert second.observer.ridge_penalty == first.observer.ridge_penalty
    cost = together.rule_cost(TINY.nca) + observer_cost(TINY.nca, second.observer.reservoir)
    frozen = together.rule_cost(TINY.nca) + observer_cost(TINY.nca, first.observer.reservoir)
    assert second.step_cost == cost / frozen


def test_while_nothing_grows_the_growing_arm_is_the_frozen_one_to_the_last_digit():
    growth = dataclasses.replace(TINY.growth, patience=1000)
    config = dataclasses.replace(TINY, growth=growth)
    growing, frozen = climbed("growing", config=config), climbed("frozen", config=config)
    assert [p.ascended.scores for p in growing] == [p.ascended.scores for p in frozen]
    assert np.array_equal(growing[-1].weights, frozen[-1].weights)


def test_a_run_cut_off_during_growth_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = climbed("growing")
    grow = together.grown

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(together, "grown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        climbed("growing", tmp_path)
    monkeypatch.setattr(together, "grown", grow)
    kept = (tmp_path / "phase-0").stat().st_mtime_ns
    again = climbed("growing", tmp_path)
    assert (tmp_path / "phase-0").stat().st_mtime_ns == kept, "the first phase was climbed again"
    assert [p.ascended.scores for p in again] == [p.ascended.scores for p in whole]
    assert np.array_equal(again[-1].weights, whole[-1].weights)


def test_the_large_control_is_the_papers_observer_at_another_size():
    paper, large = (first_observer(TINY, arm, 3) for arm in ("frozen", "large"))
    assert (large.reservoir.feature_dim, large.reservoir.layers) == (16, 5)
    assert (large.ridge_penalty, large.target_unit) == (paper.ridge_penalty, paper.target_unit)


def test_intervals_are_students():
    values = [1.0, 2.5, 4.0, 3.0]
    found = spread(values)
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert found["mean"] - half_interval(found) == pytest.approx(low)
    assert found["mean"] + half_interval(found) == pytest.approx(high)
    assert interval(spread([1.0])) == "+1.0"


def test_gains_are_within_a_phase_and_differences_by_seed():
    def run(arm, bits):
        judged = [{"phase": k // 2, "compute": k, "own": b} for k, b in enumerate(bits)]
        phase = {"annealed": False, "focused": False, "channels": 8, "depth": 2, "steps": 5}
        phases = [{**phase, "tried": [1]}, {**phase, "tried": [], "annealed": True}]
        meter = [{"travelling": 0.5}]
        return {"arm": arm, "judged": judged, "phases": phases, "solitons": meter, "seconds": 1.0}

    runs = [
        run("growing", [1, 4, 9, 11]),
        run("frozen", [1, 4, 4, 6]),
        run("growing", [0, 2, 5, 9]),
    ]
    found = summarize([*runs, run("frozen", [1, 4, 4, 8])])
    assert found["phases"]["0"]["gained"]["own"]["mean"] == 2.5
    assert found["phases"]["annealed"]["gained"]["own"]["mean"] == 3.0
    assert found["phases"]["0"]["stalled"] == 2
    assert found["differences"]["frozen"]["own"]["mean"] == (11 - 6 + 9 - 8) / 2

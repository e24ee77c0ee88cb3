"""Agents in sparse worlds: the artefact in small, its list of runs, its tables and figures."""

import itertools

import numpy as np
import pytest

pytest.importorskip("minigrid")

from learnable_novelty.reward.sb3 import BonusReward
from novelty_lab.context import RunContext
from novelty_lab.records import Record, configuration_of
from novelty_lab.studies.explore import ARTEFACT
from novelty_lab.studies.explore.cells import Exploration
from novelty_lab.studies.explore.experiment import QUICK, runs
from novelty_lab.studies.explore.training import Timed, explore
from novelty_lab.studies.explore.worlds import GridVecEnv


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    found = []
    for run in runs(QUICK):
        made = ARTEFACT.run(run.config, seed=run.seed, context=RunContext(records=root))
        config = configuration_of(run.config)
        found.append(Record("explore", run.config_name, config, run.seed, made.results))
    return found


def test_small_runs_leave_curves(records):
    for record in records:
        results = record.results
        assert results["curve_steps"] == [2048, 4096]
        assert 0 <= results["useless_final"] <= 1 and 0 <= results["final"] <= 1
        assert (results["bonus_seconds"] > 0) == (record.configuration["bonus"] != "none")


def test_tables_hold_bonuses_and_worlds_and_figures_are_drawn(records):
    table, *more = ARTEFACT.tables(records)
    assert table.columns == ["bonus", "television in the pixels"]
    assert [row[0] for row in table.rows] == ["foresight", "task only"]
    assert "final return" in table.title and len(more) == 3
    assert more[-1].rows[1][1] == "0%"
    names = [name for name, _ in ARTEFACT.figures(records)]
    assert names == ["MultiRoom-N4-S5-4096-steps-coefficient-0.1.png"]


def test_a_run_repeats_by_its_seed(tmp_path):
    cell = Exploration("MultiRoom-N4-S5", "noise", "foresight", 2048, layouts=8)
    first, again, other = (
        explore(cell, seed=s, pools=tmp_path)["useless_curve"] for s in (1, 1, 2)
    )
    assert first == again != other


def test_the_unhindered_bonus_sees_states_without_the_distractor(tmp_path):
    steps = []

    class Keep:
        def pay(self, step):
            steps.append(step)
            return np.zeros(16)

        def reset(self):
            pass

    venv = GridVecEnv("MultiRoom-N4-S5", "noise", num_envs=16, seed=0, pools=tmp_path, layouts=4)
    wrapped = BonusReward(venv, Timed(Keep(), venv), weight="auto")
    shown = wrapped.reset()
    random = np.random.default_rng(0)
    for _ in range(120):
        shown = wrapped.step(random.integers(0, 7, 16))[0]
    ended = np.array([step.ended for step in steps])
    assert ended.any()
    for before, after in itertools.pairwise(steps):
        views = np.rint(10 * before.next_observations[:, :147])
        assert before.next_observations[:, :147] == pytest.approx(views / 10, abs=1e-6)
        same = after.observations == before.next_observations
        assert same[~before.ended].all()
        assert not (before.ended.any() and same[before.ended].all())
    assert shown[:, :147] != pytest.approx(np.rint(10 * shown[:, :147]) / 10, abs=1e-3)

"""Agents in sparse worlds: the artefact in small, its list of runs, its tables and figures."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("minigrid")

from learnable_novelty.cli.main import main
from learnable_novelty.errors import UserError
from learnable_novelty.reward.sb3 import BonusReward
from novelty_lab.context import RunContext
from novelty_lab.records import Record, configuration_of, find, load
from novelty_lab.studies.explore import ARTEFACT
from novelty_lab.studies.explore.cells import BONUSES, TASKS, Exploration
from novelty_lab.studies.explore.experiment import PAPER, QUICK, runs
from novelty_lab.studies.explore.minigrid import TASKS as COMPILED
from novelty_lab.studies.explore.training import Timed, explore
from novelty_lab.studies.explore.worlds import make_world


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


def test_decisive_runs_come_first_and_other_tasks_have_fewer():
    listed = list(runs(PAPER))
    assert len({run.name for run in listed}) == len(listed)
    assert {run.config.distractor for run in listed[:5]} == {"pixels"}
    main = [run for run in listed if run.config.task == "MultiRoom-N4-S5"]
    assert listed[: len(main)] == main and len(main) == 5 * len(PAPER.bonuses) * 5
    doors = [run for run in listed if run.config.task == "DoorKey-8x8"]
    assert len(doors) == 3 * 2 * 5 and {run.config.steps for run in doors} == {300_000}
    assert {run.config.steps for run in main} == {800_000}
    for steps in (800_000, 900_000):
        longer = runs(dataclasses.replace(PAPER, steps=steps))
        assert {run.config.steps for run in longer} == {steps}
    with pytest.raises(UserError, match="steps must not be negative"):
        list(runs(dataclasses.replace(PAPER, steps=-1)))


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

    venv = make_world("MultiRoom-N4-S5", "noise", num_envs=16, seed=0, pools=tmp_path, layouts=4)
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


def test_every_compiled_maze_is_a_task():
    assert set(TASKS) - set(COMPILED) == {"MountainCarContinuous-sparse"}


def test_a_bonus_that_is_none_is_refused(tmp_path):
    cell = dataclasses.replace(next(runs(QUICK)).config, bonus="curiosity")
    with pytest.raises(UserError, match="expected one of foresight, magnitude"):
        explore(cell, seed=0, pools=tmp_path)


def test_where_every_run_fails_no_record_is_named(tmp_path, capsys, monkeypatch):
    def unlucky(*args, **options):
        raise UserError("no such luck")

    monkeypatch.setattr("novelty_lab.studies.explore.training.explore", unlucky)
    given = ["run", "explore", "--config", "quick", "--out", str(tmp_path), "--engine", "serial"]
    assert main(given) == 1
    said = capsys.readouterr().err
    assert said.count("failed: no such luck") == 2 and "record:" not in said


def test_runs_of_other_settings_have_other_names():
    usual = {"task": "DoorKey-8x8", "distractor": "clean", "bonus": "foresight", "steps": 900_000}
    changes = ({"steps": 900_999}, {"layouts": 16}, {"coefficient": 0.5})
    names = {Exploration(**(usual | change)).name for change in ({}, *changes)}
    assert len(names) == 4
    assert "DoorKey-8x8-clean-foresight-0.1-900k" in names


def test_every_bonus_has_a_colour_of_its_own():
    assert len({colour for _, colour in BONUSES.values()}) == len(BONUSES)


def test_committed_runs_are_those_of_the_present_settings():
    root = Path(__file__).parents[3] / "results"
    paths = list(find(root, "explore"))
    assert len(paths) == 352
    for path in paths:
        record = load(path)
        cell = Exploration(**record.configuration)
        assert f"{cell.name}-seed{record.seed}" == path.name

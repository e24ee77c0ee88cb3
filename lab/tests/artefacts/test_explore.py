"""Agents in sparse worlds: the artefact in small, its list of runs, its tables and figures."""

import pytest

pytest.importorskip("minigrid")

from novelty_lab.context import RunContext
from novelty_lab.records import Record, configuration_of
from novelty_lab.studies.explore import ARTEFACT
from novelty_lab.studies.explore.experiment import QUICK, runs


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
    assert "final return" in table.title and len(more) == 2
    useless = {record.configuration["bonus"]: record.results["useless_final"] for record in records}
    assert more[-1].rows[1][1] == f"{useless['none']:.2f}"
    names = [name for name, _ in ARTEFACT.figures(records)]
    assert names == ["MultiRoom-N4-S5-4096-steps-coefficient-0.1.png"]

"""Every experiment runs in its quick configuration, is saved, found again, and drawn."""

import json

import numpy as np
import pytest

from novelty_lab import records
from novelty_lab.registry import all_artefacts, find_artefact
from novelty_lab.report import save_figures
from novelty_lab.runner import configure, run_experiment

FAST = {
    "eca": {"channels": 16, "samples": 16, "burn_in": 40},
    "eca-scan": {"channels": 12, "samples": 12, "burn_in": 30, "axes": ("depth",)},
    "mdl": {"channels": 16, "samples": 16, "burn_in": 40, "observers": ("table 2",)},
    "overview": {"length": 60, "repeats": 2, "samples": 64},
    "life-map": {
        "grid": 11,
        "samples": 2,
        "burn_in": 6,
        "window": 2,
        "channels": 4,
        "rules": 100,
        "again_grid": 13,
        "again_draws": 2,
    },
    "calibration": {
        "repeats": 1,
        "others": 1,
        "parts": 1,
        "null": 19,
        "samples": 80,
        "steps": 160,
        "new_samples": 100,
    },
}

NOT_RECORDED = {
    "causal",
    "collapse-images",
    "collapse-worldmodel",
}
"""Their paper configurations take long, and have not been run yet."""
ONE_RUN = [
    name
    for name, artefact in all_artefacts().items()
    if not artefact.many_runs and name not in NOT_RECORDED
]
QUICK_RUNS = [
    "overview",
    "eca",
    "eca-scan",
    "mdl",
    pytest.param("calibration", marks=pytest.mark.slow),
    "life-map",
]


@pytest.mark.parametrize("name", QUICK_RUNS)
def test_quick_run_is_saved_found_again_and_drawn(name, tmp_path):
    overrides = FAST.get(name, {})
    record, fresh = run_experiment(name, "quick", root=tmp_path, overrides=overrides)
    assert fresh
    held, fresh_again = run_experiment(name, "quick", root=tmp_path, overrides=overrides)
    assert not fresh_again
    assert held.to_json() == json.loads(json.dumps(record.to_json()))
    assert not list(tmp_path.glob(f"{name}/.*"))
    artefact = find_artefact(name)
    picture, *_ = save_figures(artefact, [record], tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    for table in artefact.tables([record]):
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert table.title in table.markdown()


def test_the_same_seed_gives_the_same_scores_and_another_seed_others(tmp_path):
    small = FAST["overview"]
    first, _ = run_experiment("overview", "quick", root=tmp_path / "a", overrides=small)
    same, _ = run_experiment("overview", "quick", root=tmp_path / "b", overrides=small)
    other, _ = run_experiment("overview", "quick", seed=1, root=tmp_path / "a", overrides=small)
    assert first.results == same.results
    assert first.results != other.results


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("eca", {"draws": 1}),
        ("eca-scan", {"draws": 1}),
        ("mdl", {"draws": 1}),
        ("overview", {"draws": 1, "repeats": 1}),
    ],
)
def test_one_draw_has_no_spread_and_is_no_error(name, change, tmp_path):
    record, _ = run_experiment(name, "quick", root=tmp_path, overrides=FAST[name] | change)
    assert save_figures(find_artefact(name), [record], tmp_path)[0].exists()
    assert find_artefact(name).tables([record])


def test_unknown_experiments_settings_and_configurations_are_refused():
    with pytest.raises(ValueError, match="one of overview"):
        find_artefact("nothing")
    with pytest.raises(ValueError, match="no setting 'colour'"):
        configure("eca", "paper", {"colour": 1})
    with pytest.raises(ValueError, match="paper or quick"):
        configure("eca", "large", {})


def test_committed_paper_ranking_holds_what_it_must():
    from pathlib import Path

    root = Path(__file__).parents[3] / "results"
    record = records.load(root / "eca" / "paper-seed0")
    results = record.results
    assert record.configuration == records.configuration_of(find_artefact("eca").experiment.PAPER)
    assert results["ranking"][0] == "110"
    assert results["runner_up"] == "25"
    assert 18 <= results["margin"] <= 24
    assert results["rank_54"] <= 5
    assert 10 <= results["rank_30"] <= 15
    zero = ["0", "8", "32", "40", "60", "90", "128", "136", "160", "168"]
    assert results["exactly_zero"] == zero
    assert record.arrays["scores"].shape == (88, 10)
    assert np.all(record.arrays["scores"] >= 0)


@pytest.mark.parametrize("name", ONE_RUN)
def test_committed_record_is_of_the_present_paper_configuration(name):
    from pathlib import Path

    root = Path(__file__).parents[3] / "results"
    record = records.load(root / name / "paper-seed0")
    config = find_artefact(name).experiment.PAPER
    assert records.is_of(record.configuration, config) or records.is_of_older(record, config)
    assert find_artefact(name).tables([record])
    assert (root / name / "paper-seed0" / "figure.png").exists()

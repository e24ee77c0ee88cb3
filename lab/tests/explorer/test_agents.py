"""Learning curves with their intervals, and the maze with a television."""

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content, open_panel
from novelty_lab import records
from novelty_lab.explorer.site import export
from novelty_lab.paper.table1_agents.paper import PAPER
from novelty_lab.paper.table1_agents.runs import Run, mean_curve


def runs_of(task, condition):
    found = [records.load(path) for path in records.find(RESULTS, "rl-table")]
    runs = [r for r in found if r.config == f"{task}-{condition}"]
    return sorted(runs, key=lambda record: record.seed)


def resampled_mean(curves, draws=4000):
    """Resample the seeds themselves, run by run: another way to the same interval."""
    generator = np.random.default_rng(1)
    picks = generator.integers(0, len(curves), (draws, len(curves)))
    return np.quantile(curves[picks].mean(1), [0.025, 0.975], axis=0)


@pytest.mark.parametrize(
    ("task", "condition"), [("Acrobot", "task"), ("MountainCarContinuous", "task+epiplexity")]
)
def test_bands_are_those_of_the_records(site, task, condition):
    runs = runs_of(task, condition)
    held = content(site, "agents")["tasks"][task]["ours"][condition]
    curves = np.array([run.results["curve"] for run in runs])
    np.testing.assert_array_equal(held["steps"], curves[0, :, 0])
    np.testing.assert_allclose(held["mean"], curves[..., 1].mean(0), rtol=1e-4)
    band, spread = np.array(held["band"]), np.ptp(curves[..., 1], axis=0).max()
    np.testing.assert_allclose(band, resampled_mean(curves[..., 1]), atol=0.03 * spread)
    assert (band[0] <= np.array(held["mean"]) * (1 + 1e-4 * np.sign(held["mean"]))).all()
    assert held["returns"] == pytest.approx([run.results["return"] for run in runs], rel=1e-4)


def test_curves_are_averaged_over_the_steps_that_all_have():
    curves = [np.array([[1, 2.0], [2, 4.0], [4, 9.0]]), np.array([[2, 6.0], [3, 1.0], [4, 1.0]])]
    averaged = mean_curve([Run(i, 0.0, c, None) for i, c in enumerate(curves)])
    assert averaged is not None
    steps, mean, band = averaged
    np.testing.assert_array_equal(steps, [2, 4])
    np.testing.assert_array_equal(mean, [5.0, 5.0])
    np.testing.assert_array_equal(band, [[4.0, 1.0], [6.0, 9.0]])
    assert mean_curve([]) is None


def test_the_television_has_the_returns_of_the_records(browser, exported):
    """By the names of the folders: the setting that the table shows, and five runs each."""
    open_panel(browser, exported, "agents")
    rows = browser.find_elements("css selector", "#panel-agents figure:last-child tbody tr")
    shown = [[cell.text for cell in row.find_elements("tag name", "td")] for row in rows]
    assert shown[0] == ["foresight (default)", "0.76 (5 of 5)", "0.74 (5 of 5)"]
    for world, place in (("clean", 1), ("pixels", 2)):
        for bonus, name in (("raw", "raw bits (the paper)"), ("e3b", "E3B"), ("rnd", "RND")):
            folders = RESULTS.glob(f"explore/MultiRoom-N4-S5-{world}-{bonus}-0.1-800k-seed*")
            finals = [records.load(folder).results["final"] for folder in folders]
            reached = sum(final >= 0.5 for final in finals)
            cell = next(row[place] for row in shown if row[0] == name)
            assert cell == f"{np.mean(finals):.2f} ({reached} of {len(finals)})"
    said = browser.find_element("css selector", "#panel-agents figure:last-child .finding").text
    assert "5 of 5 agents learn" in said and "of the 6 other bonuses none" in said


def test_without_its_record_a_panel_says_so(browser, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    export(results, tmp_path / "page")
    open_panel(browser, (tmp_path / "page" / "index.html").as_uri(), "flows")
    text = browser.find_element("id", "panel-flows").text
    assert "There is no record of this here yet." in text
    assert "novelty run flows" in text


def test_the_papers_table_is_shown_as_published(browser, exported):
    open_panel(browser, exported, "agents")
    shown = browser.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('#panel-agents tbody tr')].map("
        "row => [row.dataset.key, [...row.cells].slice(1).map(c => c.querySelector('div')"
        ".lastChild.textContent)]))"
    )
    for task, row in PAPER.items():
        published = [
            f"paper {mean:,} ± {sd:,}".replace("-", "\N{MINUS SIGN}") for mean, sd in row.values()
        ]
        assert shown[task] == published

"""Learning curves with their intervals, and the corridor of rooms."""

import re

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content, open_panel, serving
from novelty_lab import records
from novelty_lab.explorer.site import build, export
from novelty_lab.paper.table1_agents.rl_table.paper import PAPER
from novelty_lab.paper.table1_agents.rl_table.runs import Run, mean_curve
from novelty_lab.records import Record


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


def test_a_single_seed_has_no_band(site):
    held = content(site, "agents")["tasks"]["Acrobot"]["ours"]["epiplexity"]
    assert len(held["curves"]) == len(runs_of("Acrobot", "epiplexity"))
    assert (held["band"] is None) == (len(held["curves"]) == 1)


def test_curves_are_averaged_over_the_steps_that_all_have():
    curves = [np.array([[1, 2.0], [2, 4.0], [4, 9.0]]), np.array([[2, 6.0], [3, 1.0], [4, 1.0]])]
    steps, mean, band = mean_curve([Run(i, 0.0, c, None) for i, c in enumerate(curves)])
    np.testing.assert_array_equal(steps, [2, 4])
    np.testing.assert_array_equal(mean, [5.0, 5.0])
    np.testing.assert_array_equal(band, [[4.0, 1.0], [6.0, 9.0]])
    assert mean_curve([]) is None


def test_a_chosen_task_draws_its_bands_and_the_papers_levels(browser, exported, site):
    open_panel(browser, exported, "agents")
    browser.execute_script(
        "const box = document.querySelector('#panel-agents select'); box.value = 'Hopper';"
        "box.dispatchEvent(new Event('change'))"
    )
    ours = content(site, "agents")["tasks"]["Hopper"]["ours"]
    drawn = browser.execute_script(
        "const figure = document.querySelector('#panel-agents figure');"
        "return ['.band', '.reference'].map(s => figure.querySelectorAll(s).length)"
    )
    run = {name: held for name, held in ours.items() if held["returns"]}
    assert drawn == [
        sum(h["band"] is not None for h in run.values()),
        len(run.keys() & PAPER["Hopper"]),
    ]
    legend = browser.find_element("css selector", "#panel-agents .legend").text
    seeds = len(ours["task"]["returns"])
    assert f"task only, {seeds} seed" in legend
    chosen = browser.find_element("css selector", "#panel-agents tr.chosen").text
    assert chosen.startswith("Hopper")


def lived(drive, agent, share, **corridor):
    place = {"length": 500, "pixels": 16, "clock": True} | corridor
    return {"drive": drive, **place, "agent": agent, "share": share, "earned": 1.0}


@pytest.fixture(scope="module")
def rooms_record():
    """Two drives of two agents, and one agent in a corridor without a clock."""
    rooms = ["pendulum", "automaton", "clock", "noise", "dark"]
    lives = [
        lived("surprise", 0, [0.1, 0.0, 0.0, 0.9, 0.0]),
        lived("surprise", 1, [0.3, 0.0, 0.0, 0.7, 0.0]),
        lived("epiplexity", 0, [0.0, 0.8, 0.1, 0.1, 0.0]),
        lived("epiplexity", 1, [0.2, 0.6, 0.1, 0.1, 0.0]),
        lived("epiplexity", 0, [1.0, 0.0, 0.0, 0.0, 0.0], clock=False),
    ]
    from novelty_lab.studies.rooms.rooms.experiment import PAID_HABITS, summarize_shares

    shares = [row | {"best_habit": None} for row in summarize_shares(lives)]
    habits = [
        {"pixels": 16, "drive": drive, "habit": habit, "mean": [1.0, 2.0], "sd": [0.0, 0.0]}
        for drive in PAID_HABITS
        for habit in ("noise", "tour")
    ]
    along = np.random.default_rng(0).dirichlet(np.ones(5), (5, 4)).astype(np.float32)
    results = {"rooms": rooms, "lives": lives, "shares": shares, "habits": habits}
    corridor = {"length": 500, "pixels": 16, "clock": True}
    config = {"corridor": corridor, "steps": 4000, "habit_lengths": [50, 500], "agents": 2}
    return Record("rooms", "paper", config, 0, results, arrays={"along": along})


def test_rooms_hold_what_the_record_holds(tmp_path, rooms_record):
    rooms_record.save(tmp_path)
    held = content(build(tmp_path), "rooms")
    first, second, other = held["rows"]
    assert [first["drive"], second["drive"]] == ["surprise", "epiplexity"]
    assert first["mean"] == pytest.approx([0.2, 0, 0, 0.8, 0])
    assert second["agents"][1] == [0.2, 0.6, 0.1, 0.1, 0.0]
    assert (other["common"], other["departure"]) == (False, "no clock")
    truth = rooms_record.arrays["along"][2:4].mean(0)
    np.testing.assert_allclose(second["along"], truth, rtol=1e-4)


def test_the_television_says_where_agents_are(browser, tmp_path, rooms_record):
    rooms_record.save(tmp_path)
    with serving(build(tmp_path)) as server:
        browser.get_log("browser")
        open_panel(browser, server.address, "rooms")
        told = browser.find_element("css selector", "#panel-rooms .finding").text
        widths = browser.execute_script(
            "return [...document.querySelector('#panel-rooms .lives').children]"
            ".map(bar => [...bar.children].map(i => i.style.width))"
        )
        assert browser.get_log("browser") == []
    assert "surprise spend 80 %" in told
    assert "raw bits 10 %" in told
    assert "room of the automaton (70 %)" in told
    assert widths == [["10%", "0%", "0%", "90%", "0%"], ["30%", "0%", "0%", "70%", "0%"]]


def test_without_its_record_a_panel_says_so(browser, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    export(results, tmp_path / "page")
    open_panel(browser, (tmp_path / "page" / "index.html").as_uri(), "rooms")
    text = browser.find_element("id", "panel-rooms").text
    assert "There is no record of this here yet." in text
    assert "novelty run rooms" in text


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


def test_leads_carry_no_number_that_was_written_by_hand(browser, exported):
    open_panel(browser, exported, "automata")
    leads = browser.execute_script("return LN.panels.map(p => p.lead)")
    # There are 256 rules by definition.
    assert [lead for lead in leads if re.search(r"\d", lead.replace("256 rules", ""))] == []

"""The neural automaton against an observer that grows: the page shows what the record holds."""

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, content, open_panel
from novelty_lab import records

pytest.importorskip("selenium.webdriver", reason="needs selenium")


@pytest.fixture(scope="module")
def record():
    return records.load(RESULTS / "nca-growing" / "paper-seed0")


def test_curves_are_those_of_the_record(site, record):
    shown = content(site, "together")["runs"]
    assert set(shown) == {name.replace(" ", "-") for name in record.results["runs"]}
    for name, run in record.results["runs"].items():
        found = shown[name.replace(" ", "-")]
        judged = [[one["compute"], one[found["judge"]]] for one in run["judged"]]
        np.testing.assert_allclose(found["judged"], judged, rtol=1e-3)
        tried = [len(phase["tried"]) for phase in run["phases"]]
        assert [len(phase["tried"]) for phase in found["phases"]] == tried


def test_the_panel_shows_the_profile_and_the_pictures_before_and_after(browser, exported, record):
    open_panel(browser, exported, "neural")
    run = record.results["runs"]["residual growing seed 0"]
    tried = [step for phase in run["phases"] for step in phase["tried"]]
    found = browser.execute_script(
        "const root = document.getElementById('panel-neural');"
        "const kept = [...root.querySelectorAll('tr.chosen')].map((row) => row.cells[3].innerText);"
        "return [root.querySelectorAll('.cards canvas').length,"
        "root.querySelectorAll('tbody tr').length, kept,"
        "root.querySelectorAll('[aria-label^=Profile] circle').length,"
        "[...root.querySelectorAll('.finding')].at(-1).innerText]"
    )
    pictures, rows, kept, dots, finding = found
    assert pictures == len(run["solitons"])
    assert rows == len(tried)
    assert kept == [f"{step['model_bits']:.1f}" for step in tried if step["kept"]]
    assert dots >= len(tried)
    gains = [
        end["judged"][-1]["1024x8"] - record.results["runs"][other]["judged"][-1]["1024x8"]
        for name, end in record.results["runs"].items()
        if name.startswith("residual growing")
        for other in [name.replace("growing", "frozen")]
    ]
    assert f"{np.mean(gains):.1f} raw bits (residual update".replace("-", "\u2212") in finding

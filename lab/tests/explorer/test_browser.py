"""The page in a real browser, served and opened as a file."""

import itertools
import time

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from lab.tests.explorer.page import RESULTS, open_panel, wait_for
from learnable_novelty.measure.words import percent
from novelty_lab.ledger import ledger
from novelty_lab.systems.elementary import ElementaryRule

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
PANELS = ("start", "yours", "meaning", "automata", "life", "neural", "flows", "agents", "ledger")
"""In the order of the story."""


@pytest.mark.parametrize("kind", [pytest.param("address", marks=pytest.mark.slow), "exported"])
def test_every_panel_opens_without_a_complaint(browser, request, kind):
    page = request.getfixturevalue(kind)
    browser.get_log("browser")
    for name in PANELS:
        open_panel(browser, page, name)
        time.sleep(0.2)
        assert browser.get_log("browser") == [], name
        shown = browser.execute_script(
            "return [...document.querySelectorAll('[role=tabpanel]')]"
            ".filter(p => !p.hidden).map(p => [p.id, p.textContent.length])"
        )
        assert [panel for panel, _ in shown] == [f"panel-{name}"]
        assert shown[0][1] > 100


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_no_panel_is_wider_than_the_window(browser, address, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for name in PANELS:
            open_panel(browser, address, name)
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            hidden = browser.execute_script(
                "return [...document.querySelectorAll('.scroll')].filter("
                "box => box.clientWidth && box.scrollWidth > box.clientWidth + 1).length"
            )
            assert hidden == 0, name
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def press(browser, *keys):
    for key in keys:
        webdriver.ActionChains(browser).send_keys(key).perform()


def test_the_story_leads_from_the_visitors_numbers_to_the_ledger(browser, exported):
    open_panel(browser, exported, "start")
    names = browser.execute_script("return LN.panels.map(p => p.name)")
    chapters = browser.execute_script(
        "return [...document.querySelectorAll('[data-chapter]')].map(t => t.dataset.chapter)"
    )
    assert tuple(names) == PANELS
    assert chapters == ["1 Your numbers", "2 Meaning", "3 Worlds", "4 The paper"]
    for after in names[1:]:
        link = browser.find_element("css selector", "[role=tabpanel]:not([hidden]) .onward a")
        browser.execute_script("arguments[0].click()", link)
        wait_for(browser, f"LN.current().name === '{after}'")
    assert browser.find_elements("css selector", "#panel-ledger .onward") == []


def test_noise_lowers_the_share_and_raises_raw_bits(browser, exported):
    """The numbers behind the two curves, by Python."""
    open_panel(browser, exported, "meaning")
    circles = "#panel-meaning svg circle[r='3.5']"
    wait_for(browser, f'document.querySelectorAll("{circles}").length === 18', 60)
    said = browser.find_element("css selector", "#panel-meaning .split figcaption").text
    series = [
        browser.execute_async_script(
            "const [share, done] = arguments, {values, seed} = LN.start.base();"
            "done(Array.from(LN.start.withNoise(values, share, seed)))",
            share,
        )
        for share in (0, 1)
    ]
    first, equal = (
        ln.score(np.array(one), window=8, history=4, ridge_penalty=0.1, draws=4, null=0)
        for one in series
    )
    assert equal.bits > 3 * first.bits and equal.held_out_variance < first.held_out_variance / 2
    assert f"raw bits from {first.bits:.1f} to {equal.bits:.1f}" in said
    shares = (percent(one.held_out_variance) for one in (first, equal))
    assert "held-out variance from {} to {}".format(*shares) in said


def test_all_256_rules_run_as_in_python(browser, exported):
    """The cells, and what the canvas shows of them."""
    open_panel(browser, exported, "automata")
    start = np.random.default_rng(0).integers(0, 2, 67, dtype=np.uint8)
    found = browser.execute_script(
        "const ink = LN.rgb('ink')[0]; return Array.from({length: 256}, (_, rule) => {"
        "LN.automata.play(rule, arguments[0], 20);"
        "return [LN.automata.rows().flat(), LN.automata.pixels().map(v => +(v === ink))]; })",
        start.tolist(),
    )
    for number, shown in enumerate(found):
        rule, cells = ElementaryRule(number), [start]
        for _ in range(20):
            cells.append(rule.step(cells[-1]))
        for rows in shown:
            np.testing.assert_array_equal(np.reshape(rows, (21, 67)), cells)


def test_equivalence_classes_are_those_of_python(browser, exported):
    open_panel(browser, exported, "automata")
    found = browser.execute_script(
        "return Array.from({length: 256}, (_, r) => LN.automata.representative(r))"
    )
    assert found == [min(ElementaryRule(r).equivalents()) for r in range(256)]


def orbit(key, checkpoint, steps):
    """Run a stored rule in PyTorch from random unit vectors: (steps + 1, width, 2).

    In double: the rules are chaotic, single precision parts from itself within fifty steps.
    """
    from novelty_lab.paper.fig3_neural.neural import from_vector

    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 64)
    start = torch.from_numpy(np.stack([np.cos(angle), np.sin(angle)])[None])
    with np.load(RESULTS / "nca" / "paper-seed0" / "arrays.npz") as arrays:
        vector = arrays[f"weights/{key}"][checkpoint]
    rule = from_vector(key.split("-")[0], 128, 2, vector).double().eval()
    states = torch.cat([start, rule.run(start, steps)[:, 0]])
    return states.mT.numpy()


def play(browser, key, checkpoint, state, steps):
    script = "LN.neural.play(...arguments)"
    found = browser.execute_async_script(script, key, checkpoint, state.ravel().tolist(), steps)
    return np.reshape(found["state"], state.shape)


@pytest.mark.parametrize(
    ("key", "checkpoint"), [("direct-seed-3", 5), ("residual-seed-4", 10), ("direct-seed-8", 1)]
)
def test_every_step_of_a_neural_rule_is_that_of_pytorch(browser, exported, key, checkpoint):
    open_panel(browser, exported, "neural")
    states = orbit(key, checkpoint, 20)
    for before, after in itertools.pairwise(states):
        found = play(browser, key, checkpoint, before, 1)
        np.testing.assert_allclose(found, after, atol=1e-10)


def open_sections(browser):
    """Open all sections of the ledger, and the notes of all claims."""
    for kind in ("details.section", ".claims td > div > details"):
        browser.execute_script(
            "for (const fold of document.querySelectorAll('#panel-ledger ' + arguments[0]))"
            "{ fold.open = true; fold.dispatchEvent(new Event('toggle')); }",
            kind,
        )


def test_the_ledger_shows_the_cells_of_the_terminal(browser, exported):
    open_panel(browser, exported, "ledger")
    browser.find_element("css selector", "#panel-ledger .controls button").click()
    open_sections(browser)
    shown = browser.execute_script(
        "return [...document.querySelectorAll('#panel-ledger tbody tr')].map(row => ["
        "row.querySelector('.sources code').textContent,"
        "...[1, 2].map(i => row.cells[i].textContent), row.querySelectorAll('.sources a').length])"
    )
    truth = ledger.rows(RESULTS)
    held = {
        row.claim.id: [
            ledger.paper_text(row.claim),
            ledger.ours_text(row),
            len(row.records) + bool(row.figure),
        ]
        for row in truth
    }
    assert len(shown) == len(held)
    assert {name: cells for name, *cells in shown} == held

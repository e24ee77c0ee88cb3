"""The page in a real browser, served and opened as a file."""

import itertools
import math
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from lab.tests.explorer.page import RESULTS, open_panel, wait_for
from learnable_novelty.measure.words import percent
from novelty_lab import ledger
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


class OtherPage(BaseHTTPRequestHandler):
    """Any other web page, which loads what it is asked to as a script and as a picture."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<script>window.LN = { data: {} };</script>")

    def log_message(self, format, *args):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_another_page_cannot_read_the_ledger(browser, address, site, host):
    """Another port of this machine is same-site to a browser, another name is cross-site."""
    figure = next(name for name in site if name.endswith(".png"))
    load = (
        "const [tag, address, done] = arguments, node = document.createElement(tag);"
        "node.onload = () => done('loaded'); node.onerror = () => done('refused');"
        "node.src = address; document.body.append(node)"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), OtherPage) as other:
        thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            browser.get(f"http://{host}:{other.server_port}/")
            for tag, path in (("script", "data/ledger.js"), ("img", figure)):
                assert browser.execute_async_script(load, tag, address + path) == "refused", path
            assert browser.execute_script("return Object.keys(LN.data)") == []
        finally:
            other.shutdown()
            thread.join()
    browser.get_log("browser")  # the refusals are logged by the browser


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


def test_arrow_keys_move_between_tabs(browser, exported):
    open_panel(browser, exported, "start")
    browser.execute_script(
        "document.getElementById('tab-start').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))"
    )
    assert browser.execute_script("return document.activeElement.id") == "tab-ledger"
    assert browser.execute_script("return document.activeElement.ariaSelected") == "true"


def press(browser, *keys):
    for key in keys:
        webdriver.ActionChains(browser).send_keys(key).perform()


def test_tab_goes_from_the_top_to_the_panel_and_shows_where_it_is(browser, exported):
    open_panel(browser, exported, "automata")
    seen = []
    for _ in range(4):
        press(browser, Keys.TAB)
        seen.append(
            browser.execute_script(
                "const at = document.activeElement, look = getComputedStyle(at);"
                "return [at.className || at.id || at.tagName, look.outlineStyle]"
            )
        )
    assert [name for name, _ in seen] == ["skip", "theme", "tab-automata", "SUMMARY"]
    assert {look for _, look in seen} == {"solid"}


@pytest.mark.parametrize("text", ["300", "", "-1", "2.5", "1e2"])
def test_a_number_that_is_no_rule_changes_nothing(browser, exported, text):
    open_panel(browser, exported, "automata")
    box = browser.find_element("css selector", "#panel-automata input")
    told = browser.find_element("css selector", "#panel-automata .controls small")
    enter = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    browser.execute_script(enter, box, "54")
    assert not told.is_displayed()
    browser.execute_script(enter, box, text)
    assert told.is_displayed() and "0 to 255" in told.text
    assert box.get_attribute("value") == "54"
    shown = browser.find_element("css selector", "#panel-automata .stats dd")
    assert shown.text == "54"


@pytest.mark.slow
def test_nothing_is_small_on_a_projector(browser, exported):
    size = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for name in set(PANELS) - {"life"}:
            open_panel(browser, exported, name)
            small = browser.execute_script(
                "return [...document.querySelectorAll(`#panel-${arguments[0]} *`)].filter(e =>"
                "[...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())"
                "&& e.checkVisibility() && !/^SUP$/.test(e.tagName)"
                "&& parseFloat(getComputedStyle(e).fontSize) < 13.9)"
                ".map(e => [e.tagName, e.className.baseVal || e.className, e.textContent])",
                name,
            )
            assert small == [], name
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_arrow_keys_choose_a_bar(browser, exported):
    open_panel(browser, exported, "automata")
    rules = browser.execute_script("return LN.data.automata.rules.map(r => r.rule)")
    browser.execute_script("document.querySelector('#panel-automata [role=group]').focus()")
    number = "return +document.querySelector('#panel-automata input').value"
    at = rules.index(browser.execute_script(number))
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.execute_script(number) == rules[at + 2]


def test_arrow_keys_read_the_points_of_a_curve(browser, exported):
    open_panel(browser, exported, "neural")
    browser.execute_script("document.querySelector('#panel-neural .chart').focus()")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    tip = browser.find_element("id", "tip")
    assert re.match(r"raw bits: [\d.]+$", tip.text.splitlines()[2])
    press(browser, Keys.ESCAPE)
    assert not tip.is_displayed()


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
    open_panel(browser, exported, "automata")
    start = np.random.default_rng(0).integers(0, 2, 67, dtype=np.uint8)
    rows = browser.execute_script(
        "return Array.from({length: 256}, (_, rule) => {"
        "LN.automata.play(rule, arguments[0], 20); return LN.automata.rows(); })",
        start.tolist(),
    )
    for number, found in enumerate(rows):
        rule, cells = ElementaryRule(number), [start]
        for _ in range(20):
            cells.append(rule.step(cells[-1]))
        np.testing.assert_array_equal(found, cells)


@pytest.mark.parametrize("number", [30, 54, 110, 184])
def test_the_canvas_shows_the_cells_of_python(browser, exported, number):
    open_panel(browser, exported, "automata")
    rule, cells = ElementaryRule(number), [np.tile([1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1], 4)]
    for _ in range(30):
        cells.append(rule.step(cells[-1]))
    pixels, ink, card = browser.execute_script(
        "LN.automata.play(arguments[0], arguments[1], 30);"
        "return [LN.automata.pixels(), LN.rgb('ink')[0], LN.rgb('card')[0]]",
        number,
        cells[0].tolist(),
    )
    assert ink != card
    np.testing.assert_array_equal(
        np.reshape(pixels, (31, 44)), np.where(np.array(cells) == 1, ink, card)
    )


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
    ("key", "checkpoint"), [("residual-seed-0", 0), ("residual-seed-0", 10), ("direct-seed-1", 10)]
)
def test_fifty_steps_of_a_neural_rule_are_those_of_pytorch(browser, exported, key, checkpoint):
    open_panel(browser, exported, "neural")
    states = orbit(key, checkpoint, 50)
    found = play(browser, key, checkpoint, states[0], 50)
    np.testing.assert_allclose(found, states[-1], atol=1e-4)


@pytest.mark.parametrize(
    ("key", "checkpoint"), [("direct-seed-3", 5), ("residual-seed-4", 10), ("direct-seed-8", 1)]
)
def test_every_step_of_a_neural_rule_is_that_of_pytorch(browser, exported, key, checkpoint):
    open_panel(browser, exported, "neural")
    states = orbit(key, checkpoint, 20)
    for before, after in itertools.pairwise(states):
        found = play(browser, key, checkpoint, before, 1)
        np.testing.assert_allclose(found, after, atol=1e-10)


def test_a_press_on_the_picture_disturbs_the_sites_under_it(browser, exported):
    open_panel(browser, exported, "neural")
    wait_for(browser, "LN.neural.fps() > 0")
    before, after = browser.execute_script(
        "const canvas = document.querySelector('#panel-neural canvas');"
        "const before = LN.neural.state(), box = canvas.getBoundingClientRect();"
        "canvas.setPointerCapture = () => {};"
        "canvas.dispatchEvent(new PointerEvent('pointerdown',"
        "{clientX: box.left + box.width / 2, clientY: box.top + 9}));"
        "return [before, LN.neural.state()]"
    )
    changed = np.flatnonzero(np.any(np.reshape(before, (-1, 2)) != np.reshape(after, (-1, 2)), 1))
    middle = len(before) // 4
    assert changed.tolist() == list(range(middle - 4, middle + 5))


def open_sections(browser):
    """Open all sections of the ledger, and the notes of all claims."""
    for kind in ("details.section", ".claims td > div > details"):
        browser.execute_script(
            "for (const fold of document.querySelectorAll('#panel-ledger ' + arguments[0]))"
            "{ fold.open = true; fold.dispatchEvent(new Event('toggle')); }",
            kind,
        )


def test_the_ledger_is_short_and_has_few_tab_stops(browser, exported):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        open_panel(browser, exported, "ledger")
        high, stops = browser.execute_script(
            "return [document.documentElement.scrollHeight, [...document.querySelectorAll("
            "'#panel-ledger :is(a, button, input, select, summary, [tabindex=\"0\"])')]"
            ".filter(e => e.checkVisibility()).length]"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert high < 2.5 * 844
    assert stops < 20


def test_the_ledger_filters_by_verdict(browser, exported):
    open_panel(browser, exported, "ledger")
    rows = browser.execute_script("return LN.data.ledger.rows.map(row => row.verdict)")
    buttons = browser.find_elements("css selector", "#panel-ledger .controls button")[1:]
    assert len(buttons) == len(set(rows))  # none for a verdict that no claim has
    for button in buttons:
        button.click()
        open_sections(browser)
        told = [e.text for e in browser.find_elements("css selector", "#panel-ledger .verdict")]
        kinds = {text.split(" ", 1)[1] for text in told}
        assert len(kinds) == 1
        assert len(told) == rows.count(kinds.pop())


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


def test_the_toggle_changes_the_theme_and_it_stays(browser, address):
    open_panel(browser, address, "automata")
    theme = "return document.documentElement.dataset.theme"
    first = browser.execute_script(theme)
    browser.find_element("id", "theme").click()
    second = browser.execute_script(theme)
    assert {first, second} == {"light", "dark"}
    open_panel(browser, address, "automata")
    assert browser.execute_script(theme) == second
    browser.execute_script("localStorage.clear()")


def test_gelu_is_exact(browser, exported):
    open_panel(browser, exported, "neural")
    x = np.linspace(-9, 9, 4001)
    found = browser.execute_script("return arguments[0].map(LN.neural.gelu)", x.tolist())
    truth = [v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x]
    np.testing.assert_allclose(found, truth, atol=1e-11)

"""The corridor in the browser: the world and the payments of Python, and walking by keys."""

import numpy as np
import pytest

from lab.tests.explorer.page import RESULTS, open_panel, wait_for
from novelty_lab import records

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
Rooms = pytest.importorskip(
    "novelty_lab.studies.rooms.rooms.world", reason="needs the rl extra"
).Rooms
STEPS = 300


@pytest.fixture(scope="module")
def walks():
    return records.load(RESULTS / "walks" / "paper-seed0")


@pytest.fixture
def opened(browser, exported):
    open_panel(browser, exported, "rooms")
    browser.execute_script(
        "const d = LN.data.walks, tables = {}; for (const [name, array] of"
        " Object.entries(d.tables)) tables[name] = LN.unpack(array);"
        "window.parts = { ...d, tables, layers: d.layers.map((l) => l.map(LN.unpack)) };"
    )
    return browser


def test_the_world_is_that_of_python(opened, walks):
    order = walks.results["order"]
    for seed in range(3):
        rooms = Rooms(length=STEPS, order=order)
        first, _ = rooms.reset(seed=seed)
        start = {
            "cell": rooms._cell,
            "automaton": rooms._automaton_start,
            "clock": rooms._clock_start,
            "angle": rooms._pendulum.angle,
        }
        # A walk to and fro, with a drift to both ends.
        drawn = np.random.default_rng(seed).integers(0, 3, STEPS)
        actions = np.clip(drawn + np.sign(np.sin(np.arange(STEPS) / 24)).astype(int), 0, 2)
        taken = [rooms.step(int(a)) for a in actions]
        truth = np.array([first, *(step[0] for step in taken)])
        visited = {step[4]["room"] for step in taken}
        found = opened.execute_script(
            "const [order, start, moves] = arguments;"
            "const world = new LN.rooms.Corridor(parts.tables, order, start);"
            "const seen = [world.observe(), ...moves.map((m) => world.step(m))];"
            "return seen.map((o) => Array.from(o))",
            order,
            start,
            (actions - 1).tolist(),
        )
        noisy = np.isin([0, *(s[4]["room"] for s in taken)], walks.results["rooms"].index("noise"))
        found = np.array(found)
        np.testing.assert_allclose(found[:, 0], truth[:, 0], atol=1e-6)
        np.testing.assert_allclose(found[1:][~noisy[1:], 1:], truth[1:][~noisy[1:], 1:], atol=1e-5)
        assert np.abs(found[noisy, 1:]).max(initial=0) <= 3**0.5
        assert len(visited) >= 4


def test_every_payment_is_that_of_python(opened, walks):
    """All steps of all walks that were recorded, by drives that are written in another way."""
    paying = walks.results["paying"]
    for seen, truth in zip(walks.arrays["observations"], walks.arrays["paid"], strict=True):
        found = opened.execute_script(
            "const learner = new LN.rooms.Learner(parts);"
            "return arguments[0].map((o) => learner.push(Float32Array.from(o)))",
            seen.tolist(),
        )
        paid = np.array([[step[name] for step in found[1:]] for name in paying])
        np.testing.assert_allclose(paid, truth, rtol=1e-7, atol=1e-6)


def test_arrow_keys_walk_and_the_page_says_what_is_paid(opened, walks):
    opened.execute_script("document.querySelector('#panel-rooms .corridor').focus()")
    before = opened.execute_script("return LN.rooms.figure.state().cell")
    way, move = (Keys.ARROW_LEFT, -1) if before > 12 else (Keys.ARROW_RIGHT, 1)
    for _ in range(10):
        webdriver.ActionChains(opened).send_keys(way).perform()
    webdriver.ActionChains(opened).send_keys(Keys.ARROW_DOWN).perform()
    cell, sums, shown, status = opened.execute_script(
        "const { cell, paid } = LN.rooms.figure.state(), sum = (v) => v.reduce((a, b) => a + b, 0);"
        "return [cell, Object.values(paid).map(sum), [...document.querySelectorAll("
        "'.pay > b + span')].map((e) => e.textContent), document.querySelector("
        "'#panel-rooms .where').textContent]"
    )
    assert cell == before + 10 * move
    length = walks.configuration["rooms"]["corridor"]["length"]
    assert f"Step 11 of {length}. You are at the " in status
    assert sums[0] > 0 > sums[1]
    for value, text in zip(sums, shown, strict=True):
        scale = {"k": 1e3, "M": 1e6}.get(text[-1], 1)
        read = float(text.rstrip("kM").replace("\N{MINUS SIGN}", "-")) * scale
        assert read == pytest.approx(value, rel=0.006, abs=1e-3)


def test_a_link_watches_a_trained_agent(browser, exported, walks):
    browser.get("about:blank")
    browser.get(f"{exported}#rooms=excess")
    wait_for(browser, "LN.rooms && LN.rooms.figure && LN.rooms.figure.state().time > 5")
    time, cells = browser.execute_script(
        "const { time, cells } = LN.rooms.figure.state(); return [time, cells]"
    )
    places = walks.arrays["places"]
    seen = walks.arrays["observations"][walks.results["drives"].index("excess"), : time + 1, 0]
    assert cells == np.abs(seen[:, None] - places).argmin(1).tolist()
    chosen = browser.find_element("css selector", "#panel-rooms select").get_attribute("value")
    assert chosen == "excess"

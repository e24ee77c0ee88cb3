"""The first tab: a series is drawn or pasted, and its numbers are those of Python."""

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel, wait_for
from learnable_novelty.measure.words import percent

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
ROOT = "#panel-start"
PAPER = {"ridge_penalty": 0.1, "draws": 4, "null": 19}
TESTED = "LN.start.latest() && LN.start.latest().p_value !== null"


@pytest.fixture
def page(browser, exported):
    open_panel(browser, exported, "start")
    wait_for(browser, TESTED)
    return browser


def series(browser):
    return np.array(browser.execute_script("return Array.from(LN.start.series())"))


def choose(browser, name):
    browser.find_element("css selector", f"{ROOT} [data-name={name}]").click()


def told(browser):
    return [one.text for one in browser.find_elements("css selector", f"{ROOT} .told li")]


def check(browser, window=8, history=4):
    """Compare the three cards and the numbers behind them with Python."""
    wait_for(browser, TESTED)
    truth = ln.score(series(browser), window=window, history=history, **PAPER)
    found = browser.execute_script("return LN.start.latest()")
    for name in ("bits", "held_out_variance", "p_value", "dependence_p_value"):
        assert found[name] == pytest.approx(getattr(truth, name), rel=1e-9), name
    shown = [
        browser.find_element("css selector", f"{ROOT} .card-{name} dd").text.replace("\u00a0", " ")
        for name in ("held", "chance", "raw")
    ]
    assert shown[0] == percent(truth.held_out_variance)
    smallest = truth.p_text.startswith("p <=")
    assert shown[1] == ("≤ " if smallest else "") + f"{truth.p_value:.2g}"
    assert shown[2] == f"{truth.bits:.1f} bits\nn = {truth.num_samples}"
    return truth


@pytest.mark.parametrize("name", ["sine", "noise", "logistic"])
def test_every_example_has_its_sentences(page, name):
    choose(page, name)
    pressed = page.find_elements("css selector", f"{ROOT} [aria-pressed=true]")
    assert [button.get_attribute("data-name") for button in pressed] == [name]
    wait_for(page, "LN.start.latest().p_value === null")
    truth = check(page)
    assert truth.p_value is not None
    first, second, third = told(page)
    assert first.startswith("From four values the observer ")
    assert ("this is more than chance" in second) == (truth.p_value <= 0.05) == (name != "noise")
    assert f" score is {truth.bits:.1f} bits." in third
    assert page.get_log("browser") == []


def test_the_line_is_drawn_by_keyboard(page):
    before = series(page)
    page.execute_script(f"document.querySelector('{ROOT} canvas').focus()")
    webdriver.ActionChains(page).send_keys(
        Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP
    ).perform()
    changed = np.flatnonzero(series(page) != before)
    assert changed.tolist() == [2]
    assert series(page)[2] > before[2]
    text = page.find_element("css selector", f"{ROOT} canvas").get_attribute("aria-valuetext")
    assert text.startswith("step 3 of 240: ")


def test_a_dropped_file_is_a_series(page):
    page.execute_script(
        "const data = new DataTransfer();"
        "const text = Array.from({length: 50}, (_, i) => i % 7).join('\\n');"
        "data.items.add(new File([text], 's.txt'));"
        "document.querySelector('#panel-start canvas').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))"
    )
    wait_for(page, "LN.start.series().length === 50")
    assert series(page).tolist() == [i % 7 for i in range(50)]

"""The first tab: a series is drawn, and its bits are those of Python."""

import re

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel, wait_for

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
ROOT = "#panel-start"
PAPER = {"ridge_penalty": 0.1, "draws": 4, "null": 19}
RESTING = "LN.start.isResting()"
TESTED = "LN.start.latest() && LN.start.latest().p_value !== null"


def cards(browser):
    """What the three cards say: raw bits, denoised bits, held-out variance in percent."""
    names = ("raw", "denoised", "held")
    shown = [browser.find_element("css selector", f"{ROOT} .card-{name} dd") for name in names]
    return [float(re.findall(r"[\d.]+", card.text)[0]) for card in shown]


def series(browser):
    return np.array(browser.execute_script("return Array.from(LN.start.series())"))


def set_noise(browser, percent):
    browser.execute_script(
        "const box = document.getElementById('start-noise'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input'))",
        percent,
    )


def choose(browser, name):
    browser.find_element("css selector", f"{ROOT} [data-name={name}]").click()


def told(browser):
    return [one.text for one in browser.find_elements("css selector", f"{ROOT} .told li")]


def test_the_page_opens_on_start(browser, exported):
    browser.get("about:blank")
    browser.get(exported)
    assert browser.find_element("id", "panel-start").is_displayed()
    wait_for(browser, TESTED)
    truth = ln.score(series(browser), window=8, history=4, **PAPER)
    raw, denoised, held_out = cards(browser)
    assert raw == pytest.approx(truth.bits, abs=0.051)
    assert denoised == pytest.approx(truth.denoised_bits, abs=0.051)
    assert held_out == pytest.approx(100 * truth.held_out_variance, abs=0.51)
    assert len(told(browser)) == 3
    first = browser.find_element("css selector", f"{ROOT} .stats").text
    assert first.startswith("Denoised bits")
    assert f"n = {truth.num_samples}" in first.replace("\u00a0", " ")
    assert browser.get_log("browser") == []


def test_noise_raises_raw_bits_and_leaves_denoised_bits(browser, exported):
    open_panel(browser, exported, "start")
    choose(browser, "sine")
    wait_for(browser, TESTED)
    clean = cards(browser)
    set_noise(browser, 100)
    wait_for(browser, f"{TESTED} && LN.start.latest().bits > {clean[0] + 5}")
    noisy = cards(browser)
    assert noisy[0] > 3 * clean[0]
    assert 0.7 * clean[1] < noisy[1] < 1.5 * clean[1]
    choose(browser, "noise")
    wait_for(browser, f"{TESTED} && LN.start.latest().denoised_bits === 0")
    assert cards(browser)[0] > 15
    assert "0.0 bits are left" in told(browser)[1]


@pytest.mark.slow
def test_the_sweep_shows_the_same_for_every_level(browser, exported):
    open_panel(browser, exported, "start")
    choose(browser, "sine")
    wait_for(browser, RESTING, 60)
    caption = browser.find_element("css selector", f"{ROOT} .start > div figcaption").text
    assert caption.startswith("Noise as large as the series itself takes raw bits from ")
    assert len(browser.find_elements("css selector", f"{ROOT} svg circle[r='3.5']")) == 18
    raw, denoised, _ = cards(browser)  # without noise, where the sweep begins
    assert f"raw bits from {raw:.1f} to" in caption
    assert f"denoised bits from {denoised:.1f} to" in caption


def test_bits_move_while_the_line_is_drawn(browser, exported):
    open_panel(browser, exported, "start")
    wait_for(browser, TESTED)
    canvas = browser.find_element("css selector", f"{ROOT} canvas")
    before, seen = series(browser), set()
    hand = webdriver.ActionChains(browser, duration=30)
    hand.move_to_element_with_offset(canvas, -200, 0).click_and_hold()
    for k in range(12):
        hand.move_by_offset(30, 60 if k % 2 else -60)
    hand.perform()
    wait_for(browser, "LN.start.latest().p_value === null")
    seen.add(browser.execute_script("return LN.start.latest().bits"))
    webdriver.ActionChains(browser).release().perform()
    wait_for(browser, TESTED)
    drawn = series(browser)
    assert (drawn != before).sum() > 50
    truth = ln.score(drawn, window=8, history=4, **PAPER)
    found = browser.execute_script("return LN.start.latest()")
    assert found["bits"] == pytest.approx(truth.bits, rel=1e-9)
    assert found["denoised_bits"] == pytest.approx(truth.denoised_bits, rel=1e-9)
    pressed = browser.find_elements("css selector", f"{ROOT} [aria-pressed=true]")
    assert pressed == []


def test_the_line_is_drawn_by_keyboard(browser, exported):
    open_panel(browser, exported, "start")
    wait_for(browser, TESTED)
    before = series(browser)
    browser.execute_script(f"document.querySelector('{ROOT} canvas').focus()")
    webdriver.ActionChains(browser).send_keys(
        Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP
    ).perform()
    changed = np.flatnonzero(series(browser) != before)
    assert changed.tolist() == [2]
    assert series(browser)[2] > before[2]
    text = browser.find_element("css selector", f"{ROOT} canvas").get_attribute("aria-valuetext")
    assert text.startswith("step 3 of 240: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 spam 4", "Expected numbers, got “spam” as number 3."),
        ("1, 2, 3", "Expected at least 12 numbers, got 3."),
        ("1 " * 2001, "Expected at most 2,000 numbers here, got 2,001; the tab Your data"),
    ],
)
def test_what_is_no_series_gets_its_sentence(browser, exported, text, said):
    open_panel(browser, exported, "start")
    paste(browser, text)
    note = browser.find_element("css selector", f"{ROOT} .note")
    assert note.is_displayed() and note.text.startswith(said)


def paste(browser, text):
    browser.execute_script(
        "const fold = document.querySelector('#panel-start details'); fold.open = true;"
        "fold.querySelector('textarea').value = arguments[0];"
        "fold.querySelector('button').click()",
        text,
    )


def test_pasted_numbers_are_scored(browser, exported):
    open_panel(browser, exported, "start")
    values = np.random.default_rng(0).standard_normal(40).cumsum()
    paste(browser, "; ".join(map(repr, values.tolist())))
    np.testing.assert_array_equal(series(browser), values)
    wait_for(browser, f"{TESTED} && LN.start.latest().num_samples === 37")
    truth = ln.score(values, window=2, history=2, **PAPER)
    found = browser.execute_script("return LN.start.latest()")
    assert found["bits"] == pytest.approx(truth.bits, rel=1e-9)
    assert found["p_value"] == pytest.approx(truth.p_value)


def test_a_dropped_file_is_a_series(browser, exported):
    open_panel(browser, exported, "start")
    browser.execute_script(
        "const data = new DataTransfer();"
        "const text = Array.from({length: 50}, (_, i) => i % 7).join('\\n');"
        "data.items.add(new File([text], 's.txt'));"
        "document.querySelector('#panel-start canvas').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))"
    )
    wait_for(browser, "LN.start.series().length === 50")
    assert series(browser).tolist() == [i % 7 for i in range(50)]


def test_taps_of_the_space_bar_are_a_series(browser, exported):
    open_panel(browser, exported, "start")
    choose(browser, "heart")
    button = browser.find_element("css selector", f"{ROOT} .beat")
    assert browser.switch_to.active_element == button
    count = browser.find_element("css selector", f"{ROOT} .tapping [role=status]")
    assert count.text == "13 more taps to the first score"
    for _ in range(14):
        webdriver.ActionChains(browser).send_keys(Keys.SPACE).perform()
    assert len(series(browser)) == 13
    assert (series(browser) > 0).all()
    assert count.text.startswith("14 taps")
    wait_for(browser, TESTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sine", "both", "noise", "logistic", "walk"])
def test_every_example_has_its_sentences(browser, exported, name):
    open_panel(browser, exported, "start")
    choose(browser, name)
    pressed = browser.find_elements("css selector", f"{ROOT} [aria-pressed=true]")
    assert [button.get_attribute("data-name") for button in pressed] == [name]
    wait_for(browser, TESTED)
    first, second, third = told(browser)
    assert first.startswith("From four values the observer ")
    assert second.startswith("The raw score is ")
    assert ("this is more than chance" in third) == (name != "noise")
    assert browser.get_log("browser") == []

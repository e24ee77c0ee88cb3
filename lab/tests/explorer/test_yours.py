"""A file of one's own, dropped on the page in a real browser."""

import base64

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel, wait_for
from learnable_novelty.measure.defaults import default_observer
from learnable_novelty.measure.words import percent, plain
from learnable_novelty.seeds import split

ROOT = "#panel-yours"
DROP = """
const [name, text] = arguments, data = new DataTransfer();
const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
data.items.add(new File([bytes], name));
document.querySelector('#panel-yours .drop').dispatchEvent(
  new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
"""


def drop(browser, name, content):
    browser.execute_script(DROP, name, base64.b64encode(content).decode())


def wait_for_form(browser):
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")


def press_score(browser):
    # Not by the pointer: the answer may have scrolled the button under the tabs.
    browser.execute_script(f"document.querySelector('{ROOT} form button[type=submit]').click()")
    answered = f"{ROOT} .answer figure, {ROOT} .answer .note"
    wait_for(browser, f"document.querySelector('{answered}')", 60)


def stats(browser):
    """What the cards above the answer say."""
    cards = browser.find_elements("css selector", f"{ROOT} .stats div")
    return dict([e.find_element("tag name", part).text for part in ("dt", "dd")] for e in cards)


def parts(browser):
    """Name, kind and part of every column."""
    return browser.execute_script(
        f"return [...document.querySelectorAll('{ROOT} form tbody tr')].map(row =>"
        "[row.cells[0].textContent, row.cells[1].textContent, row.querySelector('select').value])"
    )


def finding(browser):
    return browser.find_element("css selector", f"{ROOT} .answer .finding").text


def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 2))
    return x, np.sin(2 * x[:, 0]) + 0.1 * rng.standard_normal(80)


def as_csv(x, y, header="a,b,y"):
    lines = [",".join(map(repr, row)) for row in np.column_stack([x, y]).tolist()]
    return "\n".join([header, *lines]).encode()


def verdict_of(truth):
    """The sentence without the test for a bend, which the page does not have."""
    explains = f"explains {percent(truth.linear_variance)}"
    return truth.verdict.partition(explains)[0] + explains + "."


def score_as_the_page(path, target, rows, inputs):
    """Score a file with the observer of arrays, which the page has for tables too."""
    observer = default_observer((rows, inputs), "evidence", 1.0)
    return ln.score(path, target, observer=observer.redraw(split(0, "draw", 0)), draws=8)


def check_answer(browser, truth):
    found = stats(browser)
    low, high = map(percent, truth.held_out_interval)
    share = percent(truth.held_out_variance)
    assert found["held-out variance"] == f"{share} ({low} to {high})"
    assert found["straight line"] == percent(truth.linear_variance)
    assert found["p-value"] == truth.p_text.removeprefix("p ").removeprefix("= ").replace("<=", "≤")
    assert found["raw bits"] == f"{plain(truth.bits)} n = {truth.num_samples}"


@pytest.mark.parametrize("kind", ["address", "exported"])
def test_a_dropped_file_gives_the_bits_of_python(browser, request, kind, tmp_path):
    x, y = table()
    path = tmp_path / "my data.csv"
    path.write_bytes(as_csv(x, y))
    truth = score_as_the_page(path, "y", 80, 2)
    open_panel(browser, request.getfixturevalue(kind), "yours")
    drop(browser, path.name, path.read_bytes())
    wait_for_form(browser)
    shown = [["a", "number", "input"], ["b", "number", "input"], ["y", "number", "target"]]
    assert parts(browser) == shown
    press_score(browser)
    check_answer(browser, truth)
    first = browser.execute_script(
        f"return document.querySelector('{ROOT} .answer').firstChild.textContent"
    )
    assert first.lower() == verdict_of(truth).lower()
    marks = browser.find_elements("css selector", f"{ROOT} .answer circle[r='3.5']")
    assert len(marks) == 80
    assert browser.get_log("browser") == []


def test_the_sample_is_read_and_answered(browser, exported, tmp_path):
    open_panel(browser, exported, "yours")
    path = tmp_path / "pendulums.csv"
    path.write_text(
        browser.execute_async_script("LN.yours.sample().text().then(arguments[0])"), "utf-8"
    )
    browser.find_element("css selector", f"{ROOT} .drop button").click()
    wait_for_form(browser)
    assert parts(browser) == [
        ["id", "it counts the rows", ""],
        ["length_cm", "number", "input"],
        ["weight_g", "number", "input"],
        ["material", "category of 3", "input"],
        ["period_s", "number", "target"],
    ]
    press_score(browser)
    truth = score_as_the_page(path, "period_s", 120, 6)
    check_answer(browser, truth)
    assert finding(browser).startswith("Clear relation: the inputs explain 9")
    notes = [e.text for e in browser.find_elements("css selector", f"{ROOT} .answer .things li")]
    assert "left out: id (it counts the rows)" in notes
    assert "2 of 120 rows have gaps of inputs: filled and marked (length_cm)" in notes
    assert set(notes[1:]) <= set(truth.decisions)

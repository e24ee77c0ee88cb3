"""A file of one's own, dropped on the page in a real browser."""

import base64
import io

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel, wait_for

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


def press_score(browser):
    browser.find_element("css selector", f"{ROOT} form button").click()
    wait_for(browser, f"document.querySelector('{ROOT} .answer figure, {ROOT} .note')", 60)


def stats(browser):
    """What the cards above the answer say."""
    cards = browser.find_elements("css selector", f"{ROOT} .stats div")
    return dict([e.find_element("tag name", part).text for part in ("dt", "dd")] for e in cards)


def table():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 2))
    return x, np.sin(2 * x[:, 0]) + 0.1 * rng.standard_normal(80)


def as_csv(x, y, header="a,b,y"):
    lines = [",".join(map(repr, row)) for row in np.column_stack([x, y]).tolist()]
    return "\n".join([header, *lines]).encode()


def test_a_dropped_file_gives_the_bits_of_python(browser, address):
    x, y = table()
    truth = ln.score(x, y)
    open_panel(browser, address, "yours")
    drop(browser, "my data.csv", as_csv(x, y))
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    roles = browser.execute_script(
        f"return [...document.querySelectorAll('{ROOT} .columns label')]"
        ".map(l => [l.firstChild.data, l.querySelector('select').value])"
    )
    assert roles == [["a", "input"], ["b", "input"], ["y", "target"]]
    press_score(browser)
    found = stats(browser)
    assert found["learnable novelty"].startswith(f"{truth.bits:.2f} ± {truth.bits_se:.2f} bits")
    assert found["floor: score of the residuals"] == f"{truth.floor_bits:.2f} bits"
    assert found["excess over the floor"] == f"{truth.excess_bits:.2f} bits"
    assert float(found["p-value"]) == pytest.approx(truth.p_value, rel=1e-2)
    bars = len(browser.find_elements("css selector", f"{ROOT} .bar"))
    assert bars == sum(value > 1e-12 for value in truth.spectrum)
    assert browser.get_log("browser") == []


def test_columns_can_be_chosen(browser, address):
    x, y = table()
    truth = ln.score(x[:, :1], y)
    buffer = io.BytesIO()
    np.save(buffer, np.column_stack([x, y]))
    open_panel(browser, address, "yours")
    drop(browser, "a.npy", buffer.getvalue())
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    browser.execute_script(
        f"const box = document.querySelectorAll('{ROOT} .columns select')[1]; box.value = '';"
        "box.dispatchEvent(new Event('change'))"
    )
    press_score(browser)
    assert stats(browser)["learnable novelty"].startswith(f"{truth.bits:.2f} ")


def test_a_column_with_a_comma_in_its_name_can_be_chosen(browser, address):
    x, y = table()
    truth = ln.score(x[:, :1], y)
    open_panel(browser, address, "yours")
    drop(browser, "a.csv", as_csv(x, y, header='"a,""b""",0,y'))
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    browser.execute_script(
        f"const box = document.querySelectorAll('{ROOT} .columns select')[1]; box.value = '';"
        "box.dispatchEvent(new Event('change'))"
    )
    press_score(browser)
    assert stats(browser)["learnable novelty"].startswith(f"{truth.bits:.2f} ")
    assert 'a,"b" → y' in browser.find_element("css selector", f"{ROOT} figcaption").text


def test_control_characters_of_a_name_are_shown(browser, address):
    open_panel(browser, address, "yours")
    drop(browser, "a.csv", "a\u202e,y\x1b\n1,2\n3,4\n".encode())
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    names = browser.execute_script(
        f"return [...document.querySelectorAll('{ROOT} .columns label')]"
        ".map(label => label.firstChild.data)"
    )
    assert names == [r"a\u{202e}", r"y\u{1b}"]


def test_a_series_is_scored_by_its_window(browser, address):
    series = np.sin(0.3 * np.arange(120)) ** 3
    truth = ln.score(series, window=5, history=2)
    open_panel(browser, address, "yours")
    drop(browser, "s.csv", "\n".join(map(repr, series.tolist())).encode())
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    for box, value in zip(
        browser.find_elements("css selector", f"{ROOT} form input[type=number]"), "52", strict=True
    ):
        box.clear()
        box.send_keys(value)
    press_score(browser)
    assert stats(browser)["learnable novelty"].startswith(f"{truth.bits:.2f} ")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "The file is empty"),
        ("a.exe", b"MZ", "Expected a file ending in .csv, .tsv, .npy"),
        ("a.npy", b"\x93NUMPY spam", "Expected NumPy data in a.npy"),
    ],
)
def test_a_file_that_is_no_table_gets_its_sentence(browser, address, name, content, said):
    open_panel(browser, address, "yours")
    drop(browser, name, content)
    wait_for(browser, f"document.querySelector('{ROOT} .note')")
    text = browser.find_element("css selector", f"{ROOT} .note").text
    assert said.lower() in text.lower()
    assert not browser.find_element("css selector", f"{ROOT} form").is_displayed()
    browser.get_log("browser")  # the refusal itself is logged by the browser


def test_a_column_of_words_gets_its_sentence(browser, address):
    open_panel(browser, address, "yours")
    drop(browser, "a.csv", b"a,y\n1,2\n3,spam\n")
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    press_score(browser)
    text = browser.find_element("css selector", f"{ROOT} .note").text
    assert text.startswith("Expected numbers in column 'y', got 'spam' in row 1")
    assert text.endswith("leave that column out.")
    browser.get_log("browser")


def test_a_large_file_is_refused_before_it_is_sent(browser, address):
    open_panel(browser, address, "yours")
    browser.execute_script(
        "const data = new DataTransfer();"
        "data.items.add(new File([new Uint8Array(LN.data.index.largest + 1)], 'a.csv'));"
        f"document.querySelector('{ROOT} .drop').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: data}))"
    )
    wait_for(browser, f"document.querySelector('{ROOT} .note')")
    assert "at most 20 MB" in browser.find_element("css selector", f"{ROOT} .note").text


def test_a_file_of_two_rows_is_answered(browser, address):
    open_panel(browser, address, "yours")
    drop(browser, "a.csv", b"a,y\n1,2\n3,4\n")
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    press_score(browser)
    found = stats(browser)
    assert found["learnable novelty"] == "0.00 bits"
    shown = browser.find_element("css selector", f"{ROOT} .answer").text
    assert "too few samples" in shown
    assert "NaN" not in shown and "null" not in shown.replace("null bits", "")
    first = browser.execute_script(
        f"return document.querySelector('{ROOT} .answer').firstChild.textContent"
    )
    assert first.startswith("No p-value: a permutation test needs at least 4 samples")


def test_a_file_dropped_beside_the_zone_does_not_leave_the_page(browser, address):
    open_panel(browser, address, "yours")
    kept = browser.execute_script(
        "const data = new DataTransfer(); data.items.add(new File(['1'], 'a.csv'));"
        "return ['dragover', 'drop'].map(kind => !document.body.dispatchEvent("
        "new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true})))"
    )
    assert kept == [True, True]


def test_the_exported_page_says_how_to_score(browser, exported):
    open_panel(browser, exported, "yours")
    assert "novelty explore" in browser.find_element("css selector", f"{ROOT} pre").text
    assert not browser.find_elements("css selector", f"{ROOT} input")


def test_a_chosen_file_is_taken_too(browser, address, tmp_path):
    x, y = table()
    path = tmp_path / "data.csv"
    path.write_bytes(as_csv(x, y))
    open_panel(browser, address, "yours")
    browser.find_element("css selector", f"{ROOT} input[type=file]").send_keys(str(path))
    wait_for(browser, f"!document.querySelector('{ROOT} form').hidden")
    assert browser.find_element("css selector", f"{ROOT} form h3").text == "data.csv"

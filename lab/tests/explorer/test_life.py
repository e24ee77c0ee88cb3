"""The panel of the life-like rules: its cells against Python's, its map against the record."""

import re

import numpy as np
import pytest

from lab.tests.explorer.life_record import BEST, excess, life_record
from lab.tests.explorer.page import open_panel, wait_for
from novelty_lab.explorer.site import export
from novelty_lab.studies.life_map.results import langton
from novelty_lab.systems.life import LifeRule

RULES = [
    "B3/S23",
    "B36/S125",
    "B0123478/S01234678",
    "B0/S",
    "B02468/S1357",
    "B8/S8",
    "B1/S012345678",
]
RULES += ["B012345678/S012345678", "B4678/S35678", "B/S", "B05/S8"]


@pytest.fixture(scope="module")
def record():
    return life_record()


@pytest.fixture(scope="module")
def results(record, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    record.save(folder)
    return folder


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    export(results, folder)
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def opened(browser, page):
    """The panel with all its data, opened once for the tests that only ask it."""
    browser.get_log("browser")
    open_panel(browser, page, "life")
    wait_for(browser, "LN.life.panel.loaded()")
    assert browser.get_log("browser") == []
    yield browser
    # That tests read canvases back is worth a warning to Chromium, and nobody else's.
    messages = [entry["message"] for entry in browser.get_log("browser")]
    assert [text for text in messages if "getImageData" not in text] == []


def ask(browser, script, *arguments):
    prelude = "const {life} = LN, panel = life.panel, map = panel.map(), world = panel.world();"
    return browser.execute_script(prelude + script, *arguments)


def test_cells_of_every_rule_are_those_of_python(opened):
    """From a soup, at sizes of one and several words; the canvas shows the cells."""
    generator = np.random.default_rng(0)
    random = [str(LifeRule(int(code))) for code in generator.integers(0, 1 << 18, 20)]
    for width, height in ((32, 5), (96, 40)):
        start = generator.integers(0, 2, (height, width), dtype=np.uint8)
        found = ask(
            opened,
            "return arguments[0].map((rule) => {"
            "world.play(life.parse(rule), arguments[1], arguments[2], 25);"
            "const ink = LN.rgb('ink')[0];"
            "return [world.cells(), world.pixels().map((grey) => +(grey === ink))]; })",
            RULES + random,
            width,
            start.ravel().tolist(),
        )
        for text, shown in zip(RULES + random, found, strict=True):
            expected = LifeRule(text).advance(start, 25)
            for cells in shown:
                np.testing.assert_array_equal(np.reshape(cells, start.shape), expected, text)


def test_rules_are_written_and_related_as_in_python(opened):
    texts = ["b3s23", "S23/B3", "23/3", " b36/s23 ", "B/S", "/2", "B33/S", "B9/S", "", "x"]
    codes = np.random.default_rng(2).integers(0, 1 << 18, 30).tolist()
    parsed, found = ask(
        opened,
        "return [arguments[0].map((text) => life.parse(text) && life.write(life.parse(text))),"
        "arguments[1].map((code) => { const rule = life.ofCode(code);"
        "return [life.write(rule), life.write(life.complement(rule)), life.lambda(rule),"
        "life.neighbours(rule).map((other) => life.write(other.rule)), life.flashes(rule)]; })]",
        texts,
        codes,
    )

    def python(text):
        try:
            return str(LifeRule(text))
        except ValueError:
            return None

    assert parsed == [python(text) for text in texts]
    for code, (text, complement, share, neighbours, flashes) in zip(codes, found, strict=True):
        rule = LifeRule(code)
        assert (text, complement) == (str(rule), str(rule.complemented()))
        assert share == pytest.approx(langton(np.array([rule.number]))[0])
        assert sorted(neighbours) == sorted(str(LifeRule(code ^ 1 << bit)) for bit in range(18))
        assert flashes == (0 in rule.birth and 8 not in rule.survival)


def test_numbers_and_ranks_are_those_of_the_record(opened, record):
    values = excess(record)
    rule = LifeRule(BEST)
    press_search(opened, str(rule))
    here = values[rule.survival_mask, rule.birth_mask]
    facts = opened.find_element("css selector", "#panel-life .stats").text.replace("\n", " ")
    shown = re.search(r"excess (\S+) bits, n.=.8.tori.of.67.\u00d7.67.cells", facts)
    assert shown is not None
    assert float(shown[1].replace("\u2212", "-")) == pytest.approx(here, abs=0.051)
    assert "excess on 131 \u00d7 131 cells 99.5 ± 0.8 bits, 8 draws" in facts
    rank = 1 + int((values > here + 1e-9).sum())
    assert f"rank by excess {rank:,} of 262,144" in facts
    living = record.arrays["density"][rule.survival_mask, rule.birth_mask] / 100
    rows = opened.find_elements("css selector", "#panel-life .measures tbody tr")
    more = "\n".join(row.get_attribute("textContent") for row in rows)
    shown = re.search(r"living cells(\S+) %", more)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(living, abs=0.051)


def press_search(browser, text):
    return browser.execute_script(
        "const form = document.querySelector('#panel-life form');"
        " form.querySelector('input').value = arguments[0];"
        "form.requestSubmit(); return [LN.life.panel.rule(), "
        "form.querySelector('[role=status]').textContent]",
        text,
    )

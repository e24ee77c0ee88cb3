"""The panel of the life-like rules: its cells against Python's, its map against the record."""

import base64
import dataclasses
import re

import numpy as np
import pytest

from lab.tests.explorer.life_record import BEST, excess, life_record
from lab.tests.explorer.page import RESULTS, content, open_panel, serving, wait_for
from novelty_lab import records
from novelty_lab.explorer.site import build, export
from novelty_lab.studies.life_map.figure import drawn_order, place_of
from novelty_lab.systems.life import LifeRule
from novelty_lab.systems.life_catalogue import named_rules

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
Keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys

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


def test_the_data_are_those_of_the_record(results, record):
    site = build(results)
    held = content(site, "life")
    assert held["whole"]
    assert [row["name"] for row in held["named"]] == [one.name for one in named_rules()]
    for name in record.results["grain"]:
        packed = content(site, f"life-{name}")
        found = np.frombuffer(base64.b64decode(packed["base64"]), "<i2").reshape(512, 512)
        np.testing.assert_array_equal(found, record.arrays[name])
    assert held["limits"]["excess"][1] == pytest.approx(
        np.quantile(excess(record), 0.999), rel=1e-4
    )


def test_a_record_of_some_rules_is_a_sentence(browser, record, tmp_path):
    arrays = {"codes": np.arange(200, dtype=np.int32), "bits": np.zeros(200, np.int16)}
    part = dataclasses.replace(record, results=record.results | {"rules": 200}, arrays=arrays)
    part.save(tmp_path)
    browser.get_log("browser")
    with serving(build(tmp_path)) as server:
        open_panel(browser, server.address, "life")
        text = browser.find_element("id", "panel-life").text
    assert "has 200 rules; the map needs all 262,144" in text
    assert "novelty run life-map" in text
    assert browser.get_log("browser") == []


def test_no_record_is_a_sentence(browser, tmp_path):
    with serving(build(tmp_path)) as server:
        open_panel(browser, server.address, "life")
        assert "novelty run life-map" in browser.find_element("id", "panel-life").text


@pytest.mark.slow
def test_served_it_opens_without_a_complaint_at_every_width(browser, results):
    browser.get_log("browser")
    with serving(build(results)) as server:
        for width in (390, 1280):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            try:
                open_panel(browser, server.address, "life")
                wait_for(browser, "LN.life.panel.loaded()")
                wide = browser.execute_script("return document.documentElement.scrollWidth")
            finally:
                browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            assert wide <= width
    assert browser.get_log("browser") == []


def test_cells_are_those_of_python(opened):
    """Every rule from a soup, at sizes of one and several words, by Python's plain definition."""
    generator = np.random.default_rng(0)
    for width, height in ((32, 5), (96, 40)):
        start = generator.integers(0, 2, (height, width), dtype=np.uint8)
        random = [str(LifeRule(int(code))) for code in generator.integers(0, 1 << 18, 20)]
        found = ask(
            opened,
            "return arguments[0].map((rule) => {"
            "world.play(life.parse(rule), arguments[1], arguments[2], 25);"
            " return world.cells(); })",
            RULES + random,
            width,
            start.ravel().tolist(),
        )
        for text, cells in zip(RULES + random, found, strict=True):
            rule, expected = LifeRule(text), start
            for _ in range(25):
                expected = rule.step(expected)
            np.testing.assert_array_equal(np.reshape(cells, start.shape), expected, text)


def test_the_canvas_shows_the_cells(opened):
    start = np.random.default_rng(1).integers(0, 2, (256, 256), dtype=np.uint8)
    pixels, ink, card = ask(
        opened,
        "world.play(life.parse('B03/S23'), 256, arguments[0], 7);"
        "return [world.pixels(), LN.rgb('ink')[0], LN.rgb('card')[0]]",
        start.ravel().tolist(),
    )
    expected = LifeRule("B03/S23").advance(start, 7)
    assert ink != card
    np.testing.assert_array_equal(np.reshape(pixels, (256, 256)), np.where(expected, ink, card))


def test_a_step_leaves_time_for_sixty_frames(opened):
    cost = ask(
        opened,
        "const torus = new life.Torus(256, 256), rule = life.parse('B3/S23'), times = [];"
        "const pixels = new Uint32Array(65536); torus.soup(0.5);"
        "for (let k = 0; k < 200; k++) { const start = performance.now();"
        "torus.step(rule); torus.paint(pixels, 1, 2); times.push(performance.now() - start); }"
        "return times.sort((a, b) => a - b)[100]",
    )
    assert cost < 1000 / 60 / 2


def test_notations_are_those_of_python(opened):
    texts = [
        "B3/S23",
        "b3s23",
        "S23/B3",
        "23/3",
        " b36/s23 ",
        "B/S",
        "/2",
        "B33/S",
        "B9/S",
        "",
        "x",
    ]
    found = ask(
        opened,
        "return arguments[0].map((text) => { const r = life.parse(text);"
        " return r && life.write(r); })",
        texts,
    )

    def python(text):
        try:
            return str(LifeRule(text))
        except ValueError:
            return None

    assert found == [python(text) for text in texts]


def test_complements_neighbours_codes_and_lambda_are_those_of_python(opened):
    codes = np.random.default_rng(2).integers(0, 1 << 18, 30).tolist()
    found = ask(
        opened,
        "return arguments[0].map((code) => { const rule = life.ofCode(code);"
        "return [life.write(rule), life.write(life.complement(rule)), life.lambda(rule),"
        "life.neighbours(rule).map((other) => life.write(other.rule)), life.flashes(rule)]; })",
        codes,
    )
    for code, (text, complement, share, neighbours, flashes) in zip(codes, found, strict=True):
        rule = LifeRule(code)
        assert text == str(rule)
        assert complement == str(rule.complemented())
        assert share == pytest.approx(rule.langton_lambda)
        assert sorted(neighbours) == sorted(str(LifeRule(code ^ 1 << bit)) for bit in range(18))
        assert flashes == rule.flashes


def press_map(browser, column, row):
    """Click into the middle of a cell of the drawn map, whatever part of it is in view."""
    ask(
        browser,
        "map.node.scrollIntoView({block: 'center'}); const box = map.node.getBoundingClientRect();"
        "const view = map.view(), at = (v, from) => (v + 0.5 - from) / view.span * box.width;"
        "const place = {clientX: box.left + at(arguments[0], view.x), pointerId: 1,"
        "clientY: box.top + at(arguments[1], view.y), bubbles: true};"
        "map.node.setPointerCapture = () => {};"
        "for (const kind of ['pointerdown', 'pointerup'])"
        "map.node.dispatchEvent(new PointerEvent(kind, place));",
        column,
        row,
    )
    return ask(browser, "return panel.rule()")


def test_a_click_on_the_map_runs_the_rule_there(opened):
    named = {place_of(str(one.rule)) for one in named_rules()}
    generator = np.random.default_rng(3)
    ask(opened, "map.whole()")
    for zoom in (1, 4, 8):
        ask(opened, "map.whole(); map.zoom(arguments[0], 0.3, 0.6)", zoom)
        view = ask(opened, "return map.view()")
        for _ in range(5):
            column, row = (int(view[v] + view["span"] * generator.uniform(0.1, 0.9)) for v in "xy")
            if min(np.hypot(column - x, row - y) for x, y in named) < 12:
                continue
            order = drawn_order()
            expected = str(LifeRule.at(int(order[column]), int(order[row])))
            assert press_map(opened, column, row) == expected
            assert place_of(expected) == (column, row)
            assert ask(opened, "return life.write(world.rule())") == expected
    ask(opened, "map.whole()")


def test_a_near_click_takes_the_mark_from_afar_and_the_cell_from_near(opened):
    column, row = place_of("B36/S23")
    ask(opened, "map.whole()")
    assert press_map(opened, column, row) == "B36/S23"
    ask(opened, "map.goTo(life.parse('B36/S23')); map.zoom(4)")
    beside = LifeRule.at(int(drawn_order()[column + 1]), int(drawn_order()[row]))
    assert press_map(opened, column + 1, row) == str(beside)
    ask(opened, "map.whole()")


def test_a_real_click_and_the_keyboard_choose(opened):
    ask(opened, "map.whole(); map.node.scrollIntoView({block: 'center'})")
    canvas = ask(opened, "return map.node")
    webdriver.ActionChains(opened).move_to_element(canvas).click().perform()
    first = ask(opened, "return panel.rule()")
    column, row = place_of(first)
    assert max(abs(column - 256), abs(row - 256)) <= 6
    webdriver.ActionChains(opened).send_keys(
        Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ENTER
    ).perform()
    order = drawn_order()
    expected = LifeRule.at(int(order[column + 1]), int(order[row + 1]))
    assert ask(opened, "return panel.rule()") == str(expected)


def test_the_wheel_alone_scrolls_the_page(opened):
    zoomed, kept = ask(
        opened,
        "map.whole(); map.zoom(4); const before = map.view().span, event = new WheelEvent('wheel',"
        "{deltaY: 120, cancelable: true}); map.node.dispatchEvent(event);"
        "return [map.view().span !== before, !event.defaultPrevented]",
    )
    assert not zoomed
    assert kept


def test_axes_name_the_counts_that_halve_the_view(opened):
    whole, near = ask(
        opened,
        "const read = () => ['.across', '.down'].map((side) => [...document.querySelectorAll("
        "`#panel-life ${side} > div`)].map((row) => [...row.children].map((e) => e.textContent)));"
        "map.whole(); const first = read(); map.goTo(life.parse('B3/S23')); map.zoom(1000);"
        "return [first, read()]",
    )
    assert whole == [
        [[f"no {x}0", f"{x}0"], [f"no {x}1", f"{x}1", f"no {x}1", f"{x}1"]] for x in "BS"
    ]
    for letter, rows in zip("BS", near, strict=True):
        # Eight rules across: counts 6 to 8 tell them apart, and perhaps one more at an edge.
        assert {label[-2] for row in rows for label in row} == {letter}
        assert all(int(label[-1]) >= 3 for row in rows for label in row)
    ask(opened, "map.whole()")


def test_the_wheel_zooms_around_the_pointer(opened):
    before, after, back = ask(
        opened,
        "map.whole(); const box = map.node.getBoundingClientRect(), wheel = (deltaY) =>"
        "map.node.dispatchEvent(new WheelEvent('wheel', {deltaY, cancelable: true, ctrlKey: true,"
        "clientX: box.left + 0.25 * box.width, clientY: box.top + 0.75 * box.height}));"
        "const states = [map.view()]; wheel(-120); wheel(-120); states.push(map.view());"
        "for (let k = 0; k < 9; k++) wheel(120); states.push(map.view()); return states",
    )
    assert after["span"] < 0.6 * before["span"]
    assert after["x"] + 0.25 * after["span"] == pytest.approx(128, abs=1)
    assert after["y"] + 0.75 * after["span"] == pytest.approx(384, abs=1)
    assert (back["x"], back["y"], back["span"]) == (0, 0, 512)


def test_dragging_moves_the_map_and_chooses_nothing(opened):
    rule = press_search(opened, "B3/S23")[0]
    before, after, scale, chosen = ask(
        opened,
        "map.whole(); map.zoom(4); map.node.setPointerCapture = () => {};"
        "const send = (kind, clientX, clientY) => map.node.dispatchEvent("
        "new PointerEvent(kind, {pointerId: 1, clientX, clientY})), before = map.view();"
        "send('pointerdown', 200, 200); send('pointermove', 150, 230); send('pointerup', 150, 230);"
        "return [before, map.view(), map.node.clientWidth / before.span, panel.rule()]",
    )
    assert after["x"] - before["x"] == pytest.approx(50 / scale)
    assert after["y"] - before["y"] == pytest.approx(-30 / scale)
    assert after["span"] == before["span"]
    assert chosen == rule


def test_two_fingers_zoom(opened):
    before, after, chosen = ask(
        opened,
        "map.whole(); map.node.setPointerCapture = () => {}; const rule = panel.rule();"
        "const box = map.node.getBoundingClientRect(), y = box.top + 100;"
        "const send = (kind, pointerId, x) => map.node.dispatchEvent(new PointerEvent(kind,"
        "{pointerId, clientX: box.left + x, clientY: y, pointerType: 'touch'}));"
        "const before = map.view();"
        "send('pointerdown', 1, 100); send('pointerdown', 2, 150); send('pointermove', 2, 200);"
        "send('pointerup', 1, 100); send('pointerup', 2, 200);"
        "return [before, map.view(), panel.rule() === rule]",
    )
    assert after["span"] == pytest.approx(before["span"] / 2)
    assert chosen
    ask(opened, "map.whole()")


def test_colours_stand_for_the_values_of_the_record(opened, record):
    """Pixels of the map are viridis of the value between the ends that the legend names."""
    colormaps = pytest.importorskip("matplotlib").colormaps
    order, values = drawn_order(), excess(record)
    places = [(0, 0), (511, 0), (3, 500), (256, 255), (77, 401)]
    shown, (low, high) = ask(
        opened,
        "const c = panel.picture().getContext('2d');"
        "return [arguments[0].map(([x, y]) => [...c.getImageData(x, y, 1, 1).data]),"
        "panel.limits('excess')]",
        places,
    )
    for (column, row), pixel in zip(places, shown, strict=True):
        value = values[order[row], order[column]]
        expected = colormaps["viridis"](np.clip((value - low) / (high - low), 0, 1), bytes=True)
        np.testing.assert_allclose(pixel, expected, atol=3)
    ends = opened.find_element("css selector", "#panel-life .ends").text.split()
    assert float(ends[0]) == low
    assert float(ends[-3]) == pytest.approx(high, abs=0.06)


def test_other_measures_and_ranks_colour_the_map(opened, record):
    pick = (
        "const pick = (k, value) => { const box = document.querySelectorAll('#panel-life "
        "figure select')[k];"
        "box.value = value; box.dispatchEvent(new Event('change')); };"
    )
    order, density = drawn_order(), record.arrays["density"] * 1e-4
    lightness = ask(
        opened,
        pick + "pick(0, 'density'); pick(1, 'rank');"
        "const d = panel.picture().getContext('2d').getImageData(0, 0, 512, 1).data;"
        "const found = Array.from({length: 512}, (_, i) => d[4 * i + 1]);"
        "pick(1, 'value'); pick(0, 'excess'); return found",
    )
    # Green rises all the way along viridis: its order is that of the values.
    row = density[order[0]][order]
    climbs = np.array(lightness)[np.argsort(row, kind="stable")]
    assert (np.diff(climbs) >= 0).all()
    assert climbs[0] < 20 < 200 < climbs[-1]


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


def test_neighbours_are_sorted_by_excess_and_run_at_a_click(opened, record):
    values = excess(record)
    press_search(opened, str(LifeRule(BEST)))
    buttons = opened.find_elements("css selector", "#panel-life .near button")
    rules = [LifeRule(button.get_attribute("data-rule")) for button in buttons]
    assert rules[0] == LifeRule(BEST).complemented()
    order = [values[rule.survival_mask, rule.birth_mask] for rule in rules[1:]]
    assert order == sorted(order, reverse=True)
    assert {rule.number for rule in rules[1:]} == {BEST ^ 1 << bit for bit in range(18)}
    opened.execute_script("arguments[0].click()", buttons[3])
    assert ask(opened, "return panel.rule()") == str(rules[3])


def press_search(browser, text):
    return browser.execute_script(
        "const form = document.querySelector('#panel-life form');"
        " form.querySelector('input').value = arguments[0];"
        "form.requestSubmit(); return [LN.life.panel.rule(), "
        "form.querySelector('[role=status]').textContent]",
        text,
    )


def test_search_takes_rules_and_names(opened):
    by_name = {one.name: str(one.rule) for one in named_rules()}
    for text, rule in {
        "B3/S23": "B3/S23", "23/36": "B36/S23", "highlife": by_name["HighLife"],
        "day & n": by_name["Day & Night"], "Move": by_name["Morley"], "conway": "B3/S23",
        "224": "B3/S23", "34": by_name["34 Life"], "Seeds": by_name["Seeds"],
    }.items():  # fmt: skip
        assert press_search(opened, text) == [rule, ""]
        view = ask(opened, "return map.view()")
        column, row = place_of(rule)
        assert view["span"] <= 48
        assert view["x"] <= column < view["x"] + view["span"]
        assert view["y"] <= row < view["y"] + view["span"]
    rule, said = press_search(opened, "nothing of the kind")
    assert rule == by_name["Seeds"]
    assert "No such rule" in said
    ask(opened, "map.whole()")


def test_painting_changes_the_cells_under_the_pointer(opened):
    before, after = ask(
        opened,
        "world.play(life.parse('B3/S23'), 64, new Array(64 * 64).fill(0), 0);"
        "const canvas = world.node, before = world.cells(); canvas.setPointerCapture = () => {};"
        "const box = canvas.getBoundingClientRect(), at = (x, y) => ({pointerId: 1,"
        "clientX: box.left + (x + 0.5) / 64 * box.width, clientY: box.top + (y + 0.5) / 64 "
        "* box.height});"
        "canvas.dispatchEvent(new PointerEvent('pointerdown', at(10, 20)));"
        "canvas.dispatchEvent(new PointerEvent('pointermove', at(13, 20)));"
        "canvas.dispatchEvent(new PointerEvent('pointerup', at(13, 20)));"
        "canvas.dispatchEvent(new PointerEvent('pointermove', at(30, 30)));"
        "return [before, world.cells()]",
    )
    assert not any(before)
    living = np.argwhere(np.reshape(after, (64, 64)))
    assert living.tolist() == [[20, 10], [20, 11], [20, 12], [20, 13]]


def test_space_changes_the_cell_under_the_cursor(opened):
    cells = ask(
        opened,
        "world.play(life.parse('B3/S23'), 64, new Array(64 * 64).fill(0), 0);"
        "for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', ' '])"
        "world.node.dispatchEvent(new KeyboardEvent('keydown', {key})); return world.cells()",
    )
    assert np.argwhere(np.reshape(cells, (64, 64))).tolist() == [[31, 31]]


def test_buttons_step_clear_and_fill(opened):
    press = (
        "const press = (name) => [...document.querySelectorAll('#panel-life button')]"
        ".find((button) => button.textContent === name).click();"
    )
    start = np.random.default_rng(4).integers(0, 2, (64, 64), dtype=np.uint8)
    stepped, cleared, soup = ask(
        opened,
        press + "world.play(life.parse('B3/S23'), 64, arguments[0], 0); press('Step');"
        "const found = [world.cells()]; press('Clear'); found.push(world.cells());"
        "const range = document.querySelector('#panel-life input[type=range]'); range.value = 20;"
        "range.dispatchEvent(new Event('input')); found.push(world.cells());"
        "range.value = 50; range.dispatchEvent(new Event('input')); return found",
        start.ravel().tolist(),
    )
    np.testing.assert_array_equal(np.reshape(stepped, (64, 64)), LifeRule("B3/S23").step(start))
    assert not any(cleared)
    assert abs(np.mean(soup) - 0.2) < 0.04


def test_a_moving_object_moves_in_the_plane_it_needs(opened):
    """Life's glider in an empty plane; its negative in a full one under the complement."""
    kind = life_record().results["named"]
    glider = next(row["moving"][0] for row in kind if row["name"] == "Life")
    starts = ask(
        opened,
        "return ['B3/S23', 'B0123478/S01234678', 'B/S'].map((text) => "
        "life.startOf(life.parse(text), arguments[0]))",
        glider,
    )
    assert starts == [0, 1, None]
    press_search(opened, "Life")
    cells = ask(
        opened,
        "[...document.querySelectorAll('#panel-life .things button')][0].click();"
        " world.pause(); return world.cells()",
    )
    assert sum(cells) == 5


def test_the_sentence_is_made_from_the_record(opened, record):
    text = opened.find_element("css selector", "#panel-life .finding").text
    assert "Of 262,144 rules 17 score 0 bits" in text
    assert f"the highest rule, {LifeRule(BEST)}, has an excess of 99.5 ± 0.8 bits" in text
    place = next(row for row in record.results["named"] if row["name"] == "Life")["ranks"]["excess"]
    assert f"on the map Life ranks {place:.0f}." in text


def test_a_chosen_rule_keeps_its_name(opened):
    """Most names around Life are left out for want of room, but never the chosen one."""
    for one in named_rules():
        if len(one.rule.birth) < 3 and 3 in one.rule.birth:
            press_search(opened, one.name)
            assert one.name in ask(opened, "return map.view().named")
    ask(opened, "map.whole()")


def test_a_click_runs_within_a_second_and_moves_on(opened):
    press_search(opened, "B3/S23")
    wait_for(opened, "LN.life.panel.world().fps() > 0")
    spent = ask(
        opened,
        "const start = performance.now();"
        " document.querySelector('#panel-life form input').value = 'B2/S';"
        "document.querySelector('#panel-life form').requestSubmit();"
        " return performance.now() - start",
    )
    assert spent < 1000
    first = ask(opened, "return world.cells()")
    wait_for(opened, f"LN.life.panel.world().cells().join('') !== '{''.join(map(str, first))}'")
    ask(opened, "world.pause()")


def test_a_gallery_shows_its_pictures_and_runs_its_rules(opened, record):
    wait_for(
        opened,
        "document.querySelector('#panel-life .thumb canvas').getContext('2d')"
        ".getImageData(0, 0, 131, 131).data.some(Boolean)",
    )
    thumbs = opened.find_elements("css selector", "#panel-life .thumb")
    assert len(thumbs) == 3
    assert "99.5 ± 0.8 bits" in thumbs[0].text
    said = opened.find_elements("css selector", "#panel-life .sentences li")
    assert [line.get_attribute("textContent") for line in said] == [
        f"{rule}: Measured." for rule in (str(LifeRule(BEST)), "B5/S7", str(LifeRule(BEST)))
    ]
    opened.execute_script("arguments[0].click()", thumbs[1])
    assert ask(opened, "return panel.rule()") == "B5/S7"
    shown = ask(
        opened,
        "return [...document.querySelectorAll('#panel-life .thumb canvas')].map((canvas) =>"
        "[...canvas.getContext('2d').getImageData(0, 0, 131, 131).data]"
        ".filter((_, i) => i % 4 === 0))",
    )
    ago = np.reshape(shown, (3, 131, 131))
    np.testing.assert_allclose(ago, 255 * (1 - record.arrays["pictures"] / 16), atol=0.51)
    ask(opened, "map.whole()")


def test_every_recorded_object_moves_under_its_rule(opened):
    """The meter's patterns of the committed map, run again by the page."""
    found = records.load(RESULTS / "life-map" / "paper-seed0").results
    kinds = [(row["rule"], kind) for row in found["named"] for kind in row["moving"]]
    starts = ask(
        opened,
        "return arguments[0].map(([text, kind]) => life.startOf(life.parse(text), kind))",
        kinds,
    )
    assert len(kinds) > 10
    # A full plane stays full under AntiLife, whose glider is a hole in it.
    planes = {rule: start for (rule, _), start in zip(kinds, starts, strict=True)}
    assert None not in planes.values()
    assert planes["B3/S23"] == 0
    assert planes["B0123478/S01234678"] == 1

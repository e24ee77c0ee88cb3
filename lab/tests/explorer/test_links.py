"""Every state of the page has an address, and back and forward work."""

import pytest

from lab.tests.explorer.page import wait_for

pytest.importorskip("selenium.webdriver", reason="needs selenium")

SHOWN = {
    "start=logistic/25": (
        "start",
        "document.querySelector('#panel-start [aria-pressed=true]').dataset.name"
        " + document.getElementById('start-noise').value",
        "logistic25",
    ),
    "eca=30": ("automata", "LN.panels.find(p => p.name === 'automata').at()", "30"),
    "AUTOMATA=54": ("automata", "document.querySelector('#panel-automata input').value", "54"),
    "life=B36/S23": ("life", "LN.life.panel.rule()", "B36/S23"),
    "life=HighLife": ("life", "LN.life.panel.rule()", "B36/S23"),
    "neural=direct-seed-2/1000": (
        "neural",
        "[...document.querySelectorAll('#panel-neural select')].slice(0, 2).map(s => s.value)"
        ".join() + document.querySelector('#panel-neural label span').textContent",
        "direct,2training step 1000 of 2000",
    ),
    "agents=hopper": ("agents", "document.querySelector('#panel-agents select').value", "Hopper"),
    "flows=lorenz": ("flows", "document.querySelector('figure.chosen h3').textContent", "Lorenz"),
    "ledger=eca.top": (
        "ledger",
        "[...document.querySelectorAll('.claims tr[data-key]')].map(r => r.dataset.key).join()",
        "eca.top",
    ),
}


@pytest.mark.parametrize("link", SHOWN)
def test_a_link_shows_what_it_names(browser, exported, link):
    panel, script, truth = SHOWN[link]
    browser.get_log("browser")
    browser.get("about:blank")
    browser.get(f"{exported}#{link}")
    wait_for(browser, f"LN.panels.find(p => p.name === '{panel}').ready")
    assert browser.execute_script(f"return {script}") == truth
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    "link", ["eca=999", "life=none such", "flows=%zz", "neural=x/1", "start=noise/999"]
)
def test_a_link_to_nothing_opens_the_panel_and_says_where_it_is(browser, exported, link):
    name = {"eca": "automata"}.get(link.split("=")[0], link.split("=")[0])
    browser.get("about:blank")
    browser.get(f"{exported}#{link}")
    wait_for(browser, f"LN.panels.find(p => p.name === '{name}').ready")
    told, held = browser.execute_script(
        "const panel = LN.current(); return [decodeURI(location.hash),"
        "`#${panel.name}${panel.at() ? '=' + panel.at() : ''}`]"
    )
    assert told == held

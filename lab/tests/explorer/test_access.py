"""No tab has a fault that axe-core finds: light and dark, on a desk and on a phone."""

from pathlib import Path

import pytest

from lab.tests.explorer.page import open_panel, wait_for

pytest.importorskip("selenium.webdriver", reason="needs selenium")
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = {"desk": 1280, "phone": 390}
RUN = """
const [name, rules, done] = arguments;
// The whole page once, then the panel that is open alone.
const where = document.getElementById(`panel-${name}`) || document;
axe.run(where, { ...rules, preload: false, resultTypes: ["violations"] }).then(
  ({ violations }) => done(violations.map(({ id, nodes }) =>
    [id, nodes.length, nodes[0].target.join(" "), nodes[0].failureSummary])),
  (error) => done([["failed", 0, "", String(error)]]));
"""


@pytest.fixture(scope="module")
def axe():
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm install, in lab")
    return AXE.read_text()


@pytest.fixture(params=WIDTHS)
def sized(browser, request):
    """A browser of some size, whose user wants light colours and no motion."""
    width = WIDTHS[request.param]
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 700}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wanted.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def faults_of(browser, name):
    """Open everything on a tab; return what axe finds in light colours, and in dark ones."""
    browser.execute_script("document.getElementById(`tab-${arguments[0]}`).click()", name)
    panel = f"LN.panels.find((p) => p.name === '{name}')"
    wait_for(browser, f"{panel}.ready || {panel}.absent")
    browser.execute_script(
        "for (const fold of document.querySelectorAll(`#panel-${arguments[0]} details`))"
        "fold.open = true",
        name,
    )
    found = browser.execute_async_script(RUN, name, {})
    # Colours are all that a scheme changes.
    browser.find_element("id", "theme").click()
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    found += browser.execute_async_script(RUN, name, {"runOnly": ["color-contrast"]})
    browser.find_element("id", "theme").click()
    return found


@pytest.mark.slow
def test_axe_finds_nothing_on_any_tab(sized, exported, axe):
    open_panel(sized, exported, "ledger")
    sized.execute_script(axe)
    names = sized.execute_script("return LN.panels.map((p) => p.name)")
    found = {"page": sized.execute_async_script(RUN, "", {})}
    found |= {name: faults_of(sized, name) for name in names}
    sized.execute_script("localStorage.clear()")
    assert [f"{name}: {fault}" for name, faults in found.items() for fault in faults] == []

"""The documentation is built whole, from this checkout alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.hooks import reference

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built pages: those of the folder $SITE, if it is set."""
    if "SITE" in os.environ:
        return ROOT / os.environ["SITE"]
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(target)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stderr
    return target


def test_pages_load_nothing_from_elsewhere(site):
    loaded = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*(?:src|href)=["']?(?:https?:)?//""")
    pages = list(site.glob("**/*.html"))
    assert len(pages) > 20
    for page in pages:
        assert not loaded.search(page.read_text()), page
    for sheet in site.glob("assets/**/*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", sheet.read_text()), sheet


GUIDE = {"Read a score", "Choose", "Glossary and questions", "Data and command line"}
WORDS = ["ridge", "floor", "bits", "reservoirs", "excel", "likert", "groups", "random forest"]


@pytest.mark.parametrize("word", WORDS)
def test_the_search_finds_the_guide_first_in_pages_opened_as_files(site, browser, word):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get("about:blank")
    browser.get_log("browser")
    browser.get((site / "scale.html").as_uri())
    browser.find_element("css selector", ".md-search__input").send_keys(word)

    def first(browser):  # it has no text until it is shown
        found = browser.find_elements("css selector", ".md-search-result__item h1")
        return found[0].text if found else ""

    assert WebDriverWait(browser, 30).until(first) in GUIDE
    assert browser.get_log("browser") == []


AXE = ROOT / "lab" / "node_modules" / "axe-core" / "axe.min.js"
RUN_AXE = """
const [rules, done] = arguments;
axe.run(document, { preload: false, resultTypes: ["violations"], ...rules }).then(
  ({ violations }) => done(violations.map(({ id, nodes }) =>
    [id, nodes.length, nodes[0].target.join(" "), nodes[0].failureSummary])),
  (error) => done([["failed", 0, "", String(error)]]));
"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_on_any_page(site, browser, width, scheme):
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm install, in lab")
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 700}
    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})
    # Colours are all that a scheme changes.
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
    browser.get((site / "index.html").as_uri())
    browser.execute_script("localStorage.clear()")  # the theme keeps the scheme of the last visit
    found = []
    try:
        # 404.html names its styles from the root of a host: as a file it has none.
        for page in sorted(set(site.glob("**/*.html")) - {site / "404.html"}):
            browser.get(page.as_uri())
            browser.execute_script(AXE.read_text())
            shown = browser.execute_script("return document.body.dataset.mdColorScheme")
            assert shown == {"light": "default", "dark": "slate"}[scheme]
            faults = browser.execute_async_script(RUN_AXE, rules)
            found += [f"{page.relative_to(site)}: {fault}" for fault in faults]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert found == []


def test_the_reference_has_every_public_name_once_and_its_examples_as_code(site):
    text = (site / "reference.html").read_text()
    assert "<blockquote>" not in text
    for module in reference.MARK.findall(reference.PAGE.read_text()):
        for name in reference.names(module[1]):
            headings = re.findall(rf'<h3 id="[\w.]+\.{name}"', text)
            assert len(headings) == 1, name

"""A real browser, and the page in it: served, and opened as a file."""

import shutil

import pytest

from learnable_novelty.explorer import build, export
from tests.explorer.page import RESULTS, serving


@pytest.fixture(scope="session")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    binary, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver_path is None:
        pytest.skip("needs chromium and chromedriver (chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def site():
    return build(RESULTS, served=True)


@pytest.fixture(scope="session")
def address(site):
    with serving(site) as server:
        yield server.address


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    export(RESULTS, folder)
    return (folder / "index.html").as_uri()

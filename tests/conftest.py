"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import shutil

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the tests that ask for it are skipped, and say so."""
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

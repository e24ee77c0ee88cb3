"""A headless Chromium, for what is measured or tested in a real browser."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def missing() -> str:
    """Say what keeps a browser from being started; nothing if all is there."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "needs chromium and chromedriver (chromium, chromium-driver)"
    if importlib.util.find_spec("selenium") is None:
        return "needs selenium"
    return ""


@contextmanager
def chromium(*arguments: str) -> Iterator[Any]:
    """Start a browser whose console is kept, with more arguments if any, and end it."""
    from selenium import webdriver

    if missing():
        raise ModuleNotFoundError(missing())
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.set_script_timeout(60)
        yield driver
    finally:
        driver.quit()

"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # also for the processes that tests start

import pytest
import torch

from benchmarks.chromium import chromium, missing

torch.set_num_threads(1)

pytest_plugins = ["tests.oracle"]


def pytest_addoption(parser):
    """Add the option for all tests."""
    parser.addoption("--slow", action="store_true", help="run the slow tests too")


def pytest_collection_modifyitems(config, items):
    """Mark what needs a browser; leave out slow tests unless they are asked for, or named."""
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
    left_out = set()
    if not config.getoption("--slow") and not any("::" in name for name in config.args):
        left_out |= {item for item in items if item.get_closest_marker("slow")}
    if missing():
        without = {item for item in items if item.get_closest_marker("browser")}
        config.stash[NO_BROWSER] = len(without)
        left_out |= without
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


NO_BROWSER = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter, config):
    """Say in one line that tests of the page were left out."""
    # Beside worker processes nothing is collected here, so the number is not known.
    count = config.stash.get(NO_BROWSER, None)
    if missing() and count != 0:
        number = "" if count is None else f"{count} "
        terminalreporter.write_line(f"{number}tests in a browser were left out: {missing()}")


@pytest.fixture(scope="session")
def browser():
    """A real browser."""
    with chromium() as driver:
        yield driver

"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # also for the processes that tests start

import pytest
import torch

from benchmarks.chromium import chromium, missing

torch.set_num_threads(1)

LONG = {
    "test_cluster.py", "test_rl_table.py", "test_runs.py", "test_stops.py", "test_tutorials.py",
    "test_benchmarks.py", "test_browser.py", "test_docs.py", "test_encoder.py", "test_recipes.py",
    "test_streaming.py",
}  # fmt: skip
"""Files that take half a minute or more, of whatever number of tests."""


def pytest_collection_modifyitems(items):
    """Start long files first, so that no process is left with one at the end."""
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the tests that ask for it are skipped, and say so."""
    pytest.importorskip("selenium.webdriver", reason="needs selenium")
    if missing():
        pytest.skip(missing())
    with chromium() as driver:
        yield driver

"""Tests run side by side, one thread each: threads of many processes would fight for cores."""

import pytest
import torch

from benchmarks.chromium import chromium, missing

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def browser():
    """A real browser; without one the tests that ask for it are skipped, and say so."""
    pytest.importorskip("selenium.webdriver", reason="needs selenium")
    if missing():
        pytest.skip(missing())
    with chromium() as driver:
        yield driver

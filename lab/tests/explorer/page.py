"""The committed results, a server over a site, and how to wait for a panel in a browser."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from novelty_lab.explorer.server import Server

RESULTS = Path(__file__).parents[3] / "results"


@contextmanager
def serving(site):
    with Server(site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def content(site, name):
    """Read a data file of the site as the page does."""
    text = site[f"data/{name}.js"].decode()
    found = re.fullmatch(r'window\.LN\.data\["([\w-]+)"\]=(.*);\n', text, re.DOTALL)
    assert found is not None
    assert found[1] == name
    return json.loads(found[2])


def wait_for(browser, script, seconds=20):
    end = time.monotonic() + seconds
    while not browser.execute_script(f"return Boolean({script})"):
        assert time.monotonic() < end, script
        time.sleep(0.05)


def open_panel(browser, page, name):
    """Open a panel and wait until it shows its data, or says that there are none."""
    browser.get("about:blank")
    browser.get(f"{page}#{name}")
    panel = f"LN.panels.find(p => p.name === '{name}')"
    wait_for(browser, f"window.LN && {panel} && ({panel}.ready || {panel}.absent)")

"""What a frame of the neural automaton costs in the explorer, of the 16.7 ms that it may.

The page is opened as a file in headless Chromium. A frame is one step of the rule and its picture;
how the browser then brings that to a screen is not measured.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.chromium import chromium
from benchmarks.timing import Row, within
from novelty_lab.explorer.site import export

RESULTS = Path(__file__).parents[1] / "results"
FRAME = 1 / 60
SHARES = {"median": 0.5, "99th percentile": 0.99}
OPEN = """
const done = arguments[0], panel = LN.panels.find((p) => p.name === "neural");
(function wait() { if (panel.ready) done(); else setTimeout(wait, 50); })();
"""


def run(sites: int = 512, frames: int = 600) -> list[Row]:
    """Time frames of a trained rule of each update, at a width of the lattice."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        export(RESULTS, Path(folder))
        browser.get(f"{(Path(folder) / 'index.html').as_uri()}#neural")
        browser.execute_async_script(OPEN)
        rows: list[Row] = []
        for key in ("residual-seed-0", "direct-seed-0"):
            found = browser.execute_async_script(
                "LN.neural.frames(...arguments)", key, sites, frames
            )
            for name, share in SHARES.items():
                cost = float(np.quantile(found, share)) / 1000
                told = f"a frame of {sites} sites, {key.split('-')[0]} update, {name} of {frames}"
                rows.append(within(told, FRAME, cost, 1.0))
        return rows

"""The committed results, and a server over a site."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path

from learnable_novelty.explorer.server import Server

RESULTS = Path(__file__).parents[2] / "results"


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

"""``novelty explore``: the records as a page, served here or written to a folder."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from novelty_lab.committed import results_folder


def add_commands(commands: Any) -> None:
    """Add ``explore``."""
    explore = commands.add_parser("explore", help="look at all results in a browser")
    explore.add_argument("--port", type=int, default=0, metavar="P", help="port (any free one)")
    explore.add_argument("--no-browser", action="store_true", help="do not open a browser")
    explore.add_argument("--export", type=Path, metavar="DIR", help="write the page and stop")
    explore.add_argument(
        "--out", type=Path, help="results folder (results here, or the committed ones)"
    )
    explore.set_defaults(command=_explore)


def _explore(options: argparse.Namespace) -> int:
    from novelty_lab.explorer.site import build, export

    if options.export is not None:
        with results_folder(options.out) as results:
            count = export(results, options.export)
        print(f"{count} files in {options.export}; open {options.export / 'index.html'}")
        return 0
    if not 0 <= options.port <= 65535:
        raise UserError(f"--port takes a number from 0 to 65535, got {options.port}")
    from novelty_lab.explorer.server import Server

    with results_folder(options.out) as results:
        site = build(results)
    try:
        listening = Server(site, options.port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(
            f"port {options.port} cannot be used: {reason}; "
            "take another, or leave --port out for any free one"
        ) from None
    with listening as server:
        print(f"{server.address} (Ctrl-C ends it)", flush=True)
        if not options.no_browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0

"""``novelty ledger``: every claim of the paper beside ours."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COLOURS = {"reproduced": "green", "differs": "red", "not run": "bright_black"}


def add_commands(commands: Any) -> None:
    """Add ``ledger``."""
    ledger = commands.add_parser("ledger", help="set every claim of the paper beside ours")
    ledger.add_argument(
        "--out", type=Path, default=Path("results"), help="results folder (results)"
    )
    form = ledger.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the rows for a program")
    form.add_argument("--markdown", action="store_true", help="print the page of the docs")
    ledger.set_defaults(command=_ledger)


def _ledger(options: argparse.Namespace) -> int:
    from learnable_novelty.report import ledger

    rows = ledger.rows(options.out)
    if options.json:
        print(json.dumps([row.to_json() for row in rows], indent=1, allow_nan=False))
    elif options.markdown:
        print(ledger.markdown(rows), end="")
    else:
        _print(ledger.tables(rows))
        counts = ", ".join(f"{n} {verdict}" for verdict, n in ledger.count(rows).items())
        print(f"{counts}; of {len(rows)} claims")
    return 0


def _print(tables: Sequence[Any]) -> None:
    """Print tables without frames, which leaves the claims room in 80 columns."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for table in tables:
        shown = Table(title=table.title, title_justify="left", box=None, padding=(0, 1, 0, 0))
        for column in table.columns:
            shown.add_column(column, overflow="fold")
        for *cells, verdict in table.rows:
            shown.add_row(*map(Text, cells), Text(verdict, style=COLOURS[verdict]))
        console.print(shown)
        console.print()

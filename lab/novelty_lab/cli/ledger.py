"""``novelty ledger``: every claim of the paper beside ours."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnable_novelty.errors import UserError
from novelty_lab.committed import RESULTS_HINT

if TYPE_CHECKING:
    from novelty_lab.ledger.ledger import Row

COLOURS = {"reproduced": "green", "differs": "red", "not run": "bright_black"}
MOST_RECORDS = 12
"""Records of one claim that are listed by name."""


def add_commands(commands: Any) -> None:
    """Add ``ledger``."""
    ledger = commands.add_parser("ledger", help="compare every claim of the paper with our result")
    ledger.add_argument("id", nargs="?", metavar="ID", help="show one claim in full")
    ledger.add_argument(
        "--out", type=Path, default=Path("results"), help="results folder (results)"
    )
    form = ledger.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print the page of the docs")
    ledger.set_defaults(command=_ledger)


def _ledger(options: argparse.Namespace) -> int:
    from novelty_lab.ledger import ledger

    if options.markdown and options.id is not None:
        raise UserError("--markdown writes the whole page, it takes no claim")
    if not any(options.out.glob("*/*/record.json")):
        message = f"novelty: there is no record in {options.out}; {RESULTS_HINT}"
        print(message, file=sys.stderr)
    rows = ledger.rows(options.out)
    chosen = rows if options.id is None else [_find(rows, options.id)]
    if options.json:
        print(json.dumps([row.to_json() for row in chosen], indent=1, allow_nan=False))
    elif options.markdown:
        from novelty_lab.ledger.page import markdown

        print(markdown(rows), end="")
    elif options.id is not None:
        _print_one(chosen[0])
    else:
        _print_all(rows)
    return 0


def _find(rows: Sequence[Row], name: str) -> Row:
    by_id = {row.claim.id: row for row in rows}
    if name not in by_id:
        near = difflib.get_close_matches(name, by_id, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else "novelty ledger lists them"
        raise UserError(f"there is no claim {name!r}; {hint}")
    return by_id[name]


def _print_all(rows: Sequence[Row]) -> None:
    """Print tables without frames, which leaves the claims room in 80 columns.

    Where the terminal can, a claim is a link to its record, and a verdict one to its figure.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from novelty_lab.ledger import ledger

    console = Console()
    for title, claims in ledger.sections(rows):
        shown = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
        shown.add_column("claim", no_wrap=True)
        for column in ("paper", "ours", "verdict"):
            shown.add_column(column, overflow="fold")
        for row in claims:
            shown.add_row(
                _linked(row.claim.id, row.record),
                Text(ledger.paper_text(row.claim)),
                Text(ledger.ours_text(row)),
                _linked(ledger.marked_verdict(row), row.figure, COLOURS[row.verdict]),
            )
        console.print(shown)
        console.print()
    counts = ", ".join(f"{n} {verdict}" for verdict, n in ledger.count(rows).items())
    if any(row.older_observer for row in rows):
        print(f"* {ledger.OLDER_OBSERVER}")
    if any(row.fitted for row in rows):
        print("+ with a setting that was found by trying values")
    print(
        "novelty ledger ID shows a claim in full: rule, worth, note, records, command.\n"
        "The rules and all notes: docs/ledger.md, or novelty explore.\n"
        f"{counts}; of {len(rows)} claims"
    )


def _print_one(row: Row) -> None:
    """Print all that is known of one claim, a line for each part."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from novelty_lab.ledger import ledger

    claim, console = row.claim, Console()
    console.print(Text(f"{claim.id}: {claim.statement}"))
    paragraphs = ledger.rule_text(claim.kind).split("\n\n")
    rule = [part if part.startswith(" ") else " ".join(part.split()) for part in paragraphs]
    listed = [_linked(path, path) for path in row.records[:MOST_RECORDS]]
    if len(row.records) > MOST_RECORDS:
        listed.append(Text(f"and {len(row.records) - MOST_RECORDS} more: --json lists them"))
    worth = ledger.worth_text(row)
    shown = Table.grid(padding=(0, 2, 0, 1))
    for name, text in (
        ("section", Text(claim.section)),
        ("paper", Text(ledger.paper_text(claim))),
        ("ours", Text(ledger.ours_text(row) or "nothing yet")),
        ("verdict", Text(ledger.verdict_text(row), style=COLOURS[row.verdict])),
        ("worth", Text(worth and f"{worth}: called so if the paper is right, if it is wrong")),
        ("note", Text(row.note)),
        ("command", Text(row.command)),
        ("figure", _linked(row.figure, row.figure)),
        ("records", Text("\n").join(listed)),
        ("rule", Text(f"{claim.kind}: " + "\n\n".join(rule))),
    ):
        if text.plain:
            shown.add_row(Text(name, style="bold"), text)
    console.print(shown)


def _linked(text: str, path: str, colour: str = "") -> Any:
    """Return text that leads to a file, on terminals that know links."""
    from rich.style import Style
    from rich.text import Text

    link = Path(path).resolve().as_uri() if path else None
    return Text(text, style=Style(color=colour or None, link=link))

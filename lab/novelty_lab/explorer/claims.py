"""The ledger as the page shows it, and the records and figures that it links to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from novelty_lab.ledger import ledger


def claims(results: Path) -> dict[str, Any]:
    """Return the rows of the ledger, and the text of the rules that judge them."""
    return {
        "rows": [_row(row, results) for row in ledger.rows(results)],
        "rules": {kind: ledger.rule_text(kind) for kind in ledger.RULES},
    }


def linked_files(results: Path, rows: list[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield the records and figures that the rows link to, under the names in those links."""
    named = {name for row in rows for name in [*row["records"], row["figure"]] if name}
    for name in sorted(named):
        yield name, (results / Path(name).relative_to("results")).read_bytes()


def _row(row: ledger.Row, results: Path) -> dict[str, Any]:
    """Write a row with the texts of the terminal and the links of the page."""

    def link(path: Path) -> str:
        return f"results/{path.relative_to(results).as_posix()}"

    names = ("id", "section", "kind", "statement")
    return {
        **{name: getattr(row.claim, name) for name in names},
        **{name: getattr(row, name) for name in ("runs", "verdict", "note", "command")},
        "paper": ledger.paper_text(row.claim),
        "ours": ledger.ours_text(row),
        "records": [link(Path(record) / "record.json") for record in row.records],
        "figure": link(Path(row.figure)) if row.figure else "",
    }

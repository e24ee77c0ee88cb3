"""Write the part of the ledger's page that the records decide: ``python -m docs.hooks.ledger``."""

from __future__ import annotations

from pathlib import Path

from novelty_lab.ledger.ledger import rows
from novelty_lab.ledger.page import markdown

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "ledger.md"
REST = "\n## Settings"
"""Where the part begins that is written by hand."""


def filled(text: str) -> str:
    """Return the page with the claims judged again."""
    return markdown(rows(Path("results"))) + text[text.index(REST) :]


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

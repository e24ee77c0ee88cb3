"""Write the paper page by page: artefact, command, figure, and ours against theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MARK = "<!-- made: paper -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the mark by what the ledger makes of the committed records."""
    if MARK not in markdown:
        return markdown
    from novelty_lab import ledger, paper_page

    sections = paper_page.sections(ledger.rows(ROOT / "results"))
    return markdown.replace(MARK, paper_page.markdown(sections, ROOT / "results"))

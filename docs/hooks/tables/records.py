"""What tables are made of: committed records, and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def read(*path: str) -> Any:
    """Read a JSON file of the repository."""
    return json.loads(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def record(name: str, part: str = "results") -> dict[str, Any]:
    """Read the results, or another part, of the committed paper run of an artefact."""
    return read("results", name, "paper-seed0", "record.json")[part]


def markdown(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    head = list(columns)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

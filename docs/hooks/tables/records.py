"""What tables are made of: committed records, and Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from novelty_lab import records
from novelty_lab.ledger.claims import claim as paper_claim

ROOT = Path(__file__).parents[3]


def read(*path: str) -> Any:
    """Read a JSON file of the repository."""
    return json.loads(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def record(name: str, part: str = "results") -> dict[str, Any]:
    """Read the results, or another part, of the committed paper run of an artefact."""
    return read("results", name, "paper-seed0", "record.json")[part]


def benchmark(name: str) -> dict[str, dict[str, float]]:
    """Read the rows of committed timings, by name."""
    return {row["name"]: row for row in read("benchmarks", f"{name}.json")["rows"]}


def markdown(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    head = list(columns)
    lines = [head, ["---"] * len(head), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def claim(name: str) -> Any:
    """Return the value that the paper publishes."""
    return paper_claim(name).value


def mean_sd(values: list[float], digits: int = 0) -> str:
    """Write mean and standard deviation."""
    return f"{statistics.mean(values):.{digits}f} ± {statistics.stdev(values):.{digits}f}"


def observer_of(name: str) -> str:
    """Say so if the committed paper run has another observer than the present one."""
    from novelty_lab.registry import find_artefact

    path = ROOT / "results" / name / "paper-seed0"
    if not path.exists():
        return ""
    older = records.is_of_older(records.load(path), find_artefact(name).experiment.PAPER)
    return f" ({records.OLDER_OBSERVER})" if older else ""

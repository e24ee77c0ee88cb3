"""What tables are made of: committed records, and Markdown."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from novelty_lab import records
from novelty_lab.ledger import claim as paper_claim
from novelty_lab.records import Record

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


def run_of(name: str, **settings: Any) -> Record:
    """Read the committed run of an artefact with these settings, the others as in the paper run."""
    from novelty_lab.registry import find_artefact

    config = dataclasses.replace(find_artefact(name).experiment.PAPER, **settings)
    runs = map(records.load, records.find(ROOT / "results", name))
    tells = (records.is_of_older, lambda run, config: records.is_of(run.configuration, config))
    (run,) = [run for run in runs if any(tell(run, config) for tell in tells)]
    return run


def observer_of(name: str) -> str:
    """Say so if the committed paper run has another observer than the present one."""
    from novelty_lab.registry import find_artefact

    path = ROOT / "results" / name / "paper-seed0"
    if not path.exists():
        return ""
    older = records.is_of_older(records.load(path), find_artefact(name).experiment.PAPER)
    return f" ({records.OLDER_OBSERVER})" if older else ""


def shown(name: str, title: str, **settings: Any) -> str:
    """Return a table of the report of the paper run, or of the run with these settings."""
    from novelty_lab import records
    from novelty_lab.report import tables_of

    run = (
        run_of(name, **settings)
        if settings
        else records.load(ROOT / "results" / name / "paper-seed0")
    )
    (table,) = [table for table in tables_of(run) if table.title.startswith(title)]
    return markdown(table.columns, table.rows)

"""Every claim beside ours: rows, tables for the terminal, and the page of the docs."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from novelty_lab.ledger.claims import Claim, Kind, Row, Verdict, load_claims
from novelty_lab.ledger.rules import RULES, objections, ordering, places, statement, undecided
from novelty_lab.ledger.shelf import NoRecordError, Shelf
from novelty_lab.ledger.source import Source
from novelty_lab.ledger.sources import SOURCES, WITHOUT
from novelty_lab.ledger.text import ours_text, paper_text
from novelty_lab.ledger.values import Finding
from novelty_lab.report import Table

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SECTIONS = ("4.1", "4.2", "4.3", "table 1", "app A", "app B", "app D", "app F", "app G", "app H")
"""In the order in which they are shown."""

INTRODUCTION = """\
---
hide:
  - toc
---

# The ledger

Every claim of the paper that has a number, a rank, an order or a yes, beside what our committed
records hold. This page is what `novelty ledger --markdown` writes; a test compares the two.

Verdicts are computed, by one rule for every kind of claim; none is written by hand. **Reproduced**
means that ours does not contradict the claim beyond the errors of both sides, **differs** that it
does, **not run** that there is no run at the paper's configuration, or fewer than five seeds of an
agent. Where errors are wide, reproduced is a weak statement: look at spread and runs.

"Ours" is mean ± standard deviation over runs, with the number of runs in brackets: draws, seeds, or
members of a family that the paper gives one number for. A rank stands before the places it could
have if scores moved within their error. What the paper leaves open and what we chose is in
[results.md](results.md).
"""


def rows(root: Path) -> list[Row]:
    """Judge every claim by the records under a results folder."""
    shelf = Shelf(root)
    return [_row(claim, shelf) for claim in load_claims()]


def count(ledger: Iterable[Row]) -> dict[Verdict, int]:
    """Count the verdicts."""
    found = Counter(row.verdict for row in ledger)
    return {verdict: found[verdict] for verdict in VERDICTS}


def sections(ledger: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Group rows by the section that names them first, under its title."""
    return [(_title(section), held) for section, held in _by_section(ledger)]


def rule_text(kind: Kind) -> str:
    """Return the rule that judges a kind of claim, in words and as a formula."""
    return inspect.getdoc(RULES[kind]) or ""


def markdown(ledger: Sequence[Row]) -> str:
    """Write the page: the counts, the rules, and a table per section with its sources."""
    counts = [
        [title, *(str(n) for n in count(held).values()), str(len(held))]
        for title, held in [*sections(ledger), ("All", list(ledger))]
    ]
    parts = [INTRODUCTION, Table("Verdicts", ["", *VERDICTS, "claims"], counts).markdown()]
    parts.append("## The rules\n\nA claim of several parts is reproduced if all of them are.\n")
    kinds = Counter(row.claim.kind for row in ledger)
    for kind in RULES:
        parts.append(f"### {kind}: {kinds[kind]} claims\n\n{rule_text(kind)}\n")
    # The site lays these tables out in its own way: assets/site.css.
    parts.append('## The claims\n\n<div class="ledger" markdown>\n')
    columns = ["claim", "verdict", "paper", "ours", "source", "note"]
    for title, held in sections(ledger):
        parts.append(Table(title, columns, [_cells(row) for row in held]).markdown())
    return "\n".join([*parts, "</div>\n"])


def _row(claim: Claim, shelf: Shelf) -> Row:
    source = SOURCES.get(claim.id)
    if source is None:
        return Row(claim, "not run", note=_sentences(claim.note, WITHOUT[claim.id]))
    try:
        found = source.read(shelf)
    except NoRecordError as error:
        found = Finding(missing=str(error))
    except KeyError as error:
        found = Finding(missing=f"the record does not hold {error}")
    return _judged(claim, found, source, shelf)


def _judged(claim: Claim, found: Finding, source: Source, shelf: Shelf) -> Row:
    against = [] if found.missing else objections(claim, found)
    verdict: Verdict = "not run" if found.missing else "differs" if against else "reproduced"
    ours, spread = _ours(claim, found, against)
    # Numbers and ranks that do not fit are seen in the row itself.
    told = [*ordering(claim, found), *statement(claim, found)]
    remarks = [f"Against it: {', '.join(told)}" if told else ""]
    if undecided(found):
        remarks.append(f"Not told apart by our means: {', '.join(undecided(found))}")
    return Row(
        claim,
        verdict,
        ours,
        spread,
        _runs(found),
        _sentences(found.missing, *remarks, found.note, claim.note),
        _path(shelf.record_of(source.experiment)),
        tuple(map(_path, shelf.records_of(source.experiment, source.cells))),
        _path(shelf.figure_of(source.experiment)),
        source.command,
    )


def _ours(claim: Claim, found: Finding, against: list[str]) -> tuple[Any, Any]:
    """Return our side of the row and its spread: alone if there is one number, else in lists."""
    spreads = [value.sd for value in found.values]
    if found.shown is not None:
        known = [sd**2 for sd in spreads if sd is not None]
        return found.shown, math.sqrt(sum(known) / len(known)) if known else None
    if found.ranked:
        ends = [list(places(ranked, claim)) for ranked in found.ranked]
        return _single([ranked.place for ranked in found.ranked]), _single(ends)
    if found.values:
        return _single([value.mean for value in found.values]), _single(spreads)
    return (None if found.missing else not against), None


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _runs(found: Finding) -> int:
    if found.runs is not None:
        return found.runs
    held = [*found.values, *(ranked.scores[ranked.name] for ranked in found.ranked)]
    return min((value.runs for value in held), default=0)


def _sentences(*parts: str) -> str:
    """Join remarks, each as a sentence of its own."""
    told = [part.strip().rstrip(".") for part in parts]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in told if text)


def _path(path: Path | None) -> str:
    return "" if path is None else path.as_posix()


def _by_section(ledger: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Group rows by the section that names them first."""
    groups: dict[str, list[Row]] = {section: [] for section in SECTIONS}
    for row in ledger:
        groups.setdefault(row.claim.section.partition("/")[0], []).append(row)
    return [(section, held) for section, held in groups.items() if held]


def _title(section: str) -> str:
    if section.startswith("app "):
        return f"Appendix {section.removeprefix('app ')}"
    return section.capitalize() if section.startswith("table") else f"Section {section}"


def _cells(row: Row) -> list[str]:
    """Return the cells of a row of the page; links are relative to the docs folder."""
    links = [f"[{name}](../{path})" for name, path in _links(row).items() if path]
    # A command is shown where it has led to a record.
    source = ", ".join([*links, f"`{row.command}`"]) if row.record else ""
    name = f"{row.claim.statement} (`{row.claim.id}`)"
    cells = [name, row.verdict, paper_text(row.claim), ours_text(row), source, row.note]
    return [cell.replace("|", "\\|") for cell in cells]


def _links(row: Row) -> dict[str, str]:
    return {"record": row.record, "figure": row.figure}

"""Every claim beside ours: rows, tables for the terminal, and the page of the docs."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from novelty_lab.ledger.findings import Finding
from novelty_lab.ledger.paper_claims import Claim, Kind, Row, Verdict, load_claims
from novelty_lab.ledger.paper_records import PaperRecords, SingleRecord
from novelty_lab.ledger.rules import RULES, objections, ordering, places, statement, undecided
from novelty_lab.ledger.source import sources
from novelty_lab.ledger.text import ours_text, paper_text
from novelty_lab.records import OLDER_OBSERVER, Record
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

Each claim of the paper that has a number, a rank, an order or a yes, beside what our committed
records hold. The part above "Settings" is what `novelty ledger --markdown` writes.

Verdicts are computed, by one rule for each kind of claim. **Reproduced** means that our result does
not contradict the claim beyond the errors of both sides, and **differs** that it does. **Not run**
means that there is no run at the paper's configuration, or fewer than five seeds of an agent. Where
errors are wide, "reproduced" says little: look at the spread and the runs. A verdict marked with *
rests on records of version 0.3 or before, whose observer also normalizes and activates its last
layer.

"Ours" is mean ± standard deviation over runs, with the number of runs in brackets. The places that
a rank could have if scores moved within their error are in square brackets. The name of a claim
leads to its record, and `novelty ledger eca.top` shows rule and command of that one.
"""


def rows(root: Path) -> list[Row]:
    """Judge every claim by the records under a results folder."""
    records = PaperRecords(root)
    return [_row(claim, records) for claim in load_claims()]


def beside_paper(record: Record) -> list[Table]:
    """Set what one record says about the paper's claims beside them; no table if it says nothing.

    Unlike the ledger this takes a record at any configuration, and gives no verdicts.
    """
    records, shown = SingleRecord(record), []
    for claim in load_claims():
        source = sources().get(claim.id)
        if source is None or source.experiment != record.experiment:
            continue
        row = judged(dataclasses.replace(claim, note=""), source.finding(records))
        if row.ours is not None:
            shown.append([claim.statement, paper_text(claim), ours_text(row), row.note])
    columns = ["claim", "paper", "ours: mean ± sd (runs)", "note"]
    return [Table("Beside the paper", columns, shown)] if shown else []


def count(ledger: Iterable[Row]) -> dict[Verdict, int]:
    """Count the verdicts."""
    counts = Counter(row.verdict for row in ledger)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def sections(ledger: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Group rows by the section that names them first, under its title."""
    groups: dict[str, list[Row]] = {section: [] for section in SECTIONS}
    for row in ledger:
        groups.setdefault(row.claim.section.partition("/")[0], []).append(row)
    return [(_title(section), group) for section, group in groups.items() if group]


def rule_text(kind: Kind) -> str:
    """Return the rule that judges a kind of claim, in words and as a formula."""
    return inspect.getdoc(RULES[kind]) or ""


def markdown(ledger: Sequence[Row]) -> str:
    """Write the page: the counts, the rules, and a table per section with its sources."""
    counts = [
        [title, *(str(n) for n in count(group).values()), str(len(group))]
        for title, group in [*sections(ledger), ("All", list(ledger))]
    ]
    blocks = [INTRODUCTION, Table("Verdicts", ["", *VERDICTS, "claims"], counts).markdown()]
    blocks.append("## The rules\n\nA claim of several parts is reproduced if all of them are.\n")
    kinds = Counter(row.claim.kind for row in ledger)
    for kind in RULES:
        blocks.append(f"- **{kind}** ({kinds[kind]} claims): {_first_sentence(rule_text(kind))}")
    blocks.append(
        "\nThe error of a number is t √(sd²/n + sd²/n), from both sides. t is the 95% point of"
    )
    blocks.append("Student's distribution (Welch), and half of the last printed digit.\n")
    # The site lays these tables out in its own way: assets/site.css.
    blocks.append('## The claims\n\n<div class="ledger" markdown>\n')
    columns = ["claim", "verdict", "paper", "ours", "note"]
    for title, group in sections(ledger):
        shared = _shared_remarks(group)
        shown = [_cells(row, shared) for row in group]
        blocks.append(Table(title, columns, shown).markdown())
        if shared:
            blocks.append(f"Notes on several of these claims: {' '.join(shared)}\n")
    return "\n".join([*blocks, "</div>\n"])


def _first_sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _row(claim: Claim, records: PaperRecords) -> Row:
    source = sources().get(claim.id)
    if source is None:
        return Row(claim, "not run", note=_sentences("no artefact reads this claim", claim.note))
    row = judged(claim, source.finding(records))
    older = row.ours is not None and source.older_observer(records)
    return dataclasses.replace(
        row,
        note=_sentences(row.note, OLDER_OBSERVER) if older else row.note,
        older_observer=older,
        record=_path(source.record_path(records)),
        records=tuple(map(_path, source.record_paths(records))),
        figure=_path(source.figure_path(records)),
        command=source.command,
    )


def judged(claim: Claim, finding: Finding) -> Row:
    """Judge a claim by what the records say about it."""
    against = [] if finding.missing else objections(claim, finding)
    verdict: Verdict = "not run" if finding.missing else "differs" if against else "reproduced"
    ours, spread = _ours(claim, finding, against)
    # Numbers and ranks that do not fit are seen in the row itself.
    contradicted = [*ordering(claim, finding), *statement(claim, finding)]
    remarks = [f"Against it: {', '.join(contradicted)}" if contradicted else ""]
    if undecided(finding):
        remarks.append(f"Not told apart by our means: {', '.join(undecided(finding))}")
    note = _sentences(finding.missing, *remarks, finding.note, claim.note)
    return Row(claim, verdict, ours, spread, _runs(finding), note)


def _ours(claim: Claim, finding: Finding, against: list[str]) -> tuple[Any, Any]:
    """Return our side of the row and its spread: alone if there is one number, else in lists."""
    spreads = [value.sd for value in finding.values]
    if finding.shown is not None:
        known = [sd**2 for sd in spreads if sd is not None]
        return finding.shown, math.sqrt(sum(known) / len(known)) if known else None
    if finding.ranked:
        ends = [list(places(ranked, claim)) for ranked in finding.ranked]
        return _single([ranked.place for ranked in finding.ranked]), _single(ends)
    if finding.values:
        return _single([value.mean for value in finding.values]), _single(spreads)
    return (None if finding.missing else not against), None


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _runs(finding: Finding) -> int:
    if finding.runs is not None:
        return finding.runs
    values = [*finding.values, *(ranked.scores[ranked.name] for ranked in finding.ranked)]
    return min((value.runs for value in values), default=0)


def _sentences(*remarks: str) -> str:
    """Join remarks, each as a sentence of its own."""
    sentences = [part.strip().rstrip(".") for part in remarks]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def _path(path: Path | None) -> str:
    return "" if path is None else path.as_posix()


def _title(section: str) -> str:
    if section.startswith("app "):
        return f"Appendix {section.removeprefix('app ')}"
    return section.capitalize() if section.startswith("table") else f"Section {section}"


def _shared_remarks(group: Sequence[Row]) -> list[str]:
    """List the sentences about the paper that several claims of a section have."""
    remarks = Counter(sentence for row in group for sentence in _split(row.claim.note))
    return [sentence for sentence, times in remarks.items() if times > 2]


def _split(note: str) -> list[str]:
    return [f"{part.strip().rstrip('.')}." for part in note.split(". ") if part.strip()]


def _cells(row: Row, shared: Sequence[str]) -> list[str]:
    """Return the cells of a row of the page; links are relative to the docs folder."""
    name = f"[`{row.claim.id}`](../{row.record})" if row.record else f"`{row.claim.id}`"
    verdict = f"{row.verdict}{'*' * row.older_observer}"
    note = row.note
    for remark in (_sentences(OLDER_OBSERVER), *shared):
        note = note.replace(remark, "")
    note = " ".join(note.split())
    cells = [
        f"{row.claim.statement} ({name})",
        verdict,
        paper_text(row.claim),
        ours_text(row),
        note,
    ]
    return [cell.replace("|", "\\|") for cell in cells]

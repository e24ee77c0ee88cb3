"""Every claim beside ours: rows, and how they read."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from novelty_lab.ledger.claims import Claim, Kind, load_claims
from novelty_lab.ledger.findings import Finding
from novelty_lab.ledger.rules import RULES, objections, ordering, places, statement, undecided
from novelty_lab.ledger.source import PaperRecords, sources
from novelty_lab.ledger.worth import Worth, committed_worth
from novelty_lab.records import OLDER_OBSERVER

Verdict = Literal["reproduced", "differs", "not run"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SECTIONS = ("4.1", "4.2", "4.3", "table 1", "app A", "app B", "app D", "app F", "app G", "app H")
"""In the order in which they are shown."""
STATED = "stated"
"""What stands for the paper's value where the statement says it all."""
LARGE, WIDE = 100.0, 10.0
"""Numbers from the first on, or with a spread from the second on, are shown with the digits that
the paper prints; others with one more."""
SPANS = ("range", "bound", "same")
"""Kinds of which two numbers are the ends of a span."""


@dataclass(frozen=True)
class Row:
    """A claim, what our records hold of it, and the verdict."""

    claim: Claim
    verdict: Verdict
    ours: Any = None
    """A number, several, names, or whether a statement holds; None where there is nothing."""
    spread: Any = None
    """Deviation over runs, beside each number; of a rank the places it could have."""
    runs: int = 0
    """Draws or seeds that ours rests on."""
    note: str = ""
    fitted: str = ""
    """A setting that was chosen to agree with the paper, if any."""
    worth: Worth | None = None
    """Probability of "reproduced" if the paper is right, and if the truth is clearly different."""
    record: str = ""
    """Directory of the record, where there is one."""
    records: tuple[str, ...] = ()
    """Directories of all records that ours is read from: of agents, one for every run."""
    figure: str = ""
    command: str = ""
    """What runs it again."""
    older_observer: bool = False
    """Whether ours is from before the last layer of the observer was linear."""

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON can hold it."""
        claim = self.claim
        about = {name: getattr(claim, name) for name in ("id", "section", "kind", "statement")}
        ours = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)[1:]}
        paper = {"paper": claim.value, "paper_sd": claim.sd, "paper_runs": claim.runs}
        return about | paper | ours


def rows(root: Path) -> list[Row]:
    """Judge every claim by the records under a results folder."""
    records = PaperRecords(root)
    return [_row(claim, records) for claim in load_claims()]


def _row(claim: Claim, records: PaperRecords) -> Row:
    source = sources()[claim.id]
    row = judged(claim, source.finding(records))
    older = row.ours is not None and source.older_observer(records)
    return dataclasses.replace(
        row,
        note=sentences(row.note, OLDER_OBSERVER) if older else row.note,
        worth=committed_worth().get(claim.id),
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
    if finding.fitted:
        remarks.append(f"Fitted: {finding.fitted}")
    cause = claim.cause if verdict == "differs" else ""
    note = sentences(finding.missing, *remarks, finding.note, claim.note, cause)
    return Row(claim, verdict, ours, spread, _runs(finding), note, finding.fitted)


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


def sentences(*remarks: str) -> str:
    """Join remarks, each as a sentence of its own."""
    sentences = [part.strip().rstrip(".") for part in remarks]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)


def _path(path: Path | None) -> str:
    return "" if path is None else path.as_posix()


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


def _title(section: str) -> str:
    if section.startswith("app "):
        return f"Appendix {section.removeprefix('app ')}"
    return section.capitalize() if section.startswith("table") else f"Section {section}"


def rule_text(kind: Kind) -> str:
    """Return the rule that judges a kind of claim, in words and as a formula."""
    return inspect.getdoc(RULES[kind]) or ""


def paper_text(claim: Claim) -> str:
    """Say what the paper has."""
    if claim.value is None:
        return STATED
    digits = claim.printed_decimals
    text = _joined(claim.value, digits, claim.kind)
    if claim.kind == "bound":
        text = f"{claim.side} {text}"
    return text + _plus_minus(claim.sd, digits)


def ours_text(row: Row) -> str:
    """Say what ours is, with its spread, and the number of runs in brackets."""
    ours, spread = row.ours, row.spread
    if ours is None:
        return ""
    digits = _digits(row)
    if isinstance(ours, bool):
        text = "holds" if ours else "does not hold"
    elif row.claim.kind == "rank":
        placed = zip(ours, spread, strict=True) if isinstance(ours, list) else [(ours, spread)]
        text = ", ".join(f"{place} [{low}-{high}]" for place, (low, high) in placed)
    elif isinstance(spread, list):
        pairs = zip(ours, spread, strict=True)
        text = ", ".join(_number(v, digits) + _plus_minus(sd, digits) for v, sd in pairs)
    else:
        text = _joined(ours, digits, row.claim.kind) + _plus_minus(spread, digits)
    return f"{text} ({row.runs})"


def verdict_text(row: Row) -> str:
    """Say the verdict, and what it rests on where that is not the paper's own observer."""
    marks = {"older observer": row.older_observer, "fitted": bool(row.fitted)}
    return ", ".join([row.verdict, *(mark for mark, is_so in marks.items() if is_so)])


def marked_verdict(row: Row) -> str:
    """Return the verdict, with * for an older observer and + for a fitted setting."""
    return f"{row.verdict}{'*' * row.older_observer}{'+' * bool(row.fitted)}"


def worth_text(row: Row) -> str:
    """Say how probable "reproduced" is if the paper is right, and if the truth is different."""
    return "" if row.worth is None else "{:.2f}, {:.2f}".format(*row.worth)


def _digits(row: Row) -> int:
    claim, ours = row.claim, row.ours if isinstance(row.ours, list) else [row.ours]
    if claim.value is None:
        return 2
    whole = all(isinstance(value, int) for value in ours)
    large = any(isinstance(value, float) and abs(value) >= LARGE for value in ours)
    spreads = row.spread if isinstance(row.spread, list) else [row.spread]
    wide = any(isinstance(sd, float) and sd >= WIDE for sd in spreads)
    return claim.printed_decimals + (0 if whole or large or wide else 1)


def _joined(value: Any, digits: int, kind: str) -> str:
    if not isinstance(value, list):
        return _number(value, digits)
    return (" to " if kind in SPANS else ", ").join(_number(v, digits) for v in value) or "none"


def _number(value: Any, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:z.{digits}f}"


def _plus_minus(sd: float | None, digits: int) -> str:
    return "" if sd is None else f" ± {sd:.{digits}f}"

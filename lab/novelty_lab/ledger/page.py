"""The ledger as a page of the docs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from novelty_lab.ledger.ledger import (
    OLDER_OBSERVER,
    VERDICTS,
    Row,
    count,
    marked_verdict,
    ours_text,
    paper_text,
    rule_text,
    sections,
    sentences,
    worth_text,
)
from novelty_lab.ledger.rules import RULES
from novelty_lab.report import Table

INTRODUCTION = """\
---
hide:
  - toc
---

# The ledger

Each claim of the paper (arXiv 2607.18433) that has a number, a rank, an order or a yes, beside what
our committed records hold. The part above "Settings" is what `novelty ledger --markdown` writes.

Verdicts are computed, by one rule for each kind of claim. **Reproduced** means that our result does
not contradict the claim beyond the errors of both sides, and **differs** that it does. **Not run**
means that there is no run at the paper's configuration, or fewer than five seeds of an agent. A
verdict marked with * rests on records of version 0.3 or before, whose observer also normalizes and
activates its last layer. One marked with + rests on a setting that was found by trying values.

The column **worth** has two probabilities, from simulations with the stated spreads: that the rule
calls the claim reproduced if the paper is right, and if the truth is clearly different. A number is
clearly different if it is off by a fifth, or by one standard deviation of the paper's runs if that
is more. For an order the closest pair is reversed, a rank is off by a fifth of the list, and a
bonus changes nothing. Claims without a spread have no such probability. The first number of a claim
about all tasks of table 1 is the probability that all of its signs would recur in ten new seeds.

"Ours" is mean ± standard deviation over runs, with the number of runs in brackets. The places that
a rank could have if scores moved within their error are in square brackets. The name of a claim
leads to its record, and `novelty ledger eca.top` shows rule and command of that one.
"""


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
        rule = " ".join(rule_text(kind).partition("\n\n")[0].split())
        blocks.append(f"- **{kind}** ({kinds[kind]} claims): {rule}")
    blocks.append(
        "\nThe error of a number is t √(sd²/n + sd²/n), from both sides. t is the 95% point of"
    )
    blocks.append("Student's distribution (Welch), and half of the last printed digit.\n")
    # The site lays these tables out in its own way: assets/site.css.
    blocks.append('## The claims\n\n<div class="ledger" markdown>\n')
    columns = ["claim", "verdict", "worth", "paper", "ours", "note"]
    for title, group in sections(ledger):
        shared = _shared_remarks(group)
        shown = [_cells(row, shared) for row in group]
        blocks.append(Table(title, columns, shown).markdown())
        if shared:
            blocks.append(f"Notes on several of these claims: {' '.join(shared)}\n")
    return "\n".join([*blocks, "</div>\n"])


def _shared_remarks(group: Sequence[Row]) -> list[str]:
    """List the sentences about the paper that several claims of a section have."""
    remarks = Counter(
        sentences(part) for row in group for part in row.claim.note.split(". ") if part.strip()
    )
    return [sentence for sentence, times in remarks.items() if times > 2]


def _cells(row: Row, shared: Sequence[str]) -> list[str]:
    """Return the cells of a row of the page; links are relative to the docs folder."""
    name = f"[`{row.claim.id}`](../{row.record})" if row.record else f"`{row.claim.id}`"
    note = row.note
    for remark in (sentences(OLDER_OBSERVER), *shared):
        note = note.replace(remark, "")
    texts = worth_text(row), paper_text(row.claim), ours_text(row), " ".join(note.split())
    cells = [f"{row.claim.statement} ({name})", marked_verdict(row), *texts]
    return [cell.replace("|", "\\|") for cell in cells]

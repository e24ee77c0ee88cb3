"""The ledger: every claim of the paper beside what our records say about it."""

from novelty_lab.ledger.findings import Finding, Pair, Ranked, Value
from novelty_lab.ledger.ledger import beside_paper, count, markdown, rows, rule_text, sections
from novelty_lab.ledger.paper_claims import Claim, Row, Verdict, claim, load_claims
from novelty_lab.ledger.paper_records import PaperRecords
from novelty_lab.ledger.rules import RULES
from novelty_lab.ledger.source import Source, WideSource
from novelty_lab.ledger.text import ours_text, paper_text, verdict_text

__all__ = [
    "RULES",
    "Claim",
    "Finding",
    "Pair",
    "PaperRecords",
    "Ranked",
    "Row",
    "Source",
    "Value",
    "Verdict",
    "WideSource",
    "beside_paper",
    "claim",
    "count",
    "load_claims",
    "markdown",
    "ours_text",
    "paper_text",
    "rows",
    "rule_text",
    "sections",
    "verdict_text",
]

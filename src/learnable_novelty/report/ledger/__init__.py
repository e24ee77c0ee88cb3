"""The ledger: every claim of the paper beside what the committed records hold."""

from learnable_novelty.report.ledger.claims import Claim, Row, Verdict, load_claims
from learnable_novelty.report.ledger.ledger import count, markdown, rows, rule_text, sections
from learnable_novelty.report.ledger.rules import RULES
from learnable_novelty.report.ledger.text import ours_text, paper_text

__all__ = [
    "RULES",
    "Claim",
    "Row",
    "Verdict",
    "count",
    "load_claims",
    "markdown",
    "ours_text",
    "paper_text",
    "rows",
    "rule_text",
    "sections",
]

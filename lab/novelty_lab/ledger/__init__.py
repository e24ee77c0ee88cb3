"""The ledger: every claim of the paper beside what the committed records hold."""

from novelty_lab.ledger.claims import Claim, Row, Verdict, load_claims
from novelty_lab.ledger.ledger import count, markdown, rows, rule_text, sections
from novelty_lab.ledger.rules import RULES
from novelty_lab.ledger.text import ours_text, paper_text

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

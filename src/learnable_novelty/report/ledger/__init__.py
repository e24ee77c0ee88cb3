"""The ledger: every claim of the paper beside what the committed records hold."""

from learnable_novelty.report.ledger.claims import Claim, Row, Verdict, load_claims
from learnable_novelty.report.ledger.ledger import count, markdown, rows, tables

__all__ = ["Claim", "Row", "Verdict", "count", "load_claims", "markdown", "rows", "tables"]

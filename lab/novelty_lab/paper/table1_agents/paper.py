"""Table 1 of the paper: task return after 600,000 steps, mean and sd over ten seeds."""

from __future__ import annotations

from novelty_lab.ledger.claims import load_claims

PAPER_CONDITIONS = ("task", "epiplexity", "task+magnitude", "task+epiplexity")
"""What the agents of the table are paid by, in the order of its columns."""


def _table() -> dict[str, dict[str, tuple[float, float]]]:
    table: dict[str, dict[str, tuple[float, float]]] = {}
    for claim in load_claims():
        if claim.section == "table 1":
            _, task, condition = claim.id.split(".")
            assert claim.sd is not None
            table.setdefault(task, {})[condition] = claim.value, claim.sd
    return table


PAPER = _table()
"""Mean and sd by task, in the order of the rows, and by condition; read from the claims."""

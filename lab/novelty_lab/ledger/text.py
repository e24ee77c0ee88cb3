"""How the two sides of a row read, in the terminal and on the page."""

from __future__ import annotations

from typing import Any

from novelty_lab.ledger.paper_claims import Claim, Row

STATED = "stated"
"""What stands for the paper's value where the statement says it all."""
LARGE, WIDE = 100.0, 10.0
"""Numbers from the first on, or with a spread from the second on, are shown with the digits that
the paper prints; others with one more."""
SPANS = ("range", "bound", "same")
"""Kinds of which two numbers are the ends of a span."""


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
        places = zip(ours, spread, strict=True) if isinstance(ours, list) else [(ours, spread)]
        text = ", ".join(f"{place} [{low}-{high}]" for place, (low, high) in places)
    elif isinstance(spread, list):
        pairs = zip(ours, spread, strict=True)
        text = ", ".join(_number(v, digits) + _plus_minus(sd, digits) for v, sd in pairs)
    else:
        text = _joined(ours, digits, row.claim.kind) + _plus_minus(spread, digits)
    return f"{text} ({row.runs})"


def verdict_text(row: Row) -> str:
    """Say the verdict, and whether it is of the older observer."""
    return f"{row.verdict}, older observer" if row.older_observer else row.verdict


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

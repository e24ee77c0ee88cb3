"""The automaton against an observer that grows."""

from __future__ import annotations

from typing import Any

from docs.hooks.tables.records import record


def together_verdict() -> str:
    """Say how the growing arm ends beside the others, and what it gained after a growth."""
    summaries = record("nca-growing")["summary"]
    judge = list(next(iter(summaries.values()))["ends"]["growing"])[-3]  # the largest
    names = {"frozen": "the paper's observer", "large": "the large one"}
    lines = []
    for update, summary in summaries.items():
        ends = [
            f"{_signed(against[judge])} bits against {names[arm]}"
            for arm, against in summary["differences"].items()
        ]
        grown = [name for name in summary["phases"] if name not in ("0", "annealed")]
        gains = [f"{_signed(summary['phases'][name]['gained']['own'])} bits" for name in grown]
        lines.append(
            f"- **{update}**: by the judge {judge} the growing arm ends {' and '.join(ends)}. "
            f"Within the phases after a growth it gained {', then '.join(gains) or 'nothing'} "
            "under its own observer."
        )
    return "\n".join(lines)


def _signed(found: dict[str, Any]) -> str:
    """Write a difference with its 95% interval, and whether it is clear of 0."""
    from novelty_lab.artefacts.nca_growing.figure import half_interval, interval

    clear = abs(found["mean"]) > half_interval(found)
    return interval(found) if clear else f"{interval(found)} (not clear of 0)"

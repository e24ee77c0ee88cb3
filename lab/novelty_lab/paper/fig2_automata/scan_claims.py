"""Appendix B: how far the ranking of the elementary automata depends on the settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from novelty_lab.ledger.findings import Finding, Pair, Ranked, Value
from novelty_lab.ledger.source import PaperRecords, Source, WideSource
from novelty_lab.paper.fig2_automata.claims import margin
from novelty_lab.records import Record
from novelty_lab.tables import in_words

NARROW = ("resolution", "ridge_penalty", "window", "channels", "samples")
"""Axes that leave the receptive radius at two."""
WIDE = ("depth=4", "depth=5", "kernel_size=5", "kernel_size=7")
"""Cells of the scan whose receptive radius exceeds two."""
LOST = ("window=4", "depth=1", "depth=2")
"""Cells at which the paper has another rule in front."""
OURS_ALONE = "linear_last"
"""An axis of the scan that the paper does not have."""


def _cells(record: Record) -> dict[str, dict[str, Any]]:
    """Return the cells that the paper's scan has too, one draw each."""
    cells = record.results["cells"]
    return {name: cell for name, cell in cells.items() if cell["axis"] != OURS_ALONE}


def _varied(record: Record) -> list[dict[str, Any]]:
    return [cell for cell in _cells(record).values() if not cell["is_reference"]]


def _margin(records: PaperRecords) -> Finding:
    cells, reference = _varied(records.get("eca-scan")), records.find("eca")
    margins = [cell["margin"] for cell in cells if cell["first"] == "110"]
    if not margins:
        return Finding(missing="rule 110 is first in no cell of the scan")
    draws = margin(reference).values[0] if reference else Value(0.0)
    values = tuple(Value(m, draws.sd, 1, draws.freedom) for m in margins)
    note = "A cell is one draw; the spread is that of draws at the reference."
    return Finding(values=values, shown=[min(margins), max(margins)], note=note)


def _spearman(record: Record) -> Finding:
    deep = [c for c in _varied(record) if not (c["axis"] == "depth" and c["value"] <= 2)]
    least = min(deep, key=lambda cell: cell["spearman"])
    where = in_words(f"{least['axis']}={least['value']:g}")
    note = f"The least, at {where}; one draw, whose spread is not recorded."
    return Finding(values=(Value(least["spearman"]),), note=note)


def _top(record: Record) -> Finding:
    cells = _cells(record)
    lost = [name for name, cell in cells.items() if cell["first"] != "110"]
    against = {f"110 not first at {in_words(n)}": n in lost for n in cells if n not in LOST}
    against |= {f"110 first at {in_words(n)}": n not in lost for n in LOST}
    listed = ", ".join(map(in_words, lost)) or "none"
    return Finding(against=against, runs=1, note=f"Another rule leads at: {listed}.")


def _order(record: Record) -> Finding:
    cells = _cells(record)
    narrow = [name for name, cell in cells.items() if cell["axis"] in NARROW]
    against = {f"30 above 54 at {in_words(n)}": cells[n]["gap_54_30"] < 0 for n in narrow}
    against |= {f"54 above 30 at {in_words(n)}": cells[n]["gap_54_30"] > 0 for n in WIDE}
    return Finding(against=against, runs=1)


def _rescored(record: Record, cell: str) -> tuple[dict[str, Value], dict[str, Any]]:
    """Return the scores of a cell that was drawn three times, and the rest of it."""
    rescored, draws = record.results["rescored"][cell], record.configuration["draws"]
    scores = {r: Value(m, rescored["sd"][r], draws) for r, m in rescored["mean"].items()}
    return scores, rescored


def _score(record: Record, cell: str, rule: str, over: str | None = None) -> Finding:
    """Read the score of a rule, which is above that of another one where the paper says so."""
    scores, _ = _rescored(record, cell)
    pairs = () if over is None else (Pair(f"{rule} above {over}", scores[rule], scores[over]),)
    return Finding(values=(scores[rule],), pairs=pairs)


def _reversed(record: Record, cell: str) -> Finding:
    """Read by how much 54 is above 30 where it is below, and whether 110 is first."""
    scores, rescored = _rescored(record, cell)
    best = max((rule for rule in scores if rule != "110"), key=lambda r: scores[r].mean)
    first = Pair(f"110 above {best}", scores["110"], scores[best])
    gap = Value(rescored["gap_54_30"], rescored["gap_54_30_sd"], scores["110"].runs)
    return Finding(values=(gap,), pairs=(first,))


def _ranks(record: Record, cell: str, *rules: str) -> Finding:
    scores, _ = _rescored(record, cell)
    return Finding(ranked=tuple(Ranked(rule, scores) for rule in rules))


def _depth_one(record: Record) -> Finding:
    ranked = _ranks(record, "depth=1", "110").ranked
    correlation = _cells(record)["depth=1"]["spearman"]
    # A correlation of n things that have none is below this in 95 of 100 cases.
    chance = 1.96 / math.sqrt(len(ranked[0].scores) - 1)
    return Finding(
        ranked=ranked,
        against={"the correlation does not vanish": abs(correlation) > chance},
        note=f"Rank correlation with the reference: {correlation:.2f}.",
    )


def _cell_source(read: Callable[..., Finding], *cell_and_rules: str) -> Source:
    """Make a source that reads a cell of the scan."""
    return Source("eca-scan", lambda record: read(record, *cell_and_rules))


SOURCES = {
    "eca.scan.margin": WideSource("eca-scan", _margin),
    "eca.scan.spearman": Source("eca-scan", _spearman),
    "eca.scan.top": Source("eca-scan", _top),
    "eca.scan.order": Source("eca-scan", _order),
    "eca.tau4.110": _cell_source(_score, "window=4", "110"),
    "eca.tau4.73": _cell_source(_score, "window=4", "73", "110"),
    "eca.depth2.25": _cell_source(_score, "depth=2", "25", "110"),
    "eca.depth2.110": _cell_source(_score, "depth=2", "110"),
    "eca.depth1.rank110": Source("eca-scan", _depth_one),
    "eca.depth4.gap": _cell_source(_reversed, "depth=4"),
    "eca.depth4.ranks": _cell_source(_ranks, "depth=4", "30", "54"),
    "eca.kernel5.gap": _cell_source(_reversed, "kernel_size=5"),
}

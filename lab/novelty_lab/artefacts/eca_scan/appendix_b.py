"""What appendix B claims, beside what the scan found."""

from __future__ import annotations

from typing import Any

Cells = dict[str, dict[str, Any]]


def appendix_b(cells: Cells, rescored: Cells) -> list[dict[str, Any]]:
    """List every claim with the paper's value, ours, and the deviation where it is a number.

    Args:
        cells: the one-draw summary of every configuration of the scan.
        rescored: mean and spread of what was scored again.
    """
    claims: list[dict[str, Any]] = []

    def add(
        name: str,
        statement: str,
        paper: Any,
        ours: Any,
        sd: float | None = None,
        ours_sd: float | None = None,
    ) -> None:
        numeric = isinstance(paper, (int, float)) and isinstance(ours, (int, float))
        claims.append(
            {
                "id": name,
                "statement": statement,
                "paper": paper,
                "paper_sd": sd,
                "ours": ours,
                "ours_sd": ours_sd,
                "deviation": ours - paper if numeric else None,
            }
        )

    _reference(add, rescored["reference"])
    _whole_scan(add, cells)
    _small_windows(add, cells, rescored)
    _wide_views(add, rescored)
    return claims


def _reference(add: Any, reference: dict[str, Any]) -> None:
    rank = reference["ranks"]
    add("eca.ref.margin", "reference: margin of rule 110, bits", 20.7, reference["margin"])
    add("eca.ref.runner_up", "reference: the runner-up", "25", reference["runner_up"])
    add("eca.ref.rank54", "reference: rank of rule 54", 4, rank["54"])
    add("eca.ref.rank30", "reference: rank of rule 30", 12, rank["30"])
    add(
        "eca.ref.gap",
        "reference: S(54) - S(30), bits",
        10.9,
        reference["gap_54_30"],
        1.0,
        reference["gap_54_30_sd"],
    )


def _whole_scan(add: Any, cells: Cells) -> None:
    """Claims over all configurations; the scan of the input scale is ours and not counted."""
    scanned = {n: c for n, c in cells.items() if c["axis"] != "input_scale"}
    varied = [c for c in scanned.values() if not c["is_reference"]]
    margins = [c["margin"] for c in varied if c["first"] == "110"]
    deep = [c for c in varied if not (c["axis"] == "depth" and c["value"] <= 2)]
    lost = sorted(n for n, c in scanned.items() if c["first"] != "110")
    narrow = ("resolution", "ridge_penalty", "window", "channels", "samples")
    flipped = sorted(n for n, c in scanned.items() if c["gap_54_30"] < 0 and c["axis"] in narrow)
    wide = {"depth=4", "depth=5", "kernel_size=5", "kernel_size=7"}
    kept = sorted(n for n in wide if cells[n]["gap_54_30"] > 0)
    add("eca.scan.margin", "smallest margin where 110 leads", 9.6, min(margins))
    add("eca.scan.margin", "largest margin where 110 leads", 28.4, max(margins))
    add(
        "eca.scan.spearman",
        "least rank correlation with the reference, depth > 2",
        "> 0.90",
        min(c["spearman"] for c in deep),
    )
    add(
        "eca.scan.top",
        "where another rule leads",
        "depth=1, depth=2, window=4",
        ", ".join(lost),
    )
    add(
        "eca.scan.order",
        "radius <= 2: where 30 is above 54",
        "nowhere",
        ", ".join(flipped) or "nowhere",
    )
    add(
        "eca.scan.order",
        "radius > 2: where 54 is above 30",
        "nowhere",
        ", ".join(kept) or "nowhere",
    )


def _small_windows(add: Any, cells: Cells, rescored: Cells) -> None:
    """Claims where the observer or the window is cut short."""
    for name, cell, rule, paper, sd in (
        ("eca.tau4.110", "window=4", "110", 18.2, 0.4),
        ("eca.tau4.73", "window=4", "73", 18.7, 0.2),
        ("eca.depth2.25", "depth=2", "25", 13.5, 0.4),
        ("eca.depth2.110", "depth=2", "110", 10.4, 0.5),
    ):
        held = rescored.get(cell)
        statement = f"{cell.replace('=', ' ')}: S({rule}), bits"
        if held is None:
            add(name, statement, paper, "110 leads: not scored again", sd)
        else:
            add(name, statement, paper, held["mean"][rule], sd, held["sd"][rule])
    add("eca.depth1.rank110", "depth 1: rank of rule 110", 40, cells["depth=1"]["rank_110"])
    add(
        "eca.depth1.rank110",
        "depth 1: rank correlation with the reference",
        "vanishes",
        cells["depth=1"]["spearman"],
    )


def _wide_views(add: Any, rescored: Cells) -> None:
    """Claims where the receptive radius exceeds two."""
    for name, cell, paper, sd in (
        ("eca.depth4.gap", "depth=4", -14.6, 1.0),
        ("eca.kernel5.gap", "kernel_size=5", -11.9, 0.5),
    ):
        held = rescored.get(cell)
        statement = f"{cell.replace('_', ' ').replace('=', ' ')}: S(54) - S(30), bits"
        if held is None:
            add(name, statement, paper, "54 stays above 30: not scored again", sd)
        else:
            add(name, statement, paper, held["gap_54_30"], sd, held["gap_54_30_sd"])
    deep = rescored.get("depth=4")
    if deep is not None:
        found = [deep["ranks"]["30"], deep["ranks"]["54"]]
        add("eca.depth4.ranks", "depth 4: ranks of rules 30 and 54", [5, 13], found)

"""Shares of held-out variance on real tables, ours against those of other learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, BLUE, draw_equal_line, label_panel, new_figure
from novelty_lab.tables import table

OTHERS = ("ridge", "boosted trees", "forest")
CLOSE, FAR = 0.01, 0.05


def tables(record: Record) -> list[Table]:
    """List what each learner explains, and how ours compares: on all tables, and on each half."""
    rows = [{**row, "time": _times(row)} for row in record.results["tables"]]
    small = [row for row in rows if "ridge" in row]
    halves = {"looked at": small[::2], "reported": small[1::2], "all": small}
    shares = {name: _cell(name) for name in ("ours", *OTHERS)}
    return [
        *(_comparison(part, some) for part, some in halves.items()),
        table(
            "Held-out shares",
            {"table": "{table}", "rows": "{rows}", "columns": "{columns}", **shares},
            rows,
        ),
    ]


def _comparison(part: str, rows: list[dict[str, Any]]) -> Table:
    columns = {
        "other": "{other}",
        "tables": "{number}",
        "mean difference": "{mean:.3f}",
        "median": "{median:.3f}",
        "lower by 0.01": "{close}",
        "lower by 0.05": "{far}",
        "our CPU time is times its (median)": "{time:.1f}",
    }
    compared = [{"other": other, **_compared(rows, other)} for other in OTHERS]
    return table(f"Ours less the other's share, {part}", columns, compared)


def _cell(name: str) -> Any:
    return lambda row: f"{row[name]:.3f}" if name in row else "-"


def _times(row: dict[str, Any]) -> dict[str, float]:
    return {name: row["seconds"]["ours"] / row["seconds"][name] for name in OTHERS if name in row}


def _compared(rows: list[dict[str, Any]], other: str) -> dict[str, Any]:
    # A share below zero is worse than the mean; how much worse says nothing.
    less = np.array([max(row["ours"], 0.0) - max(row[other], 0.0) for row in rows])
    return {
        "number": len(rows),
        "mean": float(less.mean()),
        "median": float(np.median(less)),
        "close": int((less < -CLOSE).sum()),
        "far": int((less < -FAR).sum()),
        "time": float(np.median([row["time"][other] for row in rows])),
    }


def figure(record: Record) -> Figure:
    """Draw our shares against those of ridge and of boosted trees."""
    fig = new_figure(8.0, 4.2)
    rows = [row for row in record.results["tables"] if "ridge" in row]
    panels: Any = fig.subplots(1, 2, sharex=True, sharey=True)
    for axes, other, letter in zip(panels, OTHERS[:2], "ab", strict=True):
        for some, color, name in ((rows[::2], BLACK, "looked at"), (rows[1::2], BLUE, "reported")):
            x, y = ([max(0.0, row[key]) for row in some] for key in (other, "ours"))
            axes.plot(x, y, ".", color=color, label=name)
        draw_equal_line(axes, 1.0)
        axes.set(xlabel=f"{other}: share of held-out variance", ylabel="ours")
        label_panel(axes, letter, f"{len(rows)} tables, ours against {other}")
    panels[0].legend(loc="lower right")
    return fig

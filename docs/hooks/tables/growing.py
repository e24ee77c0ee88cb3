"""The observer that grows, beside other learners, and the automaton against it."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from docs.hooks.tables.records import markdown, record


def functions() -> str:
    """Give the held-out R2 of every learner with the most rows."""
    from novelty_lab.studies.growing.figure import COLORS, means

    known = means(record("growing")["functions"], ("function", "n", "learner"))
    most = max(n for _, n, _ in known)
    rows = [
        [name, *(share(known[name, most, learner]) for learner in COLORS)]
        for name in dict.fromkeys(name for name, _, _ in known)
    ]
    return markdown([f"{most:,} rows", *COLORS], rows)


def share(value: float | None) -> str:
    """Write a share with two digits, and a small negative one as 0.00."""
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"


def real_sets() -> str:
    """Compare learners over the real data sets: mean R2, mean rank, and time."""
    from novelty_lab.studies.growing.figure import COLORS, means

    recorded = record("growing")["sets"]
    known = means(recorded, ("set", "learner"))
    names = list(dict.fromkeys(name for name, _ in known))
    shares = np.array([[known[name, k] for k in COLORS] for name in names], dtype=float)
    ranks = rankdata(-shares, axis=1).mean(axis=0)
    best = (shares >= shares.max(axis=1, keepdims=True) - 0.01).sum(axis=0)
    seconds = [
        np.median([row["seconds"] for row in recorded if row["learner"] == k]) for k in COLORS
    ]
    readings = {
        "mean R2": [f"{value:.3f}" for value in shares.mean(axis=0)],
        "mean rank of seven": [f"{value:.1f}" for value in ranks],
        "within 0.01 of the best": [f"{value} of {len(names)}" for value in best],
        "median CPU seconds": [f"{value:.2f}" for value in seconds],
    }
    return markdown([f"{len(names)} sets", *COLORS], [[k, *v] for k, v in readings.items()])


def detection() -> str:
    """Say in how many data sets ``ln.score`` finds a function, by observer and rows."""
    recorded = record("growing")["detection"]
    observers = list(dict.fromkeys(row["observer"] for row in recorded))
    sizes = sorted({row["n"] for row in recorded})[1::2]
    at = {(row["function"], row["n"], row["observer"]): row for row in recorded}
    rows = []
    for name in dict.fromkeys(row["function"] for row in recorded):
        shares = [" / ".join(f"{at[name, n, k]['found']:.1f}" for n in sizes) for k in observers]
        explained = [f"{at[name, sizes[-1], k]['held out']:.2f}" for k in observers]
        rows.append([name, *shares, *explained])
    words = [f"{k}: found" for k in observers] + [f"{k}: R2" for k in observers]
    return markdown([f"function ({' / '.join(map(str, sizes))} rows)", *words], rows)

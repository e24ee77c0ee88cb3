"""The observer that grows, beside other learners, and the automaton against it."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from docs.hooks.tables.records import markdown, record


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

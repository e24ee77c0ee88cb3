"""Correlations of measures with published figures, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.seeds import numpy_generator
from novelty_lab.rank_correlation import spearman

RATES = ("lyapunov", "entropy")
"""Published figures that are per unit of time."""
LEAST = 5
"""Systems that a correlation needs at least."""


def correlate(
    values: Mapping[str, Mapping[str, float]],
    systems: Sequence[Any],
    per_period: bool,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Correlate every measure with every published figure.

    Args:
        values: by measure and system.
        systems: flows of the collection, which publish figures; rates are per unit of time.
        per_period: turn rates into rates per period, for data sampled in periods.
        resamples: bootstrap samples of the systems.
        seed: of those.

    Returns:
        Measure, figure, rho, the 95% interval low to high, and the number n of systems.
    """
    rows: list[dict[str, Any]] = []
    for figure in systems[0].published:
        in_periods = per_period and figure in RATES
        known = {
            system.name: value * (system.period if in_periods else 1.0)
            for system in systems
            if (value := system.published[figure]) is not None
        }
        for measure, scores in values.items():
            names = [name for name in known if name in scores]
            if len(names) < LEAST:
                continue
            x = np.array([scores[name] for name in names])
            y = np.array([known[name] for name in names])
            low, high = interval(x, y, resamples, seed)
            about = {"measure": measure, "figure": figure, "n": len(names)}
            rows.append(about | {"rho": float(spearman(x, y)), "low": low, "high": high})
    return rows


def interval(
    x: NDArray[np.float64], y: NDArray[np.float64], resamples: int, seed: int
) -> tuple[float, float]:
    """Return the 2.5% and 97.5% points of rho over systems drawn with replacement."""
    generator = numpy_generator(seed, "bootstrap")
    drawn = generator.integers(0, x.size, (resamples, x.size))
    low, high = np.quantile(spearman(x[drawn], y[drawn]), (0.025, 0.975))
    return float(low), float(high)

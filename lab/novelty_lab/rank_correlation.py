"""Spearman's rank correlation with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.seeds import numpy_generator

RATES = ("lyapunov", "entropy")
"""Published figures that are per unit of time."""
LEAST = 5
"""Systems that a correlation needs at least."""


@dataclass(frozen=True)
class Published:
    """What a collection says of one system."""

    name: str
    period: float
    figures: Mapping[str, float | None]


def correlate(
    values: Mapping[str, Mapping[str, float]],
    systems: Iterable[Published],
    per_period: bool,
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Correlate every measure with every published figure.

    Args:
        values: by measure and system.
        systems: what is published; rates are per unit of time.
        per_period: turn rates into rates per period, for data sampled in periods.
        resamples: bootstrap samples of the systems.
        seed: of those.

    Returns:
        Measure, figure, rho, the 95% interval low to high, and the number n of systems.
    """
    held = list(systems)
    found: list[dict[str, Any]] = []
    for figure in held[0].figures:
        scale = {s.name: s.period if per_period and figure in RATES else 1.0 for s in held}
        known = {
            s.name: value * scale[s.name] for s in held if (value := s.figures[figure]) is not None
        }
        for measure, scores in values.items():
            names = [name for name in known if name in scores]
            if len(names) < LEAST:
                continue
            x = np.array([scores[name] for name in names])
            y = np.array([known[name] for name in names])
            low, high = interval(x, y, resamples, seed)
            rho = float(spearman(x[None], y[None])[0])
            found.append(
                {"measure": measure, "figure": figure, "rho": rho, "low": low, "high": high}
                | {"n": len(names)}
            )
    return found


def interval(
    x: NDArray[np.float64], y: NDArray[np.float64], resamples: int, seed: int
) -> tuple[float, float]:
    """Return the 2.5% and 97.5% points of rho over systems drawn with replacement."""
    generator = numpy_generator(seed, "bootstrap")
    drawn = generator.integers(0, x.size, (resamples, x.size))
    low, high = np.quantile(spearman(x[drawn], y[drawn]), (0.025, 0.975))
    return float(low), float(high)


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pearson's correlation of the ranks, row by row; equal values share their mean rank.

    0 where one side has one value only. Infinite values are ranked as such.

    Args:
        x: (rows, systems).
        y: (rows, systems).

    Returns:
        (rows,)
    """
    from scipy.stats import rankdata

    ranks = [rankdata(values, axis=1) for values in (x, y)]
    a, b = (held - held.mean(1, keepdims=True) for held in ranks)
    size = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    return np.where(size > 0, (a * b).sum(1) / np.where(size > 0, size, 1.0), 0.0)

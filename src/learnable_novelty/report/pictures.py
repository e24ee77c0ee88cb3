"""Relations as small pictures: points, a straight line and a fit, in SVG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.text import in_html

Array = NDArray[np.float64]
WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 420, 300, 64, 46, 12
MOST_POINTS, MOST_LEVELS, LONGEST = 400, 8, 14
"""Points and levels that are drawn, and letters of a level."""


class Axis:
    """From values, or levels of a category, to places in the picture."""

    def __init__(self, values: Array, levels: Sequence[str], low: float, high: float) -> None:
        self.levels = list(levels)
        ends = (-0.5, len(levels) - 0.5) if levels else (float(values.min()), float(values.max()))
        self.first, span = ends[0], (ends[1] - ends[0]) or 1.0
        self.low, self.step = low, (high - low) / span

    def __call__(self, values: Array) -> Array:
        """Return places of values."""
        return self.low + (values - self.first) * self.step

    def ticks(self, values: Array) -> list[tuple[float, str]]:
        """Return values and what is written beside them."""
        if self.levels:
            return [(float(k), _short(level)) for k, level in enumerate(self.levels)]
        marks = np.linspace(values.min(), values.max(), 4)
        return [(float(mark), f"{mark:.3g}") for mark in marks]


def picture(
    x: Array,
    y: Array,
    fit: Array | None,
    names: tuple[str, str],
    levels: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> str:
    """Draw y against x, a straight line of numbers, and the fit.

    Args:
        x: (n,), numbers or the places of levels.
        y: the same.
        fit: of y, in the order of x; the mean of each level where x is a category.
        names: of x and y.
        levels: of x and y, of categories.
    """
    across = Axis(x, levels[0], LEFT, WIDTH - 12)
    up = Axis(y, levels[1], HEIGHT - BELOW, ABOVE)
    random = np.random.default_rng(0)
    some = np.sort(random.permutation(len(x))[:MOST_POINTS])
    spread = [0.25 * random.uniform(-1, 1, len(some)) if one else 0.0 for one in levels]
    at = zip(across(x[some] + spread[0]), up(y[some] + spread[1]), strict=True)
    parts = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.2"/>' for a, b in at]
    parts = [f'<g class="points">{"".join(parts)}</g>']
    if not levels[0] and not levels[1]:
        slope, start = np.polyfit(x - x.mean(), y, 1)
        ends = np.linspace(x.min(), x.max(), 200)
        line = start + slope * (ends - x.mean())
        inside = (line >= y.min()) & (line <= y.max())
        parts.append(_path(across(ends[inside][[0, -1]]), up(line[inside][[0, -1]]), "line"))
    if fit is not None and not levels[1]:
        if levels[0]:
            for k in range(len(levels[0])):
                ends = np.array([k - 0.35, k + 0.35])
                here = fit[x == k]
                if len(here):
                    parts.append(_path(across(ends), up(np.full(2, here.mean())), "fit"))
        else:
            order = np.argsort(x, kind="stable")
            groups = np.array_split(order, min(60, len(order)))
            means = np.array([[x[g].mean(), fit[g].mean()] for g in groups]).T
            parts.append(_path(across(means[0]), up(np.clip(means[1], y.min(), y.max())), "fit"))
    bottom = HEIGHT - BELOW
    for value, label in across.ticks(x):
        place = float(across(np.array(value)))
        kind = "end" if place > WIDTH - 20 else "mid"
        parts.append(f'<text x="{place:.0f}" y="{bottom + 18}" class="{kind}">{label}</text>')
    for value, label in up.ticks(y):
        place = float(up(np.array(value))) + 4
        parts.append(f'<text x="{LEFT - 6}" y="{place:.0f}" class="end">{label}</text>')
    middle = (LEFT + WIDTH) // 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" class="mid name">{in_html(names[0])}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {ABOVE}V{bottom}H{WIDTH - 12}"/>')
    said = in_html(f"{names[1]} against {names[0]}")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">{"".join(parts)}</svg>'
    )


def _path(x: Array, y: Array, kind: str) -> str:
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline class="{kind}" points="{points}"/>'


def _short(level: str) -> str:
    return in_html(level if len(level) <= LONGEST else f"{level[: LONGEST - 1]}\u2026")

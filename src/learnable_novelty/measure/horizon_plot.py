"""A picture of what can be learned against the lead time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from learnable_novelty.measure.horizon import Horizon

BLUE, RED, GREY = "#0072B2", "#D55E00", "#999999"


def draw_horizon(found: Horizon, path: str | Path | None, ax: Any) -> Figure:
    """Draw a curve; see ``Horizon.plot``."""
    figure = Figure(figsize=(6.0, 3.6), layout="constrained") if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    rows = found.rows()
    leads, shares, bits = (
        np.array([row[name] for row in rows], dtype=float)
        for name in ("lead", "held_out_variance", "denoised_bits")
    )
    ends = np.array([[row["low"], row["high"]] for row in rows], dtype=float)
    axes.fill_between(leads, *ends.T, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(leads, shares, "o-", color=BLUE)
    axes.set(xlabel="steps ahead", ylim=(0, 1.02), xscale="log")
    axes.set_xticks(leads, [f"{lead:.0f}" for lead in leads])
    axes.minorticks_off()
    axes.set_ylabel("held-out variance", color=BLUE)
    other = axes.twinx()
    other.plot(leads, bits, "s--", color=RED, markersize=4)
    other.set_ylabel("denoised bits", color=RED)
    other.set_ylim(0, max(1e-3, 1.1 * float(np.nanmax(bits, initial=0.0))))
    if found.reach:
        axes.axvline(found.reach, color=GREY, linestyle=":")
    axes.set_title(
        f"can be learned {found.reach} steps ahead; history {found.history}", fontsize=10
    )
    for one in (axes, other):
        one.spines["top"].set_visible(False)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure

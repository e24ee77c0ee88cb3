"""What the final score of the neural automaton depends on: one bar per open choice."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.ledger.claims import claim
from novelty_lab.ledger.ledger import paper_text
from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, label_panel, new_figure
from novelty_lab.tables import named, table

COLUMNS = {
    "variant": "{name}",
    "final bits, own observer": "{final:.1f} ± {final_sd:.1f}",
    "final rule, reference observer": "{judged:.1f} ± {judged_sd:.1f}",
}


def tables(record: Record) -> list[Table]:
    """List the variants with their own score and that of the common judge."""
    title = f"One open choice at a time (paper: {paper_text(claim('nca.final'))} bits)"
    return [table(title, COLUMNS, named(record.results))]


MARKED = {
    "reference": BLACK,
    "target unit 1/sqrt(2)": GREEN,
    "learning rate 1e-3": RED,
    "input scale 0.3": BLUE,
    "input scale 1": PURPLE,
}
"""Curves worth a colour."""


def figure(record: Record) -> Figure:
    """Draw the scores of all variants, and their curves."""
    names = list(record.results)
    fig = new_figure(11, 5.2)
    points, curves = fig.subplots(1, 2, width_ratios=(1.1, 1))
    places = np.arange(len(names))[::-1]
    finals = [record.results[name] for name in names]
    own, own_sd, judged, judged_sd = (
        [final[key] for final in finals] for key in ("final", "final_sd", "judged", "judged_sd")
    )
    if record.config == "paper":
        look = {"color": GREY, "alpha": 0.35, "lw": 0, "label": "paper's final range"}
        points.axvspan(*claim("nca.final").numbers, **look)
    points.hlines(places, judged, own, color="0.8", lw=1)
    look = {"color": BLUE, "label": "by the observer it was trained with"}
    points.errorbar(own, places, xerr=own_sd, fmt="o", **look)
    look = {"color": ORANGE, "label": "by the reference observer, fresh states"}
    points.errorbar(judged, places, xerr=judged_sd, fmt="s", ms=4, **look)
    points.set(yticks=places, yticklabels=names, xlabel=r"final $S^\phi$ (bits)")
    points.legend(loc="lower center", bbox_to_anchor=(0.3, -0.23), ncols=3, fontsize=7)
    label_panel(points, "a", "one choice at a time")
    for name, curve in zip(names, record.arrays["curves"], strict=True):
        colour = MARKED.get(name)
        width, front = (1.3, 3) if colour else (0.8, 1)
        look = {"color": colour or "0.8", "lw": width, "zorder": front}
        curves.plot(_smooth(curve.mean(0)), label=name if colour else None, **look)
    curves.plot([], [], color="0.8", label="the others")
    curves.set(xlabel="training step", ylabel=r"$S^\phi$ (bits), own observer")
    curves.legend(fontsize=7, loc="lower right")
    label_panel(curves, "b", "along training (mean of seeds and of 21 steps)")
    return fig


def _smooth(curve: np.ndarray, width: int = 21) -> np.ndarray:
    width = min(width, len(curve))
    return np.convolve(curve, np.ones(width) / width, mode="valid")

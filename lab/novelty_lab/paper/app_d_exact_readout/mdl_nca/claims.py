"""Appendix D, second half: the two readouts along the training of a neural automaton."""

from __future__ import annotations

import numpy as np

from novelty_lab.ledger import Finding, Source, Value
from novelty_lab.records import Record

READOUTS = ("ridge", "exact")


def _correlation(record: Record) -> Finding:
    """Correlate means over draws, as the figure shows them; the spread is over single draws."""
    ridge, exact = (record.arrays[readout][0] for readout in READOUTS)
    draws = [
        float(np.corrcoef(ridge[..., draw].ravel(), exact[..., draw].ravel())[0, 1])
        for draw in range(ridge.shape[-1])
    ]
    single = Value.of(draws)
    return Finding(
        values=(Value(record.results["pearson"], single.sd, single.runs),),
        note=_fewer(record, "pearson", 3),
    )


def _offset(record: Record) -> Finding:
    """Average over draws and the checkpoints of the plateau; a run is a training seed."""
    ridge, exact = (record.arrays[readout][0] for readout in READOUTS)
    steps = np.array(record.results["checkpoints"])
    settled = steps >= record.configuration["plateau"]
    offsets = (exact - ridge)[:, settled].mean(axis=(1, 2))
    return Finding(values=(Value.of(offsets),), note=_fewer(record, "offset", 1))


def _fewer(record: Record, quantity: str, digits: int) -> str:
    fewer = record.results["fewer"]
    phrases = [f"{part[quantity]:.{digits}f} with {states}" for states, part in fewer.items()]
    return f"With fewer states: {', '.join(phrases)}." if phrases else ""


SOURCES = {
    "mdl.nca.r": Source("mdl-nca", _correlation),
    "mdl.nca.offset": Source("mdl-nca", _offset),
}

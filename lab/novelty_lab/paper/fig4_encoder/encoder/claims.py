"""Section 4.2: an encoder of digits, and what probes recover from its code."""

from __future__ import annotations

from functools import partial

from novelty_lab.ledger import Finding, Source, Value
from novelty_lab.records import Record


def _probe(record: Record, name: str) -> Finding:
    """Read a probe at the first and at the last checkpoint."""
    start, end = (Value.of(record.arrays[name][:, place]) for place in (0, -1))
    few = record.results[f"small_{name}"]["mean"]
    count = record.configuration["small_probe_train"]
    note = f"Fitted on {count:,} plain codes: {few[0]:.2f}, {few[-1]:.2f}."
    return Finding(values=(start, end), note=note)


SOURCES = {
    "mnist.linear": Source("encoder", partial(_probe, name="linear")),
    "mnist.knn": Source("encoder", partial(_probe, name="neighbours")),
}

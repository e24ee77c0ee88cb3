"""Section 4.2: an encoder of digits, and what probes recover from its code."""

from __future__ import annotations

from collections.abc import Callable

from novelty_lab.ledger import Finding, Source, Value
from novelty_lab.records import Record


def _probe(name: str) -> Callable[[Record], Finding]:
    """Read a probe at the first and at the last checkpoint."""

    def read(record: Record) -> Finding:
        start, end = (Value.of(record.arrays[name][:, place]) for place in (0, -1))
        few = record.results[f"small_{name}"]["mean"]
        count = record.configuration["small_probe_train"]
        note = f"Fitted on {count:,} plain codes: {few[0]:.2f}, {few[-1]:.2f}."
        return Finding(values=(start, end), note=note)

    return read


SOURCES = {
    "mnist.linear": Source("encoder", _probe("linear")),
    "mnist.knn": Source("encoder", _probe("neighbours")),
}

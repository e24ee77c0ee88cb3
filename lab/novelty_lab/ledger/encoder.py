"""Section 4.2 and appendix G: an encoder of digits, and what probes recover from its code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from novelty_lab.artefacts.encoder_scan.figure import STEADY
from novelty_lab.ledger.shelf import Shelf
from novelty_lab.ledger.source import Source
from novelty_lab.ledger.values import Finding, Value

WEAK = {"ridge_penalty": 0.3, "resolution": 0.1}
"""Settings at or below which the paper's probe fails."""


def _probe(name: str) -> Callable[[Shelf], Finding]:
    """Read a probe at the first and at the last checkpoint."""

    def read(shelf: Shelf) -> Finding:
        record = shelf.get("encoder")
        start, end = (Value.of(record.arrays[name][:, place]) for place in (0, -1))
        few = record.results[f"small_{name}"]["mean"]
        count = record.configuration["small_probe_train"]
        note = f"Fitted on {count:,} plain codes: {few[0]:.2f}, {few[-1]:.2f}."
        return Finding(values=(start, end), note=note)

    return read


def _cells(shelf: Shelf, axes: dict[str, float]) -> Finding:
    """Gather the linear probe along axes, up to a value of each.

    A cell is one seed; its spread is that of the seeds of ``encoder``, at the checkpoints around
    the length of a training of the scan.
    """
    record = shelf.get("encoder-scan")
    held = {
        name: cell["linear"]
        for name, cell in record.results["cells"].items()
        if cell["axis"] in axes and cell["value"] <= axes[cell["axis"]]
    }
    sd, degrees = _seed_spread(shelf, record.configuration["steps"])
    values = tuple(Value(accuracy, sd, 1, degrees) for accuracy in held.values())
    lowest, highest = min(held, key=lambda n: held[n]), max(held, key=lambda n: held[n])
    note = f"From {_shown(lowest)} to {_shown(highest)}; one seed each, the spread is encoder's."
    return Finding(values=values, shown=[held[lowest], held[highest]], note=note)


def _seed_spread(shelf: Shelf, steps: int) -> tuple[float | None, int | None]:
    record = shelf.find("encoder")
    if record is None:
        return None, None
    seeds, after = record.arrays["linear"], int(np.searchsorted(record.results["steps"], steps))
    around = seeds[:, max(after - 1, 0) : after + 1]
    return float(around.std(axis=0, ddof=1).max()), len(seeds) - 1


def _shown(cell: str) -> str:
    return cell.replace("_", " ").replace("=", " ")


def _stable(shelf: Shelf) -> Finding:
    return _cells(shelf, dict.fromkeys(STEADY, float("inf")))


def _fails(shelf: Shelf) -> Finding:
    return _cells(shelf, WEAK)


SOURCES = {
    "mnist.linear": Source("encoder", _probe("linear")),
    "mnist.knn": Source("encoder", _probe("neighbours")),
    "mnist.scan.stable": Source("encoder-scan", _stable),
    "mnist.scan.fail": Source("encoder-scan", _fails),
}

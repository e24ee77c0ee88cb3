"""Section 4.2 and appendix G: what probes recover from the code, and how far settings matter."""

from __future__ import annotations

from functools import partial

import numpy as np

from novelty_lab.ledger.findings import Finding, Pair, Value
from novelty_lab.ledger.source import PaperRecords, Source, WideSource
from novelty_lab.records import Record
from novelty_lab.tables import in_words

STEADY = ("learning_rate", "batch_size", "code_dim", "reservoir_depth")
"""Settings that leave the paper's probe in a narrow range."""
WEAK = {"ridge_penalty": 0.3, "resolution": 0.1}
"""Settings at or below which the paper's probe fails."""


def _probe(record: Record, name: str) -> Finding:
    """Read a probe at the first and at the last checkpoint."""
    start, end = (Value.of(record.arrays[name][:, place]) for place in (0, -1))
    few = record.results[f"small_{name}"]["mean"]
    count = record.configuration["small_probe_train"]
    note = f"Fitted on {count:,} plain codes: {few[0]:.2f}, {few[-1]:.2f}."
    return Finding(values=(start, end), note=note)


def _cells(records: PaperRecords, axes: dict[str, float]) -> Finding:
    """Gather the linear probe along axes, up to a value of each.

    A cell is one seed; its spread is that of the seeds of ``encoder``, at the checkpoints around
    the length of a training of the scan.
    """
    record = records.get("encoder-scan")
    probe = {
        name: cell["linear"]
        for name, cell in record.results["cells"].items()
        if cell["axis"] in axes and cell["value"] <= axes[cell["axis"]]
    }
    sd, degrees = _seed_spread(records, record.configuration["steps"])
    values = tuple(Value(accuracy, sd, 1, degrees) for accuracy in probe.values())
    lowest, highest = min(probe, key=probe.__getitem__), max(probe, key=probe.__getitem__)
    note = (
        f"From {in_words(lowest)} to {in_words(highest)}; one seed each, the spread is encoder's."
    )
    return Finding(values=values, shown=[probe[lowest], probe[highest]], note=note)


def _seed_spread(records: PaperRecords, steps: int) -> tuple[float | None, int | None]:
    record = records.find("encoder")
    if record is None:
        return None, None
    seeds, after = record.arrays["linear"], int(np.searchsorted(record.results["steps"], steps))
    around = seeds[:, max(after - 1, 0) : after + 1]
    return float(around.std(axis=0, ddof=1).max()), len(seeds) - 1


def _stable(records: PaperRecords) -> Finding:
    return _cells(records, dict.fromkeys(STEADY, float("inf")))


def _fails(records: PaperRecords) -> Finding:
    return _cells(records, WEAK)


def _rise(record: Record) -> Finding:
    """Correlate both probes with the held-out bits along training, seed by seed."""
    bits = record.arrays["bits"]
    against: dict[str, bool] = {}
    phrases: list[str] = []
    for name in ("linear", "neighbours"):
        probe = record.arrays[name]
        together = [
            float(np.corrcoef(b[1:], p[1:])[0, 1]) for b, p in zip(bits, probe, strict=True)
        ]
        against[f"{name}: a seed ends below its start"] = bool((probe[:, -1] <= probe[:, 0]).any())
        against[f"{name}: falls as bits rise"] = min(together) <= 0
        phrases.append(f"{name} {min(together):.2f} to {max(together):.2f}")
    note = f"Correlation with bits over the checkpoints after the first: {', '.join(phrases)}."
    return Finding(against=against, runs=len(bits), note=note)


def _raw(records: PaperRecords) -> Finding:
    """Compare the probe of the largest code and the widest reservoir with that of the smallest."""
    cells = records.get("encoder-scan").results["cells"].values()
    sd, degrees = _seed_spread(records, records.get("encoder-scan").configuration["steps"])
    pairs: list[Pair] = []
    for axis in ("code_dim", "reservoir_width"):
        along = sorted((c for c in cells if c["axis"] == axis), key=lambda cell: cell["value"])
        small, large = (Value(c["linear"], sd, 1, degrees) for c in (along[0], along[-1]))
        name = f"{in_words(axis)} {along[0]['value']:g} not below {along[-1]['value']:g}"
        if along[-1]["bits"] > along[0]["bits"]:
            pairs.append(Pair(f"{name} ({small.mean:.3f}, {large.mean:.3f})", small, large))
    return Finding(pairs=tuple(pairs), runs=1, note="One seed each, the spread is encoder's.")


SOURCES = {
    "mnist.rise": Source("encoder", _rise),
    "mnist.raw": WideSource("encoder-scan", _raw),
    "mnist.linear": Source("encoder", partial(_probe, name="linear")),
    "mnist.knn": Source("encoder", partial(_probe, name="neighbours")),
    "mnist.scan.stable": WideSource("encoder-scan", _stable),
    "mnist.scan.fail": WideSource("encoder-scan", _fails),
}

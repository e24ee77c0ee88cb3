"""Section 4.3: what pure noise adds to the learnable-novelty reward."""

from __future__ import annotations

from novelty_lab.ledger.findings import Finding, Value
from novelty_lab.ledger.source import Source
from novelty_lab.records import Record


def _noise(record: Record) -> Finding:
    """Read what an agent that stands still in the room of noise is paid, in an episode."""
    corridor, lengths = record.configuration["corridor"], record.configuration["habit_lengths"]
    at, agents = lengths.index(corridor["length"]), record.configuration["agents"]
    paid = {
        row["drive"]: Value(row["mean"][at], row["sd"][at], agents)
        for row in record.results["habits"]
        if row["pixels"] == corridor["pixels"] and row["habit"] == "noise"
    }
    note = f"Bits of an episode of {corridor['length']} steps in pure noise."
    return Finding(values=(paid["epiplexity"],), note=note)


SOURCES = {"rl.noise": Source("rooms", _noise)}

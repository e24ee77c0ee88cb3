"""The source of every claim, part by part of the paper."""

from __future__ import annotations

from novelty_lab.ledger import agents, automata, encoder, flows, neural, readouts, reservoirs
from novelty_lab.ledger.source import Source

SOURCES: dict[str, Source] = {
    **automata.SOURCES,
    **readouts.SOURCES,
    **reservoirs.SOURCES,
    **flows.SOURCES,
    **neural.SOURCES,
    **encoder.SOURCES,
    **agents.SOURCES,
}
"""By the name of the claim."""

WITHOUT: dict[str, str] = {}
"""Claims that no experiment of ours speaks of, and why."""

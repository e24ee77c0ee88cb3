"""Ours: every life-like automaton on one map of learnable novelty."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: every life-like automaton on one map",
    order=180,
    uses=("device",),
)

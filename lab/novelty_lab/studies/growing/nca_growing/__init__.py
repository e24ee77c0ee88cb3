"""Ours: a neural automaton and an observer that grow together."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: a neural automaton against an observer that grows",
    order=202,
    takes="26 minutes on an H200",
    engine="serial",
    uses=("device",),
)

"""Ours: learnable novelty beside its rivals, on the same data."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: learnable novelty beside its rivals on automata, flows and noise",
    order=210,
    takes="21 to 50 minutes",
    called="compare",
)

"""Ours: learnable novelty beside its rivals, on the same data."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Ours: learnable novelty beside its rivals on automata, flows and noise",
        order=210,
        takes="21 to 50 minutes",
        called="compare",
    ),
    Artefact(
        __name__,
        "Ours: thirty real relations beside ppscore, phik, dcor and a forest",
        order=198,
        takes="5 minutes",
        called="relations",
        stem="relations",
    ),
)

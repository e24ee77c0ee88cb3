"""Ours: thirty relations from real tables, by this measure and by those that people use."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: thirty real relations beside ppscore, phik, dcor and a forest",
    order=198,
    takes="5 minutes",
)

"""Ours: the test and the floor of data that is read by chunks, by random signs of blocks."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: false positives and floors of data that is read by chunks",
    order=200,
    takes="32 minutes",
)

"""Ours: does the measure keep its word? False positives, and the excess of noise."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__, "Ours: false positives and excess on noise", order=190, takes="2 to 3 minutes"
)

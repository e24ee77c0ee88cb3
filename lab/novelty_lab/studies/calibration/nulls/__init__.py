"""Ours: every test and every interval of the measure on data it was not designed on."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: level and power of every null, coverage of the held-out interval",
    order=195,
    takes="about 7 core-hours",
)

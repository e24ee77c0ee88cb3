"""Ours: every null, interval and edge of the measure, against processes in families."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: level and power of every test, coverage of every interval",
    order=190,
)

"""Ours: what an observer that grows sees, beside frozen observers and trained learners."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: past the frozen observer, beside trained learners",
    order=199,
    takes="3 core-hours",
)

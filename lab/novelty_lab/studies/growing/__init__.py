"""Ours: what an observer that grows sees, beside frozen observers and trained learners."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Ours: past the frozen observer, beside trained learners",
        order=199,
        takes="3 core-hours",
    ),
    Artefact(
        __name__,
        "Ours: findings about epiplexity, by an observer that grows in closed form",
        order=201,
        takes="about an hour on two cores",
        called="epiplexity",
        stem="epiplexity",
    ),
)

"""Ours: level, power and time of the test of independence beside other tests."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Ours: the test of independence beside MGC, HSIC and distance correlation",
        order=196,
        takes="23 minutes or more",
    ),
    Artefact(
        __name__,
        "Ours: the level of the test of independence on more data sets",
        order=194,
        takes="43 minutes on a busy core",
        called="dependence-level",
        stem="level",
    ),
)

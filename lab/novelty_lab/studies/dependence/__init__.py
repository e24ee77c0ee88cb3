"""Ours: level, power and time of the test of independence beside other tests."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: the test of independence beside MGC, HSIC and distance correlation",
    order=196,
    takes="23 minutes or more",
)

"""Ours: walks of trained agents through the rooms, and what pays for every step of them."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: walks of trained agents through the rooms, paid step by step",
    order=171,
    takes="30 minutes on one core",
)

"""Ours: the noisy television and the dark room, measured."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: bits, floor and excess of noise, constants and structure",
    order=160,
    takes="6 minutes",
)

"""Ours: the noisy television and the dark room of section 2, built and lived in."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: the noisy television and the dark room, built and lived in",
    order=170,
    takes="more than an hour on two cores",
)

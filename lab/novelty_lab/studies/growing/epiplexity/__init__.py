"""Ours: the published findings about epiplexity, by an observer in closed form."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: findings about epiplexity, by an observer that grows in closed form",
    order=201,
    takes="about an hour on two cores",
)

"""Ours: a linear or an activated last layer of the default observer, on other data."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: a linear or an activated last layer for the observer of ln.score",
    order=205,
    takes="10 minutes on two cores",
)

"""Ours: the level of the test of independence, where it seemed too high, on more data sets."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: the level of the test of independence on more data sets",
    order=194,
    takes="43 minutes on a busy core",
)

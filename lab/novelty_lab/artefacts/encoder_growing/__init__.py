"""Ours: a code of images against an observer that grows."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: a code of images against an observer that grows",
    order=203,
    engine="serial",
    uses=("device", "data"),
)

"""Ours: a code of images against an observer that grows."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: a code of images against an observer that grows",
    order=203,
    takes="4 minutes on an H200, with the MNIST files",
    engine="serial",
    uses=("device", "data"),
)

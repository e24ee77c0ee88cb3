"""Ours: encoders and observers for images, ranked without a label."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: encoders and their observers ranked without labels",
    order=130,
    takes="3 minutes or more on an H200, with the MNIST files",
    engine="serial",
    uses=("device", "data"),
)

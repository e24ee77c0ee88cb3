"""Ours: encoders and observers for images, ranked without a label."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: encoders and their observers ranked without labels",
    order=130,
    engine="serial",
    uses=("device", "data"),
)

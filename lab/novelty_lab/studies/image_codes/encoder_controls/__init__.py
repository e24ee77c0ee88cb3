"""Ours: what a code of images is worth beside the controls that the paper lacks."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: codes of images beside pixels, PCA, coding rate, better observers",
    order=140,
    takes="22 minutes on an H200, with the MNIST and Fashion-MNIST files",
    engine="serial",
    uses=("device", "data"),
)

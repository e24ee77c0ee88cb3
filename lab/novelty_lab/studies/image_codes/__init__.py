"""Ours: codes of images without labels: chosen by a jury, and beside controls."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Ours: codes of images beside pixels, PCA, coding rate, better observers",
        order=140,
        takes="22 minutes on an H200, with the MNIST and Fashion-MNIST files",
        engine="serial",
        uses=("device", "data"),
        called="encoder-controls",
        stem="controls",
    ),
    Artefact(
        __name__,
        "Ours: encoders and their observers ranked without labels",
        order=130,
        takes="3 minutes or more on an H200, with the MNIST files",
        engine="serial",
        uses=("device", "data"),
        called="encoder-select",
        stem="select",
    ),
    Artefact(
        __name__,
        "Ours: codes of changed images, side by side",
        order=150,
        takes="6 minutes on an H200, with the MNIST files",
        engine="serial",
        uses=("device", "data"),
        called="encoder-joined",
        stem="joined",
    ),
)

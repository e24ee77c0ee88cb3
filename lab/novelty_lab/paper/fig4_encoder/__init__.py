"""Figure 4 and appendix G: an encoder trained on its own learnable novelty, without labels."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Figure 4: an encoder trained on its own learnable novelty",
        order=110,
        takes="8 minutes, with the MNIST files",
        uses=("device", "data"),
        called="encoder",
    ),
    Artefact(
        __name__,
        "Appendix G: robustness of the encoder",
        order=120,
        takes="8 minutes, with the MNIST files",
        uses=("device", "data"),
        called="encoder-scan",
        stem="scan",
    ),
)

"""Figure 4: an encoder trained on its own learnable novelty, without labels."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Figure 4: an encoder trained on its own learnable novelty",
    order=110,
    takes="8 minutes, with the MNIST files",
    uses=("device", "data"),
)

"""Appendix G: how the encoder depends on its training and its observer."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix G: robustness of the encoder",
    order=120,
    takes="8 minutes, with the MNIST files",
    uses=("device", "data"),
)

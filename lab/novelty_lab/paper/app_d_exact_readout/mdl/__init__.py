"""Appendix D: the ridge readout against the exact minimizer of the description length."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix D: the ridge against the exact minimizer",
    order=40,
    takes="41 seconds",
    parts={"eca": "mdl", "nca": "mdl-nca"},
)

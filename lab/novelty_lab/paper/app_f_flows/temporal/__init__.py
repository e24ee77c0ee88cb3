"""Appendix F.2: how the score accumulates along one trajectory of each flow."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__, "Appendix F.2: the score along one trajectory", order=80, takes="seconds"
)

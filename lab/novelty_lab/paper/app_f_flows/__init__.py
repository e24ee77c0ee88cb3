"""Appendix F: the score of six continuous-time flows, of ensembles and along one trajectory."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Appendix F: continuous-time flows",
        order=70,
        takes="seconds",
        called="flows",
    ),
    Artefact(
        __name__,
        "Appendix F.2: the score along one trajectory",
        order=80,
        takes="seconds",
        called="temporal",
        stem="temporal",
    ),
)

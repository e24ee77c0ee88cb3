"""Appendix D: the ridge readout against the exact minimizer of the description length."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Appendix D: the ridge against the exact minimizer",
        order=40,
        takes="41 seconds",
        called="mdl",
    ),
    Artefact(
        __name__,
        "Appendix D: both readouts along the training of the neural automaton",
        order=45,
        takes="about 17 minutes",
        called="mdl-nca",
        stem="nca",
    ),
)

"""Appendix D, second half: both readouts along the training of the neural automaton."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix D: both readouts along the training of the neural automaton",
    order=150,
    takes="37 minutes",
)

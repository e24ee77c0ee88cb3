"""Appendix B: how the ranking of the automata depends on the estimator."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__, "Appendix B: robustness of the ranking", order=30, takes="2 minutes on two cores"
)

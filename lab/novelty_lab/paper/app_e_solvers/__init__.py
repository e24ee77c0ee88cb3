"""Appendix E: the error and the cost of the ways to one score."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix E: error and cost of the solvers",
    order=60,
    takes="3 minutes",
    called="solvers",
)

"""Appendix A.3: a pre-activation normalization holds the reservoir at the edge of chaos."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix A: the reservoir at the edge of chaos",
    order=50,
    takes="seconds",
    called="criticality",
)

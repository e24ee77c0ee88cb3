"""Figure 1 with real numbers: surprise and its learnable part; how bits grow."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Figure 1: surprise, its learnable part, and how bits grow",
    order=10,
    takes="seconds",
    called="overview",
)

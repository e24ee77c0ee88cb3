"""Figure 2 and appendix B: the 88 elementary automata ranked by epiplexity."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Figure 2: the 88 elementary automata ranked",
        order=20,
        takes="1 to 3 minutes on two cores",
        called="eca",
    ),
    Artefact(
        __name__,
        "Appendix B: robustness of the ranking",
        order=30,
        takes="2 minutes on two cores",
        called="eca-scan",
        stem="scan",
    ),
)

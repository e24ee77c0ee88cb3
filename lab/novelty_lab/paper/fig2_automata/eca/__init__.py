"""Figure 2: the 88 elementary automata ranked by epiplexity."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Figure 2: the 88 elementary automata ranked",
    order=20,
    takes="1 to 3 minutes on two cores",
)

"""Figure 3 and appendix G: a neural automaton climbs its own learnable novelty."""

from novelty_lab.artefact import Artefact

ARTEFACTS = (
    Artefact(
        __name__,
        "Figure 3: a neural automaton climbs its own learnable novelty",
        order=90,
        takes="13 minutes on an H200",
        engine="serial",
        uses=("device",),
        aliases={"update": "updates"},
        called="nca",
    ),
    Artefact(
        __name__,
        "Appendix G: what the final score of the neural automaton depends on",
        order=100,
        takes="24 minutes on an H200",
        engine="serial",
        uses=("device",),
        called="nca-scan",
        stem="scan",
    ),
)

"""Figure 3 and appendix G: a neural automaton climbs its own learnable novelty."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Figure 3: a neural automaton climbs its own learnable novelty",
    order=90,
    takes="13 minutes on an H200",
    engine="serial",
    uses=("device", "ranks"),
    aliases={"update": "updates"},
)

"""Where do 86 to 89 bits come from? One change of an open choice at a time, all else held."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Appendix G: what the final score of the neural automaton depends on",
    order=100,
    takes="24 minutes on an H200",
    engine="serial",
    uses=("device",),
)

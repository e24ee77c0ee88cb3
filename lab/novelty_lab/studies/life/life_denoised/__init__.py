"""Ours: denoised bits of life-like automata."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: denoised bits of life-like automata, and the rules with gliders",
    order=181,
    takes="a minute on an H200",
    uses=("device",),
)

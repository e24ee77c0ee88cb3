"""Ours: denoised bits of flows and automata."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: denoised bits of flows, the dysts collection and elementary automata",
    order=167,
    takes="about 20 core-minutes",
)

"""Sparse tasks with distractors: which bonus explores, and which is held."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__, "Ours: sparse tasks with a noisy television: which bonus explores", order=215
)

"""Ours: sparse tasks with distractors: which bonus explores, and which is held by noise."""

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
    __name__,
    "Ours: sparse mazes with noisy televisions: which bonus explores",
    order=225,
    takes="1 to 3 minutes for an agent",
    many_runs=True,
)

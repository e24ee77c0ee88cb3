<<<<<<< HEAD
"""Sparse tasks with distractors: which bonus explores, and which is held."""
=======
"""Ours: sparse tasks with distractors: which bonus explores, and which is held by noise."""
>>>>>>> explore

from novelty_lab.artefact import Artefact

ARTEFACT = Artefact(
<<<<<<< HEAD
    __name__, "Ours: sparse tasks with a noisy television: which bonus explores", order=215
=======
    __name__,
    "Ours: sparse mazes with noisy televisions: which bonus explores",
    order=225,
    many_runs=True,
>>>>>>> explore
)

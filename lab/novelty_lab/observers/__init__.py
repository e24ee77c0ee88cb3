"""Special observers of the lab: many at once, of binary tori, exact readouts, the edge of chaos."""

from novelty_lab.observers.batched import BatchScore, score_batch
from novelty_lab.observers.binary_torus import NUM_PATTERNS, BinaryTorus, pattern_codes
from novelty_lab.observers.criticality import perturbation_multiplier, perturbation_norms
from novelty_lab.observers.mdl import minimize_description_length

__all__ = [
    "NUM_PATTERNS",
    "BatchScore",
    "BinaryTorus",
    "minimize_description_length",
    "pattern_codes",
    "perturbation_multiplier",
    "perturbation_norms",
    "score_batch",
]

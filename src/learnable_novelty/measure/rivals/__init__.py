"""Rivals of the measure: other numbers for how much there is to learn in the same data."""

from learnable_novelty.measure.rivals.compression import gzip_rate
from learnable_novelty.measure.rivals.entropies import permutation_entropy, sample_entropy
from learnable_novelty.measure.rivals.lempel_ziv import lempel_ziv_rate, phrases
from learnable_novelty.measure.rivals.predictive import predictive_information
from learnable_novelty.measure.rivals.prequential import Prequential, prequential_code

__all__ = [
    "Prequential",
    "gzip_rate",
    "lempel_ziv_rate",
    "permutation_entropy",
    "phrases",
    "predictive_information",
    "prequential_code",
    "sample_entropy",
]

"""Rivals of the measure: other numbers for how much there is to learn in the same data."""

from learnable_novelty.compare.compare import Reading, plain, read_pairs, read_series, timed
from learnable_novelty.compare.compression import gzip_rate
from learnable_novelty.compare.entropies import load_antropy, permutation_entropy, sample_entropy
from learnable_novelty.compare.lempel_ziv import lempel_ziv_rate, phrases
from learnable_novelty.compare.predictive import predictive_information
from learnable_novelty.compare.prequential import Prequential, prequential_code

__all__ = [
    "Prequential",
    "Reading",
    "gzip_rate",
    "lempel_ziv_rate",
    "load_antropy",
    "permutation_entropy",
    "phrases",
    "plain",
    "predictive_information",
    "prequential_code",
    "read_pairs",
    "read_series",
    "sample_entropy",
    "timed",
]

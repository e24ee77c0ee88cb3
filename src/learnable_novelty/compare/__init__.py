"""Other people's measures of how much there is to learn in the same data."""

from learnable_novelty.compare.compare import MEASURES, read_pairs, read_series
from learnable_novelty.compare.compression import gzip_rate
from learnable_novelty.compare.lempel_ziv import lempel_ziv_rate, phrases
from learnable_novelty.compare.permutation import permutation_entropy
from learnable_novelty.compare.predictive import predictive_information
from learnable_novelty.compare.prequential import Prequential, prequential_code
from learnable_novelty.compare.registry import Measure, Reading, plain, timed
from learnable_novelty.compare.sample import sample_entropy

__all__ = [
    "MEASURES",
    "Measure",
    "Prequential",
    "Reading",
    "gzip_rate",
    "lempel_ziv_rate",
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

"""Other people's measures of how much there is to learn in the same data."""

from novelty_lab.measures.compare import MEASURES, read_pairs, read_series
from novelty_lab.measures.compression import gzip_rate
from novelty_lab.measures.lempel_ziv import lempel_ziv_rate, phrases
from novelty_lab.measures.permutation import permutation_entropy
from novelty_lab.measures.predictive import predictive_information
from novelty_lab.measures.prequential import Prequential, prequential_code
from novelty_lab.measures.registry import Measure, Reading, plain, timed
from novelty_lab.measures.sample import sample_entropy

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

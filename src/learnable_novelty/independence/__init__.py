"""A test of independence: is there any dependence between x and y, and of what kind?"""

from learnable_novelty.independence.dependence import dependence
from learnable_novelty.independence.result import Dependence, Pair
from learnable_novelty.independence.statistic import dependence_bits

__all__ = ["Dependence", "Pair", "dependence", "dependence_bits"]

"""What is observed: systems make data and know no observer."""

from learnable_novelty.systems.elementary import ElementaryRule, unique_rules
from learnable_novelty.systems.flows import (
    FLOWS,
    LORENZ,
    NODE,
    ROSSLER,
    ROTATION,
    SPIRAL,
    THOMAS,
    Flow,
)
from learnable_novelty.systems.patterns import PatternTable, count_patterns

__all__ = [
    "FLOWS",
    "LORENZ",
    "NODE",
    "ROSSLER",
    "ROTATION",
    "SPIRAL",
    "THOMAS",
    "ElementaryRule",
    "Flow",
    "PatternTable",
    "count_patterns",
    "unique_rules",
]

"""What is observed: systems make data and know no observer."""

from learnable_novelty.systems.elementary import ElementaryRule, unique_rules
from learnable_novelty.systems.flows import FLOWS, Flow
from learnable_novelty.systems.patterns import PatternTable, count_patterns

__all__ = ["FLOWS", "ElementaryRule", "Flow", "PatternTable", "count_patterns", "unique_rules"]

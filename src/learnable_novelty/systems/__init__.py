"""What is observed: systems make data and know no observer."""

from learnable_novelty.systems.elementary import ElementaryRule, unique_rules
from learnable_novelty.systems.encoder import ConvEncoder, Encoder
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
from learnable_novelty.systems.images import Images, load_images
from learnable_novelty.systems.life import LifeRule
from learnable_novelty.systems.neural import NeuralCA
from learnable_novelty.systems.patterns import PatternTable, count_patterns

__all__ = [
    "FLOWS",
    "LORENZ",
    "NODE",
    "ROSSLER",
    "ROTATION",
    "SPIRAL",
    "THOMAS",
    "ConvEncoder",
    "ElementaryRule",
    "Encoder",
    "Flow",
    "Images",
    "LifeRule",
    "NeuralCA",
    "PatternTable",
    "count_patterns",
    "load_images",
    "unique_rules",
]

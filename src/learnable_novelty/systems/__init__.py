"""What is observed: systems make data and know no observer."""

from learnable_novelty.systems.dysts_flows import collected_flows
from learnable_novelty.systems.elementary import (
    ElementaryRule,
    pack_cells,
    unique_rules,
    unpack_cells,
)
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
from learnable_novelty.systems.life import NUM_COUNTS, NUM_RULES, Cells, LifeRule, soup
from learnable_novelty.systems.life_batch import LifeBatch
from learnable_novelty.systems.life_catalogue import (
    UNIVERSAL,
    NamedRule,
    named_rules,
    why_no_gliders,
)
from learnable_novelty.systems.neural import NeuralCA, Update
from learnable_novelty.systems.patterns import (
    PatternTable,
    count_patterns,
    pattern_cells,
    site_codes,
)
from learnable_novelty.systems.protocol import Family, System, families, make_system

__all__ = [
    "FLOWS",
    "LORENZ",
    "NODE",
    "NUM_COUNTS",
    "NUM_RULES",
    "ROSSLER",
    "ROTATION",
    "SPIRAL",
    "THOMAS",
    "UNIVERSAL",
    "Cells",
    "ConvEncoder",
    "ElementaryRule",
    "Encoder",
    "Family",
    "Flow",
    "Images",
    "LifeBatch",
    "LifeRule",
    "NamedRule",
    "NeuralCA",
    "PatternTable",
    "System",
    "Update",
    "collected_flows",
    "count_patterns",
    "families",
    "load_images",
    "make_system",
    "named_rules",
    "pack_cells",
    "pattern_cells",
    "site_codes",
    "soup",
    "unique_rules",
    "unpack_cells",
    "why_no_gliders",
]

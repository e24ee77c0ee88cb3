"""What is observed: systems make data and know no observer."""

from novelty_lab.systems.dysts_flows import collected_flows
from novelty_lab.systems.elementary import (
    ElementaryRule,
    pack_cells,
    unique_rules,
    unpack_cells,
)
from novelty_lab.systems.encoder import ConvEncoder, Encoder
from novelty_lab.systems.flows import (
    FLOWS,
    LORENZ,
    NODE,
    ROSSLER,
    ROTATION,
    SPIRAL,
    THOMAS,
    Flow,
)
from novelty_lab.systems.images import Images, load_images
from novelty_lab.systems.life import NUM_COUNTS, NUM_RULES, Cells, LifeRule, soup
from novelty_lab.systems.life_batch import LifeBatch
from novelty_lab.systems.life_catalogue import (
    UNIVERSAL,
    NamedRule,
    named_rules,
    why_no_gliders,
)
from novelty_lab.systems.neural import NeuralCA, Update
from novelty_lab.systems.patterns import (
    PatternTable,
    count_patterns,
    pattern_cells,
    site_codes,
)
from novelty_lab.systems.protocol import Family, System, families, make_system

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

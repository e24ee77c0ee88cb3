"""How bonuses look in tables and figures; rivals bring label and colour along."""

from novelty_lab.rivals import RIVALS
from novelty_lab.studies.explore.explore.cells import UNHINDERED

LABELS = {
    "foresight-limited": ("foresight", "#0072B2"),
    "foresight": ("foresight without a limit", "#56B4E9"),
    "foresight-bits": ("foresight, in bits", "#AA4499"),
    "modulated": ("foresight without a limit, modulated by the task", "#332288"),
    **{name: (rival.label, rival.colour) for name, rival in RIVALS.items()},
    "raw": ("raw bits (the paper)", "#117733"),
    "excess": ("excess", "#F0E442"),
    "evidence": ("evidence ridge", "#8B8000"),
    UNHINDERED: ("E3B that sees no distractor", "#777777"),
    "none": ("task only", "#000000"),
}
"""In words, and as a colour; in the order of tables."""

"""What conditions are called, and how they are drawn."""

from __future__ import annotations

from novelty_lab.paper.table1_agents.conditions import CONDITIONS
from novelty_lab.paper.table1_agents.paper import PAPER_CONDITIONS

NAMES = {name: condition.label for name, condition in CONDITIONS.items()}
"""What a condition is called in tables and figures, in their order."""
ADDED_CONDITIONS = tuple(name for name in NAMES if name not in PAPER_CONDITIONS)
"""Conditions that the paper's table does not have."""
LOOKS = {
    name: (condition.colour, condition.marker, "--" if condition.dashed else "-")
    for name, condition in CONDITIONS.items()
}
"""Colour, marker and line of a condition."""

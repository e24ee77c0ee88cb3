"""What agents can be rewarded by, and how each condition looks in tables, figures and pages."""

from __future__ import annotations

from dataclasses import dataclass

from novelty_lab.rivals.registry import RIVALS


@dataclass(frozen=True)
class Condition:
    """A reward that agents are trained with."""

    label: str
    colour: str
    """Hexadecimal."""
    marker: str
    """Of matplotlib."""
    dashed: bool = False
    """Whether its line is dashed: the conditions that are not in the paper's table."""


def _with_rival(name: str, *, dashed: bool = True) -> Condition:
    rival = RIVALS[name]
    return Condition(f"task + {rival.label}", rival.colour, rival.marker, dashed)


CONDITIONS: dict[str, Condition] = {
    "task": Condition("task only", "#222222", "o"),
    "epiplexity": Condition("epiplexity only", "#009E73", "^"),
    "task+magnitude": _with_rival("magnitude", dashed=False),
    "task+epiplexity": Condition("task + epiplexity", "#0072B2", "D"),
    "task+foresight": Condition("task + foresight", "#882255", "p", dashed=True),
    "task-running": Condition("task only, running units", "#6A6A6A", "8", dashed=True),
    **{f"task+{name}": _with_rival(name) for name in RIVALS if name != "magnitude"},
}
"""By reward, in the order of tables and legends: the four columns of table 1 first. A new file in
``novelty_lab.rivals`` is a new condition."""
REWARDS = tuple(CONDITIONS)

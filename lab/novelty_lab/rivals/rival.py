"""What a file of this folder says of its bonus: name, looks, and how to make it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from learnable_novelty.reward.bonus import Bonus


@dataclass(frozen=True)
class Rival:
    """A bonus to compare with, as tables, figures and pages show it."""

    name: str
    """What ``make_rival`` and a reward such as "task+rnd" call it."""
    label: str
    """Short, for legends."""
    title: str
    """In words."""
    colour: str
    """Hexadecimal."""
    marker: str
    """Of matplotlib."""
    order: int
    """Place in tables and legends."""
    make: Callable[..., Bonus]
    """Make the bonus by default settings; takes what ``make_rival`` takes, except the name."""

"""The observer that grows: focus, width and depth, chosen by description length."""

from learnable_novelty.observer.growing.focused import Focused
from learnable_novelty.observer.growing.growth import Growing, Growth, Step

__all__ = ["Focused", "Growing", "Growth", "Step"]

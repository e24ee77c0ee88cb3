"""The score as an objective: gradient ascent on what a system makes."""

from learnable_novelty.objective.ascent import Ascended, Ascent, AscentStopped
from learnable_novelty.objective.config import AscentConfig

__all__ = ["Ascended", "Ascent", "AscentConfig", "AscentStopped"]

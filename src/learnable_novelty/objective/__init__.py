"""The score as an objective: gradient ascent on what a system makes."""

from learnable_novelty.objective.ascent import Ascended, Ascent, AscentConfig, AscentStopped

__all__ = ["Ascended", "Ascent", "AscentConfig", "AscentStopped"]

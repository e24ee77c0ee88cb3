"""The score as an objective: gradient ascent on what a system makes."""

from learnable_novelty.objective.ascent import Ascended, Ascent, AscentStopped, Objective
from learnable_novelty.objective.config import AscentConfig
from learnable_novelty.objective.rank import effective_rank

__all__ = ["Ascended", "Ascent", "AscentConfig", "AscentStopped", "Objective", "effective_rank"]

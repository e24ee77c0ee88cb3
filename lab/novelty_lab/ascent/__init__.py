"""Gradient ascent on the score of what a system makes: schedule, checkpoints, ranks, resume."""

from novelty_lab.ascent.ascent import Ascended, Ascent, AscentStopped, Objective
from novelty_lab.ascent.config import AscentConfig

__all__ = ["Ascended", "Ascent", "AscentConfig", "AscentStopped", "Objective"]

"""The measure: bits, floor, excess and a test."""

from learnable_novelty.measure.large_files import open_columns
from learnable_novelty.measure.rearrange import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score

__all__ = ["Null", "Score", "open_columns", "score"]

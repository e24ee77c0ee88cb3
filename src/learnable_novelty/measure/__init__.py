"""The measure: bits, floor, excess and a test."""

from learnable_novelty.measure.classes import Classes
from learnable_novelty.measure.curve import LearningCurve, learning_curve
from learnable_novelty.measure.horizon import Horizon, horizon
from learnable_novelty.measure.many import adjust
from learnable_novelty.measure.new_samples import share_of_new_samples
from learnable_novelty.measure.null import Null, row_orders
from learnable_novelty.measure.prepare import column_scale, scaled
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.scan import scan
from learnable_novelty.measure.scan_result import Relation, Scan
from learnable_novelty.measure.score import score
from learnable_novelty.measure.task import Windows

__all__ = [
    "Classes",
    "Horizon",
    "LearningCurve",
    "Null",
    "Relation",
    "Scan",
    "Score",
    "Windows",
    "adjust",
    "column_scale",
    "horizon",
    "learning_curve",
    "row_orders",
    "scaled",
    "scan",
    "score",
    "share_of_new_samples",
]

"""The measure: bits, floor, excess and a test."""

from learnable_novelty.measure.classes import Accuracy, class_accuracy
from learnable_novelty.measure.curve import LearningCurve, learning_curve
from learnable_novelty.measure.many import adjust
from learnable_novelty.measure.new_samples import share_of_new_samples
from learnable_novelty.measure.null import Null, row_orders
from learnable_novelty.measure.prepare import column_scale, scaled
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.measure.sources.columns import Columns
from learnable_novelty.measure.sources.files import column_names, open_columns, read_columns
from learnable_novelty.measure.sources.memory import as_tensor
from learnable_novelty.measure.task import Windows
from learnable_novelty.tables import CHOOSE

__all__ = [
    "CHOOSE",
    "Accuracy",
    "Columns",
    "LearningCurve",
    "Null",
    "Score",
    "Windows",
    "adjust",
    "as_tensor",
    "class_accuracy",
    "column_names",
    "column_scale",
    "learning_curve",
    "open_columns",
    "read_columns",
    "row_orders",
    "scaled",
    "score",
    "share_of_new_samples",
]

"""The measure: bits, floor, excess and a test."""

from learnable_novelty.measure.data import column_scale, scaled
from learnable_novelty.measure.files import CHOOSE, Columns, column_names, read_columns
from learnable_novelty.measure.large_files import open_columns
from learnable_novelty.measure.rearrange import Null, row_orders
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.measure.windows import Windows

__all__ = [
    "CHOOSE",
    "Columns",
    "Null",
    "Score",
    "Windows",
    "column_names",
    "column_scale",
    "open_columns",
    "read_columns",
    "row_orders",
    "scaled",
    "score",
]

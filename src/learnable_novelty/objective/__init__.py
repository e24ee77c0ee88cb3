"""The score as a loss."""

from learnable_novelty.objective.any_shape import AnyShape
from learnable_novelty.objective.loss import EpiplexityLoss
from learnable_novelty.objective.rank import effective_rank

__all__ = ["AnyShape", "EpiplexityLoss", "effective_rank"]

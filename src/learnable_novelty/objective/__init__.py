"""The score as a loss."""

from learnable_novelty.objective.rank import effective_rank

__all__ = ["effective_rank"]

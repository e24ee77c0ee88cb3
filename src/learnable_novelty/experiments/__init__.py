"""One file for each artefact of the paper: a PAPER and a QUICK configuration, records out."""

from learnable_novelty.experiments.base import (
    COLLECTIONS,
    EXPERIMENTS,
    Bench,
    Outcome,
    run_experiment,
)

__all__ = ["COLLECTIONS", "EXPERIMENTS", "Bench", "Outcome", "run_experiment"]

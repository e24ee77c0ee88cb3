"""The observer: from inputs and targets to bits."""

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.criticality import perturbation_multiplier, perturbation_norms
from learnable_novelty.observer.moments import Moments, merge
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.online import OnlineObserver
from learnable_novelty.observer.penalty import PerSample
from learnable_novelty.observer.readout import Readout
from learnable_novelty.observer.refit import Refit
from learnable_novelty.observer.rows import Rows

__all__ = [
    "Moments",
    "Observer",
    "OnlineObserver",
    "PerSample",
    "Readout",
    "Refit",
    "Rows",
    "merge",
    "perturbation_multiplier",
    "perturbation_norms",
    "reservoirs",
]

"""Learnable novelty: how much structure a bounded observer can learn from data, in bits.

>>> import torch
>>> import learnable_novelty as ln
>>> observer = ln.Observer(ln.reservoirs.MLP(2, 64, 4), ridge_penalty=0.1)
>>> x = torch.randn(256, 2)
>>> bits = observer(x, x.sin())
"""

from learnable_novelty import objective, systems
from learnable_novelty._version import __version__
from learnable_novelty.measure import Null, Score, score
from learnable_novelty.observer import (
    Moments,
    Observer,
    OnlineObserver,
    PerSample,
    Readout,
    perturbation_multiplier,
    reservoirs,
)

__all__ = [
    "Moments",
    "Null",
    "Observer",
    "OnlineObserver",
    "PerSample",
    "Readout",
    "Score",
    "__version__",
    "objective",
    "perturbation_multiplier",
    "reservoirs",
    "score",
    "systems",
]

"""Learnable novelty: how much structure a bounded observer can learn from data, in bits.

>>> import torch
>>> import learnable_novelty as ln
>>> observer = ln.Observer(ln.reservoirs.MLP(2, 64, 4), ridge_penalty=0.1)
>>> x = torch.randn(256, 2)
>>> bits = observer(x, x.sin())
"""

import importlib
from typing import Any

from learnable_novelty import objective, systems
from learnable_novelty._version import __version__
from learnable_novelty.measure import Null, Score, open_columns, score
from learnable_novelty.observer import (
    Moments,
    Observer,
    OnlineObserver,
    PerSample,
    Readout,
    perturbation_multiplier,
    reservoirs,
)


def __getattr__(name: str) -> Any:
    # The reward stands on Gymnasium and Stable-Baselines3: it is imported when it is asked for.
    if name != "reward":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return importlib.import_module("learnable_novelty.reward")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("learnable_novelty"):
            raise
        raise ModuleNotFoundError(
            f"learnable_novelty.reward needs the [rl] extra ({error.name} is not installed): "
            "pip install 'learnable-novelty[rl]'",
            name=error.name,
        ) from None


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
    "open_columns",
    "perturbation_multiplier",
    "reservoirs",
    "score",
    "systems",
]

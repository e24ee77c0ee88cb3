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

_LAZY = {
    "reward": "rl",
    "sklearn": "integrations",
    "torchmetrics": "integrations",
    "lightning": "integrations",
}
"""Modules that stand on other people's packages, with the extra that brings these."""


def __getattr__(name: str) -> Any:
    # Imported when it is asked for: the packages below it are large, or not installed.
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return importlib.import_module(f"learnable_novelty.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("learnable_novelty"):
            raise
        extra = _LAZY[name]
        raise ModuleNotFoundError(
            f"learnable_novelty.{name} needs the [{extra}] extra ({error.name} is not installed): "
            f"pip install 'learnable-novelty[{extra}]'",
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

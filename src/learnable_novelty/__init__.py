"""Learnable novelty: how much structure a bounded observer can learn from data, in bits.

>>> import torch
>>> import learnable_novelty as ln
>>> observer = ln.Observer(ln.reservoirs.MLP(2, 64, 4), ridge_penalty=0.1)
>>> x = torch.randn(256, 2)
>>> bits = observer(x, x.sin())
"""

import importlib
from typing import TYPE_CHECKING, Any

from learnable_novelty._version import __version__
from learnable_novelty.errors import needs_extra

if TYPE_CHECKING:
    from learnable_novelty import objective
    from learnable_novelty.data.files import open_columns
    from learnable_novelty.data.reading import read_table
    from learnable_novelty.independence.dependence import dependence
    from learnable_novelty.independence.result import Dependence
    from learnable_novelty.integrations import causal
    from learnable_novelty.measure.curve import learning_curve
    from learnable_novelty.measure.difference import difference
    from learnable_novelty.measure.horizon import horizon
    from learnable_novelty.measure.null import Null
    from learnable_novelty.measure.p_values import adjust
    from learnable_novelty.measure.result import Score
    from learnable_novelty.measure.scan import scan
    from learnable_novelty.measure.scan_result import Scan
    from learnable_novelty.measure.score import score
    from learnable_novelty.objective import EpiplexityLoss
    from learnable_novelty.observer import reservoirs
    from learnable_novelty.observer.evidence import PerSample
    from learnable_novelty.observer.fit import Readout
    from learnable_novelty.observer.growing.growth import Growing
    from learnable_novelty.observer.observer import Observer
    from learnable_novelty.observer.stream import OnlineObserver
    from learnable_novelty.observer.summary import Moments

# Everything is imported when it is first used: ``novelty --help`` does not wait for torch, and
# the packages below some modules are large, or not installed.
_HOME = {
    "Dependence": "independence.result",
    "dependence": "independence.dependence",
    "learning_curve": "measure.curve",
    "difference": "measure.difference",
    "horizon": "measure.horizon",
    "Null": "measure.null",
    "adjust": "measure.p_values",
    "Score": "measure.result",
    "scan": "measure.scan",
    "Scan": "measure.scan_result",
    "score": "measure.score",
    "Growing": "observer.growing.growth",
    "Moments": "observer.summary",
    "Observer": "observer.observer",
    "OnlineObserver": "observer.stream",
    "PerSample": "observer.evidence",
    "Readout": "observer.fit",
    "EpiplexityLoss": "objective",
    "open_columns": "data.files",
    "read_table": "data.reading",
}
_MODULES = {
    "causal": "integrations.causal",
    "objective": "objective",
    "reservoirs": "observer.reservoirs",
}
_EXTRA = {
    "reward": "rl",
    "sklearn": "integrations",
    "torchmetrics": "integrations",
    "lightning": "integrations",
}
"""Modules that need other people's packages, with the extra that brings these."""


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"learnable_novelty.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"learnable_novelty.{_MODULES[name]}")
    elif name in _EXTRA:
        with needs_extra(f"learnable_novelty.{name}", _EXTRA[name]):
            value = importlib.import_module(f"learnable_novelty.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_EXTRA})


__all__ = [
    "Dependence",
    "EpiplexityLoss",
    "Growing",
    "Moments",
    "Null",
    "Observer",
    "OnlineObserver",
    "PerSample",
    "Readout",
    "Scan",
    "Score",
    "__version__",
    "adjust",
    "causal",
    "dependence",
    "difference",
    "horizon",
    "learning_curve",
    "objective",
    "open_columns",
    "read_table",
    "reservoirs",
    "scan",
    "score",
]

"""Classes as targets: how many held-out samples are told right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import rows_of
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import prepare_rows
from learnable_novelty.measure.sources.memory import MemoryRows, as_tensor
from learnable_novelty.measure.sources.open import in_memory
from learnable_novelty.measure.task import Settings, Task
from learnable_novelty.seeds import check_seed


@dataclass(frozen=True)
class Accuracy:
    """Shares of samples whose class is told right."""

    held_out: float
    """By readouts that have not seen the sample; their predictions are averaged over draws."""
    base_rate: float
    """By always naming the most frequent class."""
    recall: tuple[float, ...]
    """The held-out share of each class; NaN for one without samples."""

    def __str__(self) -> str:
        return (
            f"the class of {self.held_out:.0%} of held-out rows is told right; the most frequent "
            f"class has {self.base_rate:.0%}"
        )


@torch.no_grad()
def class_accuracy(inputs: Any, classes: Any, *, draws: int = 8, seed: int = 0) -> Accuracy:
    """Return how many held-out samples the readouts of ``score`` assign to their class.

    Args:
        inputs: (num_samples, columns).
        classes: (num_samples, num_classes), zeros and a one; the class that is named is that with
            the largest prediction.
        draws: of ``score``.
        seed: of ``score``.

    >>> x = np.linspace(-3, 3, 80)
    >>> class_accuracy(x, np.stack([x < 0, x >= 0], axis=1), draws=1).held_out > 0.9
    True
    """
    settings = Settings(None, draws, Null(0), check_seed(seed))
    truth = as_tensor(classes, "classes")
    if truth.ndim != 2 or not bool(
        (truth.sum(1) == 1).all() and ((truth == 0) | (truth == 1)).all()
    ):
        raise UserError(
            "expected classes as one column for each class, with zeros and a one per row"
        )
    rows = in_memory(inputs, truth).rows
    assert isinstance(rows, MemoryRows)
    task = Task.of(in_memory(inputs, truth).layout(), settings)
    data = prepare_rows(rows, task, Null(0, "rows"), settings)
    if data.folds is None:
        raise UserError(f"expected at least four samples to hold some out, got {data.num_samples}")
    told = torch.zeros_like(truth, dtype=torch.float64)
    for observer in draw_observers(settings, tuple(data.inputs.shape)):
        found = data.folds.predictions(observer, rows_of(observer, data.inputs, data.targets))
        told += found * data.task.target_unit
    place = truth.argmax(1)
    right = (told.argmax(1) == place).numpy()
    counts = np.bincount(place, minlength=truth.shape[1])
    hits = np.bincount(place, weights=right, minlength=truth.shape[1])
    recall = np.divide(hits, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return Accuracy(float(right.mean()), float(counts.max() / len(place)), tuple(recall.tolist()))

"""Targets that are classes: how often the right one is predicted, and how often by guessing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Classes:
    """Held-out predictions of a class."""

    accuracy: float
    """Share of samples whose class has the largest prediction."""
    base_rate: float
    """Share of the most frequent class: the accuracy of guessing it always."""
    count: int
    """How many classes there are."""
    recalls: tuple[float, ...]
    """The same share for the samples of every class; NaN for one without samples."""
    confusion: tuple[tuple[int, ...], ...] = ()
    """How many samples of every class, in a row, were predicted as which class, in a column."""


def are_classes(targets: np.ndarray) -> bool:
    """Tell whether these are zeros and ones, with a single one in every row of several columns.

    >>> are_classes(np.array([[0, 1], [1, 0]])), are_classes(np.array([[0, 1], [1, 1]]))
    (True, False)
    """
    if targets.ndim != 2 or not np.isin(targets, (0.0, 1.0)).all():
        return False
    return targets.shape[1] == 1 or bool((targets.sum(1) == 1).all())


def accuracy_of(
    predicted: np.ndarray, targets: np.ndarray, unit: np.ndarray | float = 1.0
) -> Classes | None:
    """Count right predictions of classes; None where the targets are none.

    Args:
        predicted: (num_samples, classes), in units of ``unit``.
        targets: zeros and ones: one column for each class, or one column for two classes.
        unit: of the predictions, one or one for each column.
    """
    if np.abs(targets).max(initial=0) > 2:  # no zeros and ones, and perhaps too large to be rounded
        return None
    targets = targets.round(9)
    if not are_classes(targets) or len(np.unique(targets)) < 2:
        return None
    predicted = predicted * unit
    if targets.shape[1] == 1:
        predicted, targets = (np.hstack([1 - some, some]) for some in (predicted, targets))
    truth = targets.argmax(1)
    is_right = predicted.argmax(1) == truth
    sizes = np.bincount(truth, minlength=targets.shape[1])
    hits = np.bincount(truth, weights=is_right, minlength=targets.shape[1])
    confusion = np.zeros((len(sizes), len(sizes)), dtype=int)
    np.add.at(confusion, (truth, predicted.argmax(1)), 1)
    recalls = np.divide(hits, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0)
    return Classes(
        accuracy=float(is_right.mean()),
        base_rate=float(sizes.max() / len(truth)),
        count=int((sizes > 0).sum()),
        recalls=tuple(recalls.tolist()),
        confusion=tuple(map(tuple, confusion.tolist())),
    )

"""Ours: what the observer of tables explains of held-out rows, and what others do.

Every table is cut into three parts at random, and each part is predicted from the others. All
learners get the same numbers: columns as ``ln.score`` reads them. Shares are 1 - sum e / sum t, of
squared errors e of the prediction and t of the mean; classes are columns of zeros and ones.
"""

from __future__ import annotations

import importlib
import itertools
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learnable_novelty.data.open import open_source
from learnable_novelty.measure.classes import are_classes
from learnable_novelty.measure.defaults import default_observer
from learnable_novelty.measure.draw import rows_of
from learnable_novelty.measure.held_out import Folds
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import columns_in_units
from learnable_novelty.measure.task import Settings as ScoreSettings
from learnable_novelty.measure.task import Task
from novelty_lab.context import RunContext, RunResult
from novelty_lab.settings import Settings
from novelty_lab.studies.tables.sets import LARGE, TABLES, Table, listed, load

Array = NDArray[np.float64]
PARTS = 3
CONSTANT = 1e-9
"""Deviation of a column, relative to that in all rows, below which it is constant in a part."""


@dataclass(frozen=True)
class Config(Settings):
    """How many tables, and how large."""

    tables: int = len(listed(TABLES))
    """Of the list, from its beginning."""
    most_rows: int = 3000
    """Of a larger one a random part of so many rows is taken."""
    large: int = len(listed(LARGE))
    """How many tables are taken with more rows."""
    most_large_rows: int = 200_000
    trees: int = 50
    """Of the forest."""


PAPER = Config()
QUICK = Config(tables=2, most_rows=60, large=0, trees=5)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Compare the learners on every table."""
    small = [(one, config.most_rows) for one in listed(TABLES)[: config.tables]]
    large = [(one, config.most_large_rows) for one in listed(LARGE)[: config.large]]
    tasks = {
        f"{one.name}, {most}": (config, one.path, one.target, one.left_out, most, seed)
        for one, most in (*small, *large)
    }
    found = context.map(compare, tasks)
    return RunResult({"tables": [{"table": name, **one} for name, one in found.items()]})


def compare(
    config: Config, path: str, target: str, left_out: tuple[str, ...], most: int, seed: int
) -> dict[str, Any]:
    """Predict a column of one table by every learner."""
    frame = load(Table(path, target, left_out))
    if len(frame) > most:
        frame = frame.sample(most, random_state=seed)
    source = open_source(frame.reset_index(drop=True), target, is_series=False)
    data = source.rows
    assert data is not None and data.targets is not None
    settings = ScoreSettings(None, 1, Null(0), seed)
    task, x, y = columns_in_units(data, Task.of(source.layout(), settings), settings)
    count = len(x)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed))
    folds = Folds(order, [round(k * count / PARTS) for k in range(PARTS + 1)], 0)
    start = time.process_time()
    observer = default_observer(tuple(x.shape), "evidence", 1.0, table=x)
    held_out = folds.errors(observer, rows_of(observer, x, y), x)
    found: dict[str, Any] = {
        "rows": count,
        "columns": x.shape[1],
        "targets": y.shape[1],
        "ours": 1 - float(held_out.errors.sum() / held_out.spread.sum()),
        "seconds": {"ours": time.process_time() - start},
    }
    raw = data.targets.numpy()
    for name in LEARNERS if most <= config.most_rows else LEARNERS[1:2]:
        start = time.process_time()
        guess = np.empty_like(raw, dtype=np.float64)
        for a, b in itertools.pairwise(folds.bounds):
            new = order[a:b].numpy()
            old = np.setdiff1d(order.numpy(), new)
            guess[new] = _predict(name, x.numpy()[old], raw[old], x.numpy()[new], config.trees)
        left = np.square((raw - guess) / np.asarray(task.target_unit)).sum()
        found[name] = 1 - float(left / held_out.spread.sum())
        found["seconds"][name] = time.process_time() - start
    return found


LEARNERS = ("ridge", "boosted trees", "forest")


def _predict(name: str, x: Array, y: Array, new: Array, trees: int) -> Array:
    """Fit a learner of scikit-learn, and predict new rows."""
    if name == "ridge":
        model = importlib.import_module("sklearn.linear_model").RidgeCV(np.logspace(-4, 6, 31))
        mean, scale = x.mean(0), x.std(0)
        scale = np.where(scale > CONSTANT, scale, 1.0)
        return model.fit((x - mean) / scale, y).predict((new - mean) / scale).reshape(len(new), -1)
    ensemble = importlib.import_module("sklearn.ensemble")
    kind = {"boosted trees": "HistGradientBoosting", "forest": "RandomForest"}[name]
    options: dict[str, Any] = {"random_state": 0}
    if name == "forest":
        options |= {"n_estimators": trees, "min_samples_leaf": 2}
    if not (are_classes(y) or len(np.unique(y)) == 2):
        return (
            getattr(ensemble, f"{kind}Regressor")(**options).fit(x, y[:, 0]).predict(new)[:, None]
        )
    labels = y.argmax(1) if y.shape[1] > 1 else (y[:, 0] == y.max()).astype(int)
    model = getattr(ensemble, f"{kind}Classifier")(**options).fit(x, labels)
    levels = np.unique(y) if y.shape[1] == 1 else np.array([0.0, 1.0])
    shares = np.zeros((len(new), max(2, y.shape[1])))
    shares[:, model.classes_] = model.predict_proba(new)
    if y.shape[1] == 1:
        return levels[0] + (levels[1] - levels[0]) * shares[:, 1:]
    return shares

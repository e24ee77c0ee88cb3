"""Learners that are compared: a function of training data and new inputs each."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.growing.growth import Growing

Array = NDArray[np.float64]
Learner = Callable[[Array, Array, Array, int], Array]
"""From inputs and targets, new inputs and a seed to predictions, (new rows, targets)."""
WIDTH, DEPTH, WIDE, FEATURES = 64, 4, 2048, 512
MOST_KERNEL_ROWS = 8000
"""Rows that an exact kernel can hold; of more a random part."""


def frozen(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Read the default observer of ``ln.score``."""
    return readout(reservoirs.MLP(x.shape[1], WIDTH, DEPTH, seed=seed), x, y, new)[1]


def wide(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Read a frozen reservoir of 2,048 features, or of one for every two rows."""
    features = min(WIDE, len(x) // 2)
    return readout(reservoirs.MLP(x.shape[1], features, DEPTH, seed=seed), x, y, new)[1]


def growing(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Grow on three quarters of the rows, decide on the others, and read all of them."""
    growth = Growing(mlp(x, seed), most_features=FEATURES).grow(tensor(x), tensor(y), seed=seed)
    return readout(growth.observer.reservoir, x, y, new)[1]


def network(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Train scikit-learn's network: two layers of 256, stopped early."""
    neural = importlib.import_module("sklearn.neural_network")
    layers = {"hidden_layer_sizes": (256, 256), "early_stopping": True, "max_iter": 200}
    model = neural.MLPRegressor(**layers, random_state=seed)
    unit, middle = y.std(0), y.mean(0)
    unit = np.where(unit > 0, unit, 1.0)
    scaled = (y - middle) / unit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small sets, which reach the most steps
        model.fit(x, scaled if y.shape[1] > 1 else scaled[:, 0])
    return model.predict(new).reshape(len(new), -1) * unit + middle


def boosting(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Boost trees, one model for each target."""
    ensemble = importlib.import_module("sklearn.ensemble")
    columns = [
        ensemble.HistGradientBoostingRegressor(random_state=seed).fit(x, column).predict(new)
        for column in y.T
    ]
    return np.stack(columns, axis=1)


def kernel(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Solve a Gaussian kernel ridge; bandwidth and ridge by a fifth of the rows."""
    ridge = importlib.import_module("sklearn.kernel_ridge").KernelRidge
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(x))[:MOST_KERNEL_ROWS]
    tuning, kept = order[: len(order) // 5], order[len(order) // 5 :]
    middle = y[order].mean(0)

    def fitted(rows: NDArray[np.int64], settings: tuple[float, float]) -> Any:
        gamma, alpha = settings
        model = ridge(kernel="rbf", gamma=gamma / x.shape[1], alpha=alpha)
        return model.fit(x[rows], y[rows] - middle)

    some = kept[:2000]
    choices = [(g, a) for g in (0.1, 0.5, 2.5) for a in (1e-3, 1e-1, 10.0)]
    errors = [
        np.square(fitted(some, one).predict(x[tuning]) - (y[tuning] - middle)).sum()
        for one in choices
    ]
    return fitted(order, choices[int(np.argmin(errors))]).predict(new) + middle


def recursive_feature_machine(x: Array, y: Array, new: Array, seed: int) -> Array:
    """Fit xRFM with its defaults; a fifth of the rows tunes it."""
    machine = importlib.import_module("xrfm").xRFM
    order = np.random.default_rng(seed).permutation(len(x))[:MOST_KERNEL_ROWS]
    tuning, kept = order[: len(order) // 5], order[len(order) // 5 :]
    tensors = [
        torch.from_numpy(values).float() for values in (x[kept], y[kept], x[tuning], y[tuning])
    ]
    model = machine(device=torch.device("cpu"), tuning_metric="mse", verbose=False)
    model.fit(*tensors)
    return np.asarray(model.predict(torch.from_numpy(new).float()), dtype=float).reshape(
        len(new), -1
    )


LEARNERS: dict[str, Learner] = {
    "frozen": frozen,
    "wide frozen": wide,
    "growing": growing,
    "network": network,
    "boosted trees": boosting,
    "kernel ridge": kernel,
    "xRFM": recursive_feature_machine,
}


def held_out(
    name: str, x: Array, y: Array, new: Array, truth: Array, seed: int
) -> dict[str, float | None]:
    """Return R2 on new rows and CPU seconds; None where a package is missing."""
    mean, deviation = x.mean(0), x.std(0)
    unit = np.where(deviation > 0, deviation, 1.0)
    start = time.process_time()
    try:
        guess = LEARNERS[name]((x - mean) / unit, y, (new - mean) / unit, seed)
    except ModuleNotFoundError:
        return {"r2": None, "seconds": None}
    left, spread = np.square(truth - guess).sum(), np.square(truth - y.mean(0)).sum()
    scores: dict[str, float | None] = {"r2": float(1 - left / spread)}
    scores["seconds"] = time.process_time() - start
    if y.shape[1] > 1:
        scores["accuracy"] = float((guess.argmax(1) == truth.argmax(1)).mean())
    return scores


def mlp(x: Array, seed: int) -> reservoirs.MLP:
    """Draw the reservoir that growth starts from."""
    return reservoirs.MLP(x.shape[1], min(WIDTH, len(x) // 4), DEPTH, seed=seed)


def readout(
    reservoir: reservoirs.Reservoir, x: Array, y: Array, new: Array, **settings: Any
) -> tuple[Any, Array]:
    """Fit the ridge of largest evidence to features; return it and its predictions."""
    regressor = importlib.import_module("learnable_novelty.sklearn").EpiplexityRegressor
    with torch.no_grad():
        features, later = (reservoir(tensor(values)).double().numpy() for values in (x, new))
    settings |= {"floor_repeats": 1}
    try:
        fitted = regressor(**settings).fit(features, y)
    except UserError:  # exact fits ask for a ridge that is rounding
        fitted = regressor(**settings, ridge_penalty=1e-6).fit(features, y)
    return fitted, fitted.predict(later).reshape(len(new), -1)


def tensor(values: Array) -> torch.Tensor:
    """Return rows as a reservoir reads them."""
    return torch.from_numpy(np.ascontiguousarray(values)).float()

"""What people use to see whether one column tells about another: a function of (x, y) each."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import learnable_novelty as ln

TwoColumns = tuple[np.ndarray, np.ndarray]


def measured(x: np.ndarray, y: np.ndarray, draws: int, null: int, seed: int) -> dict[str, Any]:
    """Return the numbers of ``ln.score``, and its seconds."""
    start = time.process_time()
    result = ln.score(x, y, draws=draws, null=null, seed=seed)
    return {
        "held-out variance": result.held_out_variance,
        "denoised bits": result.denoised_bits,
        "excess bits": result.excess_bits,
        "p-value": result.p_value,
        "seconds": time.process_time() - start,
    }


def predictive_power_score(x: np.ndarray, y: np.ndarray) -> float:
    """Return the score of ppscore: how much a tree's absolute error is below that of the median."""
    frame = importlib.import_module("pandas").DataFrame({"x": x, "y": y})
    return float(importlib.import_module("ppscore").score(frame, "x", "y")["ppscore"])


def phi_k(x: np.ndarray, y: np.ndarray) -> float:
    """Return phi_K of Baak et al. (2018)."""
    return float(importlib.import_module("phik").phik_from_array(x, y, ["x", "y"]))


def distance_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Return the distance correlation of Székely et al. (2007)."""
    return float(importlib.import_module("dcor").distance_correlation(x, y))


def mutual_information(x: np.ndarray, y: np.ndarray) -> float:
    """Return the estimate of Kraskov et al. (2004) by scikit-learn, in bits."""
    estimate = importlib.import_module("sklearn.feature_selection").mutual_info_regression
    return float(estimate(x[:, None], y, random_state=0)[0] / np.log(2))


def linear_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Return the absolute value of Pearson's correlation."""
    return float(abs(np.corrcoef(x, y)[0, 1]))


def forest(x: np.ndarray, y: np.ndarray) -> float:
    """Return R2 of a random forest of 200 trees on rows it has not seen, five folds."""
    ensemble = importlib.import_module("sklearn.ensemble")
    selection = importlib.import_module("sklearn.model_selection")
    model = ensemble.RandomForestRegressor(200, min_samples_leaf=5, random_state=0)
    folds = selection.KFold(5, shuffle=True, random_state=0)
    guess = selection.cross_val_predict(model, x[:, None], y, cv=folds)
    return float(1 - np.square(y - guess).sum() / np.square(y - y.mean()).sum())


RIVALS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "forest, held-out R2": forest,
    "ppscore": predictive_power_score,
    "phik": phi_k,
    "distance correlation": distance_correlation,
    "mutual information": mutual_information,
    "|Pearson's r|": linear_correlation,
}


def timed(measure: Callable[[np.ndarray, np.ndarray], float], data: TwoColumns) -> dict[str, Any]:
    """Return value and seconds; None where a package is missing."""
    try:
        measure(data[0][:20], data[1][:20])  # imports and compiles, which is not timed
    except ModuleNotFoundError:
        return {"value": None, "seconds": None}
    start = time.process_time()
    return {"value": measure(*data), "seconds": time.process_time() - start}

"""Measures of dependence of inputs and targets: distance correlation, HSIC, KSG and MGC.

They compare every row with every other, so at most ``MOST_ROWS`` are used. MGC is that of hyppo;
the four are read where hyppo is installed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from novelty_lab.measures.registry import Answer, ComparedData, Measure

MOST_ROWS = 1000
NEIGHBOURS = 3
Array = NDArray[np.float64]


def distance_correlation(x: Array, y: Array) -> float:
    """Return the distance correlation of Szekely, Rizzo and Bakirov, Ann. Stat. 35 (2007).

    R^2 = mean(A B) / sqrt(mean(A A) mean(B B)), with A and B the distances, centred by rows and
    columns.
    """
    return _normalized(_centred(_distances(x)), _centred(_distances(y))) ** 0.5


def hsic(x: Array, y: Array) -> float:
    """Return the normalized HSIC of Gretton et al. (2005), Gaussian kernels of the median distance.

    mean(A B) / sqrt(mean(A A) mean(B B)), with A and B the centred kernel matrices.
    """
    return _normalized(_centred(_kernel(x)), _centred(_kernel(y)))


def ksg(x: Array, y: Array) -> float:
    """Return the mutual information by Kraskov, Stoegbauer and Grassberger (2004), in bits.

    I = psi(k) + psi(n) - mean(psi(n_x + 1) + psi(n_y + 1)), with n_x and n_y the rows closer in x
    and in y than the k-th neighbour in both, largest coordinate difference.
    """
    from scipy.spatial import KDTree
    from scipy.special import digamma

    x, y = ((v - v.mean(0)) / np.where(v.std(0) > 0, v.std(0), 1) for v in (x, y))
    both = KDTree(np.hstack([x, y]))
    far = both.query(np.hstack([x, y]), k=NEIGHBOURS + 1, p=np.inf)[0][:, -1]
    inside = np.nextafter(far, 0)
    counts = [KDTree(v).query_ball_point(v, inside, p=np.inf, return_length=True) for v in (x, y)]
    nats = digamma(NEIGHBOURS) + digamma(len(x)) - sum(np.mean(digamma(c)) for c in counts)
    return float(nats / np.log(2))


def mgc(x: Array, y: Array) -> float:
    """Return the multiscale graph correlation of hyppo."""
    from hyppo.independence import MGC  # pyright: ignore[reportMissingImports]

    return float(MGC().statistic(x, y))


def installed_measures() -> tuple[Measure, ...]:
    """Return these measures where hyppo is installed."""
    return MEASURES_OF_DEPENDENCE if importlib.util.find_spec("hyppo") is not None else ()


def _distances(v: Array) -> Array:
    return np.sqrt(np.square(v[:, None] - v[None]).sum(-1))


def _kernel(v: Array) -> Array:
    distance = _distances(v)
    scale = np.median(distance[distance > 0]) if (distance > 0).any() else 1.0
    return np.exp(-((distance / scale) ** 2) / 2)


def _centred(a: Array) -> Array:
    return a - a.mean(0) - a.mean(1, keepdims=True) + a.mean()


def _normalized(a: Array, b: Array) -> float:
    size = float((a * a).mean() * (b * b).mean()) ** 0.5
    return max(0.0, float((a * b).mean()) / size) if size > 1e-30 else 0.0


def _answered(measure: Callable[[Array, Array], float]) -> Callable[[ComparedData], Answer]:
    def answer(data: ComparedData) -> Answer:
        step = -(-len(data.inputs) // MOST_ROWS)
        x, y = (np.asarray(v[::step], dtype=np.float64) for v in (data.inputs, data.targets))
        if len(x) <= NEIGHBOURS:
            return Answer(None, f"needs more than {NEIGHBOURS} samples")
        return Answer(measure(x, y), f"of {len(x):,} samples" if step > 1 else "")

    return answer


MEASURES_OF_DEPENDENCE = (
    Measure(
        "dcor", "distance correlation", "of its most", "pairs", _answered(distance_correlation)
    ),
    Measure("hsic", "HSIC", "of its most", "pairs", _answered(hsic)),
    Measure("ksg", "mutual information (KSG)", "bits", "pairs", _answered(ksg)),
    Measure("mgc", "MGC", "of its most", "pairs", _answered(mgc)),
)

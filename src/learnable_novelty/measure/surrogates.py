"""The nulls of one series: its steps shuffled, and simulations of a linear process fitted to it.

Is there more than a linear process? The null: the series is a stationary linear Gaussian process
seen through a monotone function.
Normal scores undo the function, column by column. A vector autoregression is fitted to the scores,
and surrogates are simulated from it (a parametric bootstrap), each turned into normal scores again.
Most of what an observer explains of such a process is linear, so the test looks at what a linear
fit leaves, of the series and of each surrogate.

Surrogates by random phases (Theiler 1992; Schreiber and Schmitz 1996) are periodic and the series
is not: with them an AR(2) of period 10 was rejected in 13% of 60 series of 150 steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.task import Windows
from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows

if TYPE_CHECKING:
    from learnable_novelty.measure.prepare import PreparedRows

Array = NDArray[np.float64]

LARGEST_ROOT = 0.995
"""Of the simulated process: a fit may be explosive by chance, the null is stationary."""
BURN_IN = 500
TIE = 1e-6
"""Weight of what decides between explained variances that are both 0."""


def simulations(series: Array, order: int, generators: list[np.random.Generator]) -> Array:
    """Simulate a Gaussian vector autoregression fitted to a series, as normal scores.

        x_t = sum_k A_k x_{t-k} + e_t,   A by least squares, e normal with the residuals' covariance

    Least squares, and normal scores of few values, bias A: a fit to simulations shows by how much,
    and they are made again with that taken off (Kilian 1998).

    Args:
        series: (time, columns).
        order: how many past steps.
        generators: one for each simulation.

    Returns:
        (num_simulations, time, columns).
    """
    length, columns = series.shape
    weights, residual = _autoregressions(series[None], order)
    values, axes = np.linalg.eigh(residual[0])
    spread = axes * np.sqrt(values.clip(min=0))
    shape = (length + BURN_IN, columns)
    noise = np.stack([generator.standard_normal(shape) for generator in generators]) @ spread.T
    first = _simulated(_stable(weights[0]), noise)[:, BURN_IN:]
    bias = _autoregressions(first, order)[0].mean(0) - _stable(weights[0])
    return _simulated(_stable(weights[0] - bias), noise)[:, BURN_IN:]


def _simulated(weights: Array, noise: Array) -> Array:
    """Return the normal scores of paths driven by noise (num_paths, time, columns)."""
    paths, _, columns = noise.shape
    order = weights.shape[0] // columns
    path = np.concatenate([np.zeros((paths, order, columns)), noise], axis=1)
    for now in range(order, path.shape[1]):
        path[:, now] += path[:, now - order : now].reshape(paths, -1) @ weights
    kept = path[:, order + BURN_IN :]
    scores = normal_scores(torch.from_numpy(kept).movedim(0, 2).flatten(1)).numpy()
    path[:, order + BURN_IN :] = np.moveaxis(scores.reshape(*kept.shape[1:], paths), 2, 0)
    return path[:, order:]


def _autoregressions(series: Array, order: int) -> tuple[Array, Array]:
    """Fit autoregressions by least squares.

    Returns:
        Weights, oldest step first, (num_series, order * columns, columns), and the covariances of
        the residuals, (num_series, columns, columns).
    """
    centred = torch.from_numpy(series - series.mean(1, keepdims=True))
    rows = centred.shape[1] - order
    ahead = centred[:, order:]
    past = torch.cat([centred[:, i : i + rows] for i in range(order)] or [ahead[..., :0]], dim=2)
    weights = torch.linalg.pinv(past.mT @ past, hermitian=True) @ (past.mT @ ahead)
    left = ahead - past @ weights
    return weights.numpy(), (left.mT @ left / max(1, rows - past.shape[2])).numpy()


def _stable(weights: Array) -> Array:
    """Shrink an autoregression (order * columns, columns) until it is stationary."""
    size, columns = weights.shape
    if size == 0:
        return weights
    companion = np.zeros((size, size))
    companion[:-columns, columns:] = np.eye(size - columns)
    companion[-columns:] = weights.T
    largest = np.abs(np.linalg.eigvals(companion)).max()
    # Shrinking lag k by c^k multiplies all roots by c.
    shrink = min(1.0, LARGEST_ROOT / largest) if largest > 0 else 1.0
    lags = np.arange(size // columns, 0, -1)
    return weights * np.repeat(shrink**lags, columns)[:, None]


def linear_order(series: Array, most: int | None = None) -> int:
    """Choose the order of a vector autoregression by Akaike's criterion.

    n log det(residual covariance) + 2 p d^2 for p = 0 to 10 log10(n), on the same rows for all p.

    >>> white = np.random.default_rng(0).standard_normal((400, 1))
    >>> linear_order(white), linear_order(white.cumsum(0))
    (0, 1)
    """
    length, columns = series.shape
    if most is None:
        most = int(10 * np.log10(length))
    most = max(0, min(most, (length - 2) // (2 * columns + 1)))
    centred = series - series.mean(0)
    rows = length - most
    past = [centred[most - lag : length - lag] for lag in range(1, most + 1)]
    # One factorization serves all orders: an order uses the first columns of the past.
    design = np.concatenate([np.ones((rows, 1)), *past], axis=1)
    basis, _ = np.linalg.qr(design)
    targets = centred[most:]
    along = basis.T @ targets
    total = targets.T @ targets
    costs = []
    for order in range(most + 1):
        used = along[: 1 + order * columns]
        sign, volume = np.linalg.slogdet((total - used.T @ used) / rows)
        if sign <= 0:  # nothing is left to explain
            return order
        costs.append(rows * volume + 2 * order * columns**2)
    return int(np.argmin(costs))


def beyond_linear(
    series: Tensor, windows: Windows, generators: list[np.random.Generator]
) -> tuple[Tensor, Tensor]:
    """Return inputs, and what a linear fit of the past leaves of the targets, as normal scores.

    Args:
        series: (time, columns).
        windows: how a series is cut.
        generators: one for each surrogate.

    Returns:
        (1 + num_surrogates, rows, history * columns) and (..., len(leads) * columns): first of the
        series itself.
    """
    values = normal_scores(series).cpu().numpy()
    length, columns = values.shape
    chosen = linear_order(values)
    order = max(windows.history, chosen)
    rows = length - order - max(windows.leads) + 1
    if rows < 2 * (1 + order * columns):
        raise UserError(
            f"expected a series of at least {length - rows + 2 * (1 + order * columns)} steps for "
            f"a linear fit of order {order}, got {length}; choose a shorter history"
        )
    every = np.concatenate([values[None], simulations(values, chosen, generators)])
    every = torch.from_numpy(every).to(series.device)
    now = order - 1
    past = torch.cat([every[:, i : i + rows] for i in range(order)], dim=2)
    ahead = torch.cat([every[:, now + lead :][:, :rows] for lead in windows.leads], dim=2)
    basis, _ = torch.linalg.qr(torch.cat([past.new_ones(len(past), rows, 1), past], dim=2))
    left = ahead - basis @ (basis.mT @ ahead)
    return past[..., -windows.history * columns :].to(series.dtype), left.to(series.dtype)


def shuffled_shares(observer: Observer, data: PreparedRows) -> Tensor:
    """Return what is explained of shuffles of one series: inputs and targets change together."""
    series, windows, reservoir = data.series, data.task.windows, observer.reservoir
    assert series is not None and windows is not None
    dims = series.shape[1] // 2
    # With a history of one, a shuffle reorders inputs that were all seen before.
    table = reservoir(series[:, :dims]) if windows.history == 1 else None

    def shuffled() -> Iterator[Rows]:
        for order in data.shuffles():
            moved = series[order]
            targets = windows.targets(moved[:, dims:])
            if table is not None:
                yield Rows(table[order[: targets.shape[0]]], targets)
            else:
                yield Rows(reservoir(windows.inputs(moved[:, :dims])), targets)

    return _explained(_fits(observer, shuffled()))


def shares_beyond_linear(observer: Observer, inputs: Tensor, targets: Tensor) -> Tensor:
    """Return what is explained of what a linear fit leaves of one series and of its surrogates.

    Nearly always that is nothing, exactly: the evidence ridge is infinite. The variance that a weak
    ridge would explain, |H~'Y~|^2 / (|H~|^2 |Y~|^2), then decides between them.
    """
    pairs = zip(inputs, targets, strict=True)
    fits = _fits(observer, (Rows(observer.reservoir(x), y) for x, y in pairs))
    weak = [fit.axes.cross.square().sum() / fit.axes.eigenvalues.sum() for fit in fits]
    powers = [fit.axes.power for fit in fits]
    ties = [
        float(one / power) if power > 0 and one > 0 else 0.0
        for one, power in zip(weak, powers, strict=True)
    ]
    return _explained(fits) + TIE * torch.tensor(ties, dtype=torch.float64)


def _fits(observer: Observer, many: Iterator[Rows]) -> list[Fit]:
    return observer.fits([rows.roots(observer.accumulate_dtype) for rows in many])


def _explained(fits: list[Fit]) -> Tensor:
    return torch.tensor([fit.explained_variance() for fit in fits], dtype=torch.float64)


def normal_scores(values: Tensor, column_axis: int = 1) -> Tensor:
    """Replace each column by the normal quantiles of its ranks, q((rank - 1/2) / n), in float64.

    Equal values get their mean rank. Any monotone change of a column leaves its scores as they are,
    and no value is an outlier any more.

    >>> normal_scores(torch.tensor([[1.0], [1e9], [2.0]]))[:, 0]
    tensor([-0.9674,  0.9674,  0.0000], dtype=torch.float64)
    """
    columns = values.movedim(column_axis, -1)
    flat = columns.reshape(-1, columns.shape[-1])
    scores = torch.empty(flat.shape, dtype=torch.float64, device=flat.device)
    for place, column in enumerate(flat.T):
        _, group, sizes = torch.unique(column, return_inverse=True, return_counts=True)
        mean_rank = sizes.cumsum(0) - (sizes - 1) / 2  # from one
        scores[:, place] = torch.special.ndtri((mean_rank.double() - 0.5) / len(column))[group]
    return scores.reshape(columns.shape).movedim(-1, column_axis)

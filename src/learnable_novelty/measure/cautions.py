"""What in the data makes a p-value less than it seems: found in the data, said beside it.

A permutation of rows takes them as exchangeable. Rows that are copies of each other, or neighbours
in time, are not. A circular shift of two series takes them as stationary, and as many correlation
times long: trends, random walks and seasons that both have look like a relation, so there is no
p-value for them.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learnable_novelty.rearrange import correlation_time

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

REPEATED = 0.01
"""Share of rows that repeat others, from which on it is said."""
NEIGHBOURS = 4.0
"""Lag-1 correlation, in units of 1 / sqrt(n)."""
FAR, HEAVY = 8.0, 0.2
"""An outlier lies that many robust deviations away, and has that share of a column's variance."""
SPANS = 20
"""Correlation times that the faster of two series must be long."""
TREND = 2.5
"""Correlation with time, in standard errors, of both series."""
FEWEST, FEWEST_GROUPS = 4, 8
"""Samples with at least twenty orders, and groups with more than a hundred signs."""
SEASON = 10.0
"""Power of a frequency relative to its neighbours, in both series; noise has an exponential one."""


def outliers(inputs: Tensor, targets: Tensor) -> list[str]:
    """List columns with extreme outliers."""
    said: list[str] = []
    for name, tensor in (("input", inputs), ("target", targets)):
        values = tensor.double().cpu().numpy()
        distances, shares = _outliers(values)
        place = max(range(len(shares)), key=lambda k: (distances[k], shares[k], k))
        far, share = distances[place], shares[place]
        if far > FAR and share > HEAVY:
            said.append(
                f"one value of {name} column {place + 1} lies {far:.3g} deviations from the median "
                f"and makes {share:.0%} of its variance: score normal scores instead (rank=True), "
                "or remove the value if it is an error"
            )
    return said


def wide(inputs: Tensor) -> list[str]:
    """Say that there are more inputs than rows."""
    rows, columns = inputs.shape
    if columns <= rows:
        return []
    return [
        f"{columns} inputs and {rows} rows: what a few inputs tell is lost among the others; "
        "choose inputs, or let ln.scan(data, top=50) choose them by one half of the rows"
    ]


def refusal_of_pair(x: Tensor, y: Tensor) -> str | None:
    """Say why two series have no p-value, or return None where shifts can test them."""
    length = x.shape[0]
    both = "so both move together by chance; difference both series (np.diff)"
    faster = min(correlation_time(x), correlation_time(y))
    if length < SPANS * faster:
        return (
            f"both series are slow: {length} steps are {length / faster:.2g} correlation times, "
            f"and a test needs {SPANS}, {both}, or remove their trends"
        )
    first, second = (values.double().cpu().numpy() for values in (x, y))
    if min(_trend(first), _trend(second)) > TREND:
        return f"both series have a trend, {both}, or subtract the trends"
    period = _common_period(first, second)
    if period is not None:
        return (
            f"both series have a period of {period:.3g} steps: subtract the mean of each phase of "
            f"it, or difference both at a lag of {round(period)} steps"
        )
    return None


def refusal_of_blocks(x: Tensor, y: Tensor, length: int) -> str | None:
    """Say why signs of blocks of rows cannot test them, where blocks depend on their neighbours."""
    memory = min(correlation_time(x), correlation_time(y))
    if length >= 5 * memory or not neighbours(x, y):
        return None
    return (
        f"neighbouring rows are alike over {memory} rows, and blocks of {length} are too short to "
        "have a sign each: score time steps as a series, with window or leads"
    )


def refusal_of_groups(count: int) -> str | None:
    """Say why so few groups have no p-value: five have sixteen different signs."""
    if count >= FEWEST_GROUPS:
        return None
    return f"a test by groups needs at least {FEWEST_GROUPS} of them, got {count}; measure more"


def refusal_of_few(samples: int) -> str | None:
    """Say why so few samples have no p-value: three have six orders, so p is never below 1/6."""
    if samples >= FEWEST:
        return None
    return (
        f"a permutation test needs at least {FEWEST} samples to find anything, got {samples}; "
        "measure more"
    )


def equal_rows(inputs: Tensor, targets: Tensor) -> tuple[Labels | None, tuple[str, ...]]:
    """Return the groups of equal rows, and say so; none where columns repeat by themselves."""
    rows = torch.cat([inputs, targets], dim=1).double().cpu().numpy()
    different, groups = np.unique(rows, axis=0, return_inverse=True)
    copies = len(rows) - len(different)
    if copies < max(1, REPEATED * len(rows)) or len(different) < 2:
        return None, ()
    if max(len(np.unique(column)) for column in different.T) < 0.9 * len(different):
        return None, ()
    said = (
        f"{copies} of {len(rows)} rows repeat others: equal rows are one group; if they were "
        f"measured independently, pass groups=range({len(rows)})"
    )
    return groups.reshape(-1), (said,)


def first_of_each(groups: Labels) -> Labels:
    """Return the places of the first row of each group, in the order of the rows."""
    return np.sort(np.unique(groups, return_index=True)[1])


def neighbours(inputs: Tensor, targets: Tensor) -> list[str]:
    """Say whether rows resemble their neighbours in inputs and in targets."""
    if len(inputs) < 20:
        return []
    x, y = (_lag_one(values.double().cpu().numpy()) for values in (inputs, targets))
    if min(abs(x), abs(y)) < NEIGHBOURS / math.sqrt(len(inputs)):
        return []
    return [
        f"neighbouring rows are alike (lag-1 correlation {x:.2f} of inputs, {y:.2f} of targets), "
        "so the p-value may be too small: score time steps as a series, with window or leads, and "
        "rows of the same person, plot or batch with groups"
    ]


def _lag_one(values: Array) -> float:
    """Return the largest lag-1 correlation of a column."""
    values = _near_one(values)
    centred = values - values.mean(0)
    power = (centred**2).sum(0)
    products = (centred[1:] * centred[:-1]).sum(0)
    correlations = np.divide(products, power, out=np.zeros_like(power), where=power > 0)
    return float(correlations[np.abs(correlations).argmax()])


def _near_one(values: Array) -> Array:
    """Divide columns by powers of two: sums and differences of 1e308 overflow."""
    return np.ldexp(values, -np.frexp(np.abs(values).max(0))[1])


def _outliers(values: Array) -> tuple[list[float], list[float]]:
    """Return how far the farthest value of each column lies, and its share of the variance."""
    values = _near_one(values)
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    deviation, squares = (high - low) / 1.349, np.square(values - values.mean(0))
    varies = deviation > 0
    far = np.abs(values - median).max(0) / np.where(varies, deviation, np.inf)
    share = squares.max(0) / np.where(varies, squares.sum(0), np.inf)
    return far.tolist(), share.tolist()


def _trend(values: Array) -> float:
    """Return the largest correlation of a column with time, in standard errors."""
    length = len(values)
    time = np.arange(length) - (length - 1) / 2
    time /= np.sqrt((time**2).sum())
    centred = values - values.mean(0)
    slope = time @ centred
    rest = centred - time[:, None] * slope
    largest = 0.0
    for part, left in zip(slope, rest.T, strict=True):
        memory = correlation_time(torch.from_numpy(left[:, None]))
        noise = math.sqrt(float((left**2).mean()) * memory)
        largest = max(largest, abs(float(part)) / noise if noise > 0 else 0.0)
    return largest


def _common_period(x: Array, y: Array) -> float | None:
    """Return the period of a line that the spectra of both have at the same frequency."""
    peaks = np.minimum(_peaks(x), _peaks(y))
    place = int(peaks.argmax()) if peaks.size else 0
    if not peaks.size or peaks[place] < SEASON:
        return None
    return len(x) / (place + 1)


def _peaks(values: Array) -> Array:
    """Return the power of each frequency, relative to the median of its neighbours."""
    length = len(values)
    taper = np.hanning(length)[:, None]
    power = np.abs(np.fft.rfft((values - values.mean(0)) * taper, axis=0))[1:] ** 2
    width = max(5, length // 40)
    around = np.pad(power, ((width, width), (0, 0)), mode="reflect") if len(power) > width else None
    if around is None:
        return np.zeros(0)
    windows = np.lib.stride_tricks.sliding_window_view(around, 2 * width + 1, axis=0)
    level = np.median(windows, axis=-1) / math.log(2)
    return np.divide(power, level, out=np.zeros_like(power), where=level > 0).max(axis=1)

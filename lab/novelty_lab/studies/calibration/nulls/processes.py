"""Series and rows with a known answer: null data, and data with structure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter

Generator = np.random.Generator
BURN_IN = 2000


def filtered(
    length: int,
    generator: Generator,
    *,
    past: tuple[float, ...],
    moving: tuple[float, ...] = (1.0,),
    columns: int = 1,
    tails: bool = False,
) -> np.ndarray:
    """Draw x_t = sum_k past_k x_{t-k} + sum_k moving_k e_{t-k}, e normal or t3."""
    shape = (length + BURN_IN, columns)
    noise = generator.standard_t(3, shape) if tails else generator.standard_normal(shape)
    return np.asarray(lfilter(moving, [1.0, *(-a for a in past)], noise, axis=0))[BURN_IN:]


def with_noise(series: np.ndarray, share: float, generator: Generator) -> np.ndarray:
    """Add noise of this share of the deviation."""
    return series + share * series.std() * generator.standard_normal(series.shape)


def logistic(length: int, generator: Generator) -> np.ndarray:
    """Iterate x -> 4 x (1 - x)."""
    series = np.empty(length + 100)
    series[0] = generator.uniform(0.1, 0.9)
    for now in range(1, series.size):
        series[now] = 4 * series[now - 1] * (1 - series[now - 1])
    return series[100:]


def henon(length: int, generator: Generator) -> np.ndarray:
    """Iterate x_t = 1 - 1.4 x_{t-1}^2 + 0.3 x_{t-2}."""
    series = np.zeros(length + 100)
    series[:2] = generator.uniform(-0.1, 0.1, 2)
    for now in range(2, series.size):
        series[now] = 1 - 1.4 * series[now - 1] ** 2 + 0.3 * series[now - 2]
    return series[100:]


def lorenz(length: int, generator: Generator, step: float = 0.02, every: int = 5) -> np.ndarray:
    """Integrate the Lorenz system by Runge-Kutta, and return x every 0.1 time units."""

    def velocity(at: np.ndarray) -> np.ndarray:
        x, y, z = at
        return np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    at, series = np.array([1.0, 1.0, 20.0]) + generator.standard_normal(3), []
    for now in range((length + 100) * every):
        one = velocity(at)
        two = velocity(at + step / 2 * one)
        three = velocity(at + step / 2 * two)
        four = velocity(at + step * three)
        at = at + step / 6 * (one + 2 * two + 2 * three + four)
        if now % every == 0:
            series.append(at[0])
    return np.array(series[100:])


def garch(length: int, generator: Generator) -> np.ndarray:
    """Draw GARCH(1, 1) with weights 0.2 and 0.7: no mean to learn, but a variance."""
    noise, variance = generator.standard_normal(length + 500), 1.0
    series = np.empty(length + 500)
    for now in range(series.size):
        series[now] = np.sqrt(variance) * noise[now]
        variance = 0.1 + 0.2 * series[now] ** 2 + 0.7 * variance
    return series[500:]


def season(length: int, generator: Generator, amplitude: float, period: float) -> np.ndarray:
    """Draw two independent noises with the same season in random phases, (length, 2)."""
    phase = generator.uniform(0, 2 * np.pi, 2)
    wave = np.cos(2 * np.pi * np.arange(length)[:, None] / period + phase)
    return amplitude * wave + generator.standard_normal((length, 2))


def trend(length: int, generator: Generator, slope: float) -> np.ndarray:
    """Draw two independent noises with a trend of this deviation, (length, 2)."""
    time = np.linspace(-(3**0.5), 3**0.5, length)[:, None]
    return slope * time + generator.standard_normal((length, 2))


PERIOD_TEN = (2 * 0.95 * float(np.cos(2 * np.pi / 10)), -(0.95**2))

LINEAR: dict[str, Callable[[int, Generator], np.ndarray]] = {
    "AR 0.5": lambda n, g: filtered(n, g, past=(0.5,)),
    "AR 0.95": lambda n, g: filtered(n, g, past=(0.95,)),
    "AR(2), period 10": lambda n, g: filtered(n, g, past=PERIOD_TEN),
    "ARMA(2,1)": lambda n, g: filtered(n, g, past=(0.75, -0.25), moving=(1.0, 0.6)),
    "AR 0.7, t3 noise": lambda n, g: filtered(n, g, past=(0.7,), tails=True),
    "exp(AR 0.7)": lambda n, g: np.exp(filtered(n, g, past=(0.7,))),
    "(AR 0.7)^3": lambda n, g: filtered(n, g, past=(0.7,)) ** 3,
}
"""Processes in which there is nothing beyond a linear one."""

NONLINEAR: dict[str, Callable[[int, Generator], np.ndarray]] = {
    "logistic, 50% noise": lambda n, g: with_noise(logistic(n, g), 0.5, g),
    "Henon, 50% noise": lambda n, g: with_noise(henon(n, g), 0.5, g),
    "Lorenz x, 30% noise": lambda n, g: with_noise(lorenz(n, g), 0.3, g),
}

PAIRS: dict[str, Callable[[int, Generator], np.ndarray]] = {
    "AR 0.5 pairs": lambda n, g: filtered(n, g, past=(0.5,), columns=2),
    "AR 0.95 pairs": lambda n, g: filtered(n, g, past=(0.95,), columns=2),
    "AR 0.99 pairs": lambda n, g: filtered(n, g, past=(0.99,), columns=2),
    "random walks": lambda n, g: g.standard_normal((n, 2)).cumsum(0),
    "trends": lambda n, g: trend(n, g, 1.0),
    "weak trends": lambda n, g: trend(n, g, 0.3),
    "same season": lambda n, g: season(n, g, 1.0, 12.0),
    "weak season": lambda n, g: season(n, g, 0.3, 10.3),
}
"""Two series without relation."""

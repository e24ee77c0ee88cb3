"""Data with a known answer, in families: rows, series, pairs of series, groups.

Each process returns the arguments of ``score``. In noise no mean can be learned, whatever its size
depends on; a bend is what a straight line does not explain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import lfilter

Generator = np.random.Generator
Data = dict[str, Any]
Process = Callable[[Generator, int], Data]
BURN_IN = 2000
SIGNAL_DEVIATION = 0.7025
"""Of sin(1.5 x), x normal."""


def rows(
    noise: Callable[[Generator, np.ndarray], np.ndarray],
    *,
    mean: Callable[[np.ndarray], np.ndarray] | None = None,
    columns: int = 2,
) -> Process:
    """Return rows with normal inputs, targets of this mean and of noise that knows the inputs."""

    def make(g: Generator, n: int) -> Data:
        x = g.standard_normal((n, columns))
        y = noise(g, x)
        return {"inputs": x, "targets": y if mean is None else y + mean(x)}

    return make


def normal(g: Generator, x: np.ndarray) -> np.ndarray:
    """Draw normal noise, whatever the inputs."""
    return g.standard_normal((len(x), 1))


def sized(size: Callable[[np.ndarray], np.ndarray], targets: int = 1) -> Any:
    """Return normal noise whose size depends on the first input."""
    return lambda g, x: size(x[:, :1]) * g.standard_normal((len(x), targets))


def poisson(g: Generator, x: np.ndarray) -> np.ndarray:
    """Draw rates of counts whose exposure depends on the first input."""
    exposure = np.exp(x[:, :1])
    return g.poisson(3 * exposure) / exposure


def binomial(g: Generator, x: np.ndarray) -> np.ndarray:
    """Draw rates of trials whose number depends on the first input."""
    trials = 1 + np.floor(5 * np.exp(x[:, :1]))
    return g.binomial(trials.astype(int), 0.3) / trials


def mixture(g: Generator, x: np.ndarray) -> np.ndarray:
    """Draw normal noise of two sizes; the first input tells which is likely."""
    is_wide = g.uniform(size=(len(x), 1)) < 1 / (1 + np.exp(-2 * x[:, :1]))
    return np.where(is_wide, 4.0, 0.5) * g.standard_normal((len(x), 1))


def gamma(g: Generator, x: np.ndarray) -> np.ndarray:
    """Draw gamma variables of mean one; their shape depends on the first input."""
    shape = np.exp(x[:, :1])
    return g.gamma(shape) / shape


def cauchy(g: Generator, n: int) -> Data:
    """Draw inputs and targets without a variance."""
    return {"inputs": g.standard_cauchy((n, 2)), "targets": g.standard_cauchy((n, 1))}


ROW_NOISE: dict[str, Process] = {
    "normal": rows(normal),
    "|x| e": rows(sized(np.abs)),
    "|x| e, ten targets": rows(sized(np.abs, 10)),
    "exp(x) e": rows(sized(np.exp)),
    "exp(x) e, ten targets": rows(sized(np.exp, 10)),
    "gamma of varying shape": rows(gamma),
    "exp(x) (gamma - 1)": rows(
        lambda g, x: np.exp(x[:, :1]) * (g.gamma(1.0, size=(len(x), 1)) - 1)
    ),
    "Poisson rates, varying exposure": rows(poisson),
    "binomial rates, varying trials": rows(binomial),
    "mixture of two sizes": rows(mixture),
    "t2": rows(lambda g, x: g.standard_t(2, (len(x), 1))),
    "Cauchy": cauchy,
    "Cauchy, rank": lambda g, n: {**cauchy(g, n), "rank": True},
    "exponential": rows(lambda g, x: g.exponential(size=(len(x), 1))),
    "twenty inputs": rows(normal, columns=20),
}


def clustered(size: int, *, known: bool = True, ratio: float = 1.0) -> Process:
    """Return groups whose members share half of their inputs and targets."""

    def make(g: Generator, n: int) -> Data:
        many = -(-n // size)
        sizes = np.full(many, size) if ratio == 1 else g.integers(1, int(ratio * size), many)
        labels = np.repeat(np.arange(many), sizes)
        shared = g.standard_normal((many, 3))[labels]
        values = shared + g.standard_normal((len(labels), 3))
        groups = {"groups": labels} if known else {}
        return {"inputs": values[:, :2], "targets": values[:, 2:], **groups}

    return make


def repeated(g: Generator, n: int) -> Data:
    """Draw rows that are there five times each."""
    values = np.repeat(g.standard_normal((n // 5, 2)), 5, axis=0)
    return {"inputs": values[:, :1], "targets": values[:, 1:]}


def panel(g: Generator, n: int) -> Data:
    """Draw short pairs of series, one pair for each group."""
    series = filtered(g, 25, past=(0.5,), columns=n // 25).T
    targets = filtered(g, 25, past=(0.5,), columns=n // 25).T
    labels = np.repeat(np.arange(n // 25), 25)
    return {"inputs": series.ravel(), "targets": targets.ravel(), "groups": labels, "leads": [0]}


GROUP_NOISE: dict[str, Process] = {
    "20 members each": clustered(20),
    "10 members each": clustered(10),
    "3 members each": clustered(3),
    "1 to 19 members": clustered(10, ratio=2.0),
    "10 members each, groups not told": clustered(10, known=False),
    "each row five times": repeated,
    "panel of AR 0.5 pairs": panel,
}


def filtered(
    g: Generator,
    n: int,
    *,
    past: tuple[float, ...],
    moving: tuple[float, ...] = (1.0,),
    columns: int = 1,
    draw: Callable[..., np.ndarray] | None = None,
) -> np.ndarray:
    """Draw x_t = sum_k past_k x_{t-k} + sum_k moving_k e_{t-k}, e normal by default."""
    noise = (draw or g.standard_normal)(size=(n + BURN_IN, columns))
    return np.asarray(lfilter(moving, [1.0, *(-a for a in past)], noise, axis=0))[BURN_IN:]


def garch(g: Generator, n: int, columns: int = 1) -> np.ndarray:
    """Draw GARCH(1, 1) with weights 0.2 and 0.7; all columns have one variance."""
    noise, variance = g.standard_normal((n + 500, columns)), 1.0
    series = np.empty_like(noise)
    for now in range(len(series)):
        series[now] = np.sqrt(variance) * noise[now]
        variance = 0.1 + 0.2 * float((series[now] ** 2).mean()) + 0.7 * variance
    return series[500:]


def volatile(g: Generator, n: int, columns: int) -> np.ndarray:
    """Draw white series with one stochastic volatility."""
    size = np.exp(filtered(g, n, past=(0.95,), draw=lambda size: 0.15 * g.standard_normal(size)))
    return size * g.standard_normal((n, columns))


def positive(g: Generator, n: int) -> np.ndarray:
    """Draw x_t = max(0, 0.7 x_{t-1} + e_t), an autoregression that is cut at zero afterwards."""
    return np.maximum(0.0, filtered(g, n, past=(0.7,)))


def logistic(g: Generator, n: int) -> np.ndarray:
    """Iterate x -> 4 x (1 - x)."""
    series = np.empty(n + 100)
    series[0] = g.uniform(0.1, 0.9)
    for now in range(1, series.size):
        series[now] = 4 * series[now - 1] * (1 - series[now - 1])
    return series[100:]


def henon(g: Generator, n: int) -> np.ndarray:
    """Iterate x_t = 1 - 1.4 x_{t-1}^2 + 0.3 x_{t-2}."""
    series = np.zeros(n + 100)
    series[:2] = g.uniform(-0.1, 0.1, 2)
    for now in range(2, series.size):
        series[now] = 1 - 1.4 * series[now - 1] ** 2 + 0.3 * series[now - 2]
    return series[100:]


def half_noise(series: np.ndarray, g: Generator) -> np.ndarray:
    """Add noise of half the deviation."""
    return series + 0.5 * series.std() * g.standard_normal(series.shape)


def ahead(draw: Callable[[Generator, int], np.ndarray], **settings: Any) -> Process:
    """Return one series that predicts its next step."""
    return lambda g, n: {"inputs": draw(g, n), "window": 1, **settings}


def pair(draw: Callable[[Generator, int], np.ndarray]) -> Process:
    """Return two series, one of which explains the present of the other."""

    def make(g: Generator, n: int) -> Data:
        x, y = draw(g, n).T
        return {"inputs": x, "targets": y, "leads": [0]}

    return make


SERIES_NOISE: dict[str, Process] = {
    "white": ahead(lambda g, n: g.standard_normal(n)),
    "GARCH": ahead(lambda g, n: garch(g, n)),
    "ten series, one volatility": ahead(lambda g, n: volatile(g, n, 10)),
    "pair with one GARCH variance": pair(lambda g, n: garch(g, n, 2)),
    "pair with one volatility": pair(lambda g, n: volatile(g, n, 2)),
    "AR 0.5 pair": pair(lambda g, n: filtered(g, n, past=(0.5,), columns=2)),
    "AR 0.95 pair": pair(lambda g, n: filtered(g, n, past=(0.95,), columns=2)),
    "random walks": pair(lambda g, n: g.standard_normal((n, 2)).cumsum(0)),
    "trends": pair(lambda g, n: np.linspace(-1.7, 1.7, n)[:, None] + g.standard_normal((n, 2))),
}
"""No mean to learn; a pair may be refused."""

PERIOD_TEN = (2 * 0.95 * float(np.cos(2 * np.pi / 10)), -(0.95**2))
LINEAR_SERIES: dict[str, Process] = {
    name: ahead(draw, null="linear")
    for name, draw in {
        "AR 0.95": lambda g, n: filtered(g, n, past=(0.95,)),
        "AR(2), period 10": lambda g, n: filtered(g, n, past=PERIOD_TEN),
        "ARMA(2,1)": lambda g, n: filtered(g, n, past=(0.75, -0.25), moving=(1.0, 0.6)),
        "exp(AR 0.7)": lambda g, n: np.exp(filtered(g, n, past=(0.7,))),
        "AR 0.7, t3 noise": lambda g, n: filtered(
            g, n, past=(0.7,), draw=lambda size: g.standard_t(3, size)
        ),
        "AR 0.7, exponential noise": lambda g, n: filtered(
            g, n, past=(0.7,), draw=lambda size: g.exponential(size=size)
        ),
        "max(0, AR 0.7)": positive,
    }.items()
}
"""Nothing beyond a linear process; the last three are outside of what the null covers."""

SINE = rows(normal, mean=lambda x: 0.5 * np.sin(3 * x[:, :1]))
RELATIONS: dict[str, Process] = {
    "0.3 x": rows(normal, mean=lambda x: 0.3 * x[:, :1]),
    "0.5 sin 3x": SINE,
    "0.4 x^2": rows(normal, mean=lambda x: 0.4 * x[:, :1] ** 2),
    "0.5 x1 x2": rows(normal, mean=lambda x: 0.5 * x[:, :1] * x[:, 1:]),
    "0.3 x, |x| noise": rows(sized(np.abs), mean=lambda x: 0.3 * x[:, :1]),
    "0.5 x, t2 noise": rows(
        lambda g, x: g.standard_t(2, (len(x), 1)), mean=lambda x: 0.5 * x[:, :1]
    ),
    "logistic map, half noise": ahead(lambda g, n: half_noise(logistic(g, n), g)),
    "logistic map, half noise: linear?": ahead(
        lambda g, n: half_noise(logistic(g, n), g), null="linear"
    ),
    "Henon map, half noise: linear?": ahead(lambda g, n: half_noise(henon(g, n), g), null="linear"),
}
"""Relations, to find."""

LINES: dict[str, Process] = {
    "0.3 x1": rows(normal, mean=lambda x: 0.3 * x[:, :1]),
    "x1": rows(normal, mean=lambda x: x[:, :1]),
    "x1, lognormal": lambda g, n: _lognormal(g, n),
    "x1, |x| noise": rows(sized(np.abs), mean=lambda x: x[:, :1]),
    "sum of five": rows(normal, mean=lambda x: x.sum(1, keepdims=True), columns=5),
    "x1, t3 noise": rows(lambda g, x: g.standard_t(3, (len(x), 1)), mean=lambda x: x[:, :1]),
}
"""Straight lines: no bend."""


def _lognormal(g: Generator, n: int) -> Data:
    x = np.exp(g.standard_normal((n, 1)))
    return {"inputs": x, "targets": x + g.standard_normal((n, 1))}


BENDS: dict[str, Process] = {
    "x + 0.3 x^2": rows(normal, mean=lambda x: x[:, :1] + 0.3 * x[:, :1] ** 2),
    "0.5 sin 3x": SINE,
    "x1 + 0.4 x1 x2": rows(normal, mean=lambda x: x[:, :1] * (1 + 0.4 * x[:, 1:])),
}
"""More than a line."""

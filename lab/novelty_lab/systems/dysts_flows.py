"""The flows of the ``dysts`` collection, with the figures that it publishes for each.

Gilpin, Chaos as an interpretable benchmark for forecasting and data-driven modelling, NeurIPS
Datasets and Benchmarks (2021): 135 flows, 129 of them ordinary differential equations and six with
a delay. Equations, parameters, initial conditions and published figures are read from the package
(the [compare] extra); the integration is ours, because the package's own is made for accuracy of
1e-12 at 5,000 steps a period.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import NumericalError, needs_extra

TOLERANCE = 1e-8
"""Of the integrator: relative, and absolute in units of each coordinate's published deviation."""
DELAY_STEPS_PER_PERIOD = 1000
"""Steps of the integrator of delay equations."""

PUBLISHED = {
    "lyapunov": "maximum_lyapunov_estimated",
    "entropy": "pesin_entropy",
    "kaplan_yorke": "kaplan_yorke_dimension",
    "correlation": "correlation_dimension",
    "multiscale": "multiscale_entropy",
}
"""Our names of the published figures, and the collection's."""


@dataclass(frozen=True)
class CollectedFlow:
    """A flow of the collection: what it publishes, and how to follow it."""

    name: str
    dim: int
    """Columns of a trajectory."""
    period: float
    """The dominant period that the collection publishes, in the flow's own time."""
    delayed: bool
    published: dict[str, float | None]
    """By the names of ``PUBLISHED``: exponents and entropy per unit of time, dimensions."""

    def trajectory(self, interval: float, steps: int, settle: float) -> NDArray[np.float64]:
        """Return ``steps`` states, ``interval`` apart, after a time ``settle``: (steps, dim).

        Angles and phases that grow without bound are read as the collection reads them, through
        their sine or cosine.

        Raises:
            NumericalError: if the integrator gives up or the flow leaves all bounds.
        """
        system = _system(self.name)
        times = np.concatenate([[0.0], settle + interval * np.arange(steps)])
        follow = _follow_delayed if self.delayed else _follow
        states = follow(system, times)[1:]
        if not np.isfinite(states).all():
            raise NumericalError(f"{self.name} left all bounds within a time of {times[-1]:g}")
        return states


@cache
def collected_flows() -> tuple[CollectedFlow, ...]:
    """List the flows of the collection by name.

    Raises:
        MissingExtraError: without the [compare] extra.
    """
    _flows_module()
    text = resources.files("dysts").joinpath("data/chaotic_attractors.json").read_text()
    return tuple(
        CollectedFlow(
            name=name,
            dim=int(entry["embedding_dimension"]),
            period=float(entry["period"]),
            delayed=bool(entry["delay"]),
            published={ours: entry.get(theirs) for ours, theirs in PUBLISHED.items()},
        )
        for name, entry in sorted(json.loads(text).items())
    )


def _flows_module() -> Any:
    with needs_extra("the collection of flows", "compare"):
        return importlib.import_module("dysts.flows")


def _system(name: str) -> Any:
    """Make the package's own object: equations, parameters, initial conditions."""
    before = np.random.get_state()  # noqa: NPY002 - the package reseeds NumPy's global stream
    try:
        return getattr(_flows_module(), name)()
    finally:
        np.random.set_state(before)  # noqa: NPY002


def _follow(system: Any, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Integrate dx/dt = f(x, t) by LSODA, which changes to an implicit method where it is stiff."""
    from scipy.integrate import ODEintWarning, odeint

    scale = np.where(np.asarray(system.std) > 0, system.std, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ODEintWarning)
        try:
            states = odeint(
                system.rhs, system.ic, times, rtol=TOLERANCE, atol=TOLERANCE * scale, mxstep=10**7
            )
        except ODEintWarning as error:
            raise NumericalError(f"{system.name} could not be integrated: {error}") from None
    if hasattr(system, "_postprocessing"):
        states = np.stack(system._postprocessing(*states.T), axis=1)
    return np.asarray(states, dtype=np.float64)


def _follow_delayed(system: Any, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Integrate dx/dt = f(x(t), x(t - tau)) by Heun's method, tau a whole number of steps.

    The state is x at ``embedding_dimension`` delays from 0 to tau, as in the collection; before
    the start x is constant.
    """
    tau, delays = float(system.tau), int(system.embedding_dimension)
    lag = int(np.ceil(tau / (system.period / DELAY_STEPS_PER_PERIOD)))
    step = tau / lag
    count = int(np.ceil(times[-1] / step)) + 1
    path = heun_with_delay(
        lambda x, past: system._rhs(x, past, 0.0, *system.param_list),
        float(system.ic[0]),
        lag,
        step,
        count,
    )
    clock = step * (np.arange(path.size) - lag)
    shifts = np.linspace(0.0, tau, delays)
    return np.stack([np.interp(times - shift, clock, path) for shift in shifts], axis=1)


def heun_with_delay(
    field: Callable[[float, float], float], start: float, lag: int, step: float, count: int
) -> NDArray[np.float64]:
    """Follow dx/dt = field(x, x ``lag`` steps ago) from a constant past.

    Returns:
        (lag + 1 + count,): the past, the start at index ``lag``, and ``count`` steps.
    """
    path = np.full(lag + 1 + count, start)
    for now in range(lag, lag + count):
        before = field(path[now], path[now - lag])
        guess = path[now] + step * before
        path[now + 1] = path[now] + step / 2 * (before + field(guess, path[now + 1 - lag]))
    return path

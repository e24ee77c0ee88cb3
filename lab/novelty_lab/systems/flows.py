"""Continuous-time flows: three chaotic, three linear (appendix F).

The paper names the systems and leaves their constants open: the chaotic ones have those of the
papers cited at each field, the linear ones unit frequency and rates of a tenth to one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.seeds import Seed, numpy_generator

State = NDArray[np.float64]
VectorField = Callable[[State], State]


@dataclass(frozen=True)
class Flow:
    """An autonomous flow dx/dt = field(x), and where its states are drawn from."""

    name: str
    dim: int
    field: VectorField
    chaotic: bool
    initial_sd: float = 1.0
    """Standard deviation of the Gaussian initial conditions, about the origin; the paper gives
    none. Lorenz has about that of its attractor, since a burn-in of 0.5 does not bring states
    from near the origin onto it; its score depends on this (experiment ``flows``)."""
    settle_time: float = 0.0
    """Integration before the common burn-in, for attractors far from the initial conditions: the
    paper gives one to Rossler and Thomas, of a length that it does not say."""
    max_step: float = 0.005
    """Largest step of the integrator. By default 1/140 of a turn around a wing of Lorenz, the
    fastest motion here, where one step is exact to 1e-7 of the state's spread."""

    def integrate(self, state: State, duration: float) -> State:
        """Advance states (num_samples, dim) by ``duration``."""
        steps = max(1, int(np.ceil(round(duration / self.max_step, 9)))) if duration > 0 else 0
        for _ in range(steps):
            state = runge_kutta(self.field, state, duration / steps)
        return state

    def trajectory(self, state: State, interval: float, steps: int) -> State:
        """Return states at multiples of ``interval``, the start included, (steps + 1, ..., dim)."""
        states = [state]
        for _ in range(steps):
            states.append(self.integrate(states[-1], interval))
        return np.stack(states)

    def on_attractor(self, num_samples: int, burn_in: float, seed: Seed) -> State:
        """Draw states after the settling time and the burn-in, (num_samples, dim)."""
        generator = numpy_generator(seed, "flow", self.name)
        start = self.initial_sd * generator.standard_normal((num_samples, self.dim))
        return self.integrate(start, self.settle_time + burn_in)

    def sample(
        self,
        num_samples: int = 512,
        *,
        burn_in: float = 0.5,
        interval: float = 0.1,
        window: int = 10,
        seed: Seed = 0,
    ) -> tuple[State, State]:
        """Draw states and their futures at ``window`` lead times.

        Returns:
            Inputs (num_samples, dim) and targets (num_samples, window * dim), both standardized
            per state dimension by the mean and deviation of the inputs.
        """
        return self.pairs(self.on_attractor(num_samples, burn_in, seed), interval, window)

    def pairs(self, start: State, interval: float, window: int) -> tuple[State, State]:
        """Pair states (num_samples, dim) with their futures, standardized as in ``sample``."""
        states = self.trajectory(start, interval, window)
        standard = (states - start.mean(0)) / start.std(0)
        return standard[0], np.moveaxis(standard[1:], 0, 1).reshape(start.shape[0], -1)


def runge_kutta(field: VectorField, state: State, step: float) -> State:
    """Advance by the classical fourth-order Runge-Kutta method."""
    k1 = field(state)
    k2 = field(state + 0.5 * step * k1)
    k3 = field(state + 0.5 * step * k2)
    k4 = field(state + step * k3)
    return state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _joined(x: State, y: State, z: State) -> State:
    """Join components to states (..., 3); much faster than ``np.stack`` for few states."""
    states = np.empty((*x.shape, 3), np.result_type(x, y, z))
    states[..., 0], states[..., 1], states[..., 2] = x, y, z
    return states


def lorenz_field(state: State) -> State:
    """Lorenz, Deterministic nonperiodic flow, J. Atmos. Sci. 20 (1963): sigma 10, rho 28, beta 8/3.

    dx/dt = sigma (y - x),   dy/dt = x (rho - z) - y,   dz/dt = x y - beta z
    """
    x, y, z = state[..., 0], state[..., 1], state[..., 2]
    return _joined(10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z)


def rossler_field(state: State) -> State:
    """Rossler, An equation for continuous chaos, Phys. Lett. A 57 (1976): a 0.2, b 0.2, c 5.7.

    dx/dt = -y - z,   dy/dt = x + a y,   dz/dt = b + z (x - c)
    """
    x, y, z = state[..., 0], state[..., 1], state[..., 2]
    return _joined(-y - z, x + 0.2 * y, 0.2 + z * (x - 5.7))


def thomas_field(state: State) -> State:
    """Thomas, Deterministic chaos seen in terms of feedback circuits, IJBC 9 (1999): b 0.208186.

    dx/dt = sin y - b x, and so on cyclically; chaotic below b of about 0.2082.
    """
    return np.sin(state[..., [1, 2, 0]]) - 0.208186 * state


def linear_field(matrix: list[list[float]]) -> VectorField:
    """Make the field of dx/dt = M x."""
    transposed = np.array(matrix).T
    return lambda state: state @ transposed


LORENZ = Flow("Lorenz", 3, lorenz_field, True, initial_sd=10.0)
"""Lorenz's flow with 10, 28, 8/3."""
ROSSLER = Flow("Rossler", 3, rossler_field, True, settle_time=100.0, max_step=0.01)
"""Rössler's flow with 0.2, 0.2, 5.7."""
THOMAS = Flow("Thomas", 3, thomas_field, True, settle_time=100.0, max_step=0.05)
"""Thomas's cyclically symmetric flow with 0.208186."""
ROTATION = Flow("rotation", 2, linear_field([[0.0, -1.0], [1.0, 0.0]]), False)
"""A rotation of the plane."""
SPIRAL = Flow("damped spiral", 2, linear_field([[-0.1, -1.0], [1.0, -0.1]]), False)
"""A rotation that decays to rest."""
NODE = Flow("stable node", 2, linear_field([[-0.5, 0.0], [0.0, -1.0]]), False)
"""A decay to rest along two axes."""

FLOWS: tuple[Flow, ...] = (LORENZ, ROSSLER, THOMAS, ROTATION, SPIRAL, NODE)
"""The six of the paper, in its order."""

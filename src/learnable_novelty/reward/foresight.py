"""Pay for what the observer foresees and this episode has not shown yet.

A readout that learns over the agent's life forecasts the next observation from the present one and
the action. What it foresees beyond the mean of what follows this action, z, is compared with what
then comes, y, in the metric of what the episode has foreseen so far:

    C = ridge I + sum z z' over the episode,    b = q min(z'C^-1 z, directions / ridge),
    q = (y'C^-1 y - (y - z)'C^-1 (y - z)) / z'C^-1 z,  cut to [-1, 1]

Before the cuts, b is the squared length of y that the forecast explains. A forecast that comes true
has q = 1 and pays as in E3B; one that is unrelated to what comes pays nothing or a fine. Noise
cannot be foreseen: its z goes to 0 over life, and E[q] <= 0 before. docs/reward.md describes it.

The limit is the most that a forecast of usual size pays, where the episode has shown nothing yet. A
rare forecast would pay up to two hundred times as much, and some agents then missed a goal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnable_novelty.errors import UserError, needs_extra
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.config import ForesightConfig
from learnable_novelty.reward.ellipsoids import Ellipsoids
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split

USUAL_RATE = 0.001
"""How fast the usual size of a surprise follows the present one."""
SMALLEST_UNIT = 1e-3
"""Variance below which a column counts as one of this variance."""
MOST_ROWS = 2**16
"""Transitions kept until the readouts are solved again, with very many environments."""
MOST_BYTES = 4 * 2**30
"""Memory of the readouts."""


class Foresight:
    """Pay for what is foreseen and new to the episode; noise is not foreseen.

    Args:
        scale: units of the observations.
        num_envs: how many environments run in parallel.
        action_dim: length of a flat action, or how many discrete actions there are.
        discrete: whether actions are one-hot. Each then has a readout of its own.
        seed: of the random directions and of the random layer.
        config: the settings.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        action_dim: int,
        discrete: bool,
        seed: Seed = 0,
        config: ForesightConfig | None = None,
    ) -> None:
        self.config = config = config or ForesightConfig()
        self.scale, self.action_dim, self.discrete = scale, action_dim, discrete
        random = np.random.default_rng(split(seed, "foresight"))
        seen = len(scale.mean)
        acted = seen if discrete else seen + action_dim
        wider = max(config.directions - seen, 0)
        self._layers = [random_layer(random, dim, wider) for dim in (acted, seen)]
        dim, k = seen + wider, config.directions
        # As many directions as numbers would be a rotation, which changes no payment.
        self._projection = None
        if dim > k:
            self._projection = np.linalg.qr(random.standard_normal((dim, k)))[0]
        self._kinds = action_dim if discrete else 1
        sizes = 2 * self._kinds, 1 + acted + wider, dim
        check_memory(*sizes, f"{action_dim:,} actions and observations of {seen:,} numbers")
        self.readouts = Readouts(*sizes, ridge=config.life)
        self.ellipsoids = Ellipsoids(num_envs, k, config.ridge)
        self._limit = k / config.ridge
        self._foreseen, self._varied, self._rows = np.zeros(dim), np.zeros(dim), 0.0
        self._units = np.ones(dim)
        self._surprise, self._usual = np.zeros(num_envs), 1.0
        self._new: list[tuple[Array, Any, Array]] = []
        with needs_extra("foresight", "rl"):
            from learnable_novelty.reward import compiled
        self._compiled = compiled
        self._keep_forecast()

    def pay(self, step: Step) -> Array:
        self._check(step.actions)
        features, contexts, following = self._read(step)
        kept = (self._weights, self._means, self._units)
        z, y, errors = self._compiled.foresee(features, contexts, following, *kept)
        self._notice(errors, step)
        active = None if step.idle is None else ~step.idle
        if active is not None:
            z[~active] = 0.0
        if self._projection is not None:
            z, y = z @ self._projection, y @ self._projection
        paid = self._payments(z, y)
        if step.ended.any():
            self.ellipsoids.restart(step.ended)
        rows = slice(None) if active is None else active
        self._new.append((features[rows], contexts[rows], following[rows]))
        if len(self._new) == self.config.every or len(self._new) * len(paid) >= MOST_ROWS:
            self._learn(*(np.concatenate(column) for column in zip(*self._new, strict=True)))
            self._new = []
        return paid

    def _check(self, actions: Array) -> None:
        if actions.shape[1] != self.action_dim:
            raise UserError(
                f"expected actions of {self.action_dim} numbers, got {actions.shape[1]}"
            )

    def _read(self, step: Step) -> tuple[Array, Any, Array]:
        """Return features of what was seen and done, contexts, and what followed."""
        strange = self._surprise > self.config.gate * self._usual
        contexts = self._kinds * strange
        if self.discrete:
            contexts = contexts + step.actions.argmax(1)
        nothing = step.actions[:, :0]
        acted = nothing if self.discrete else step.actions
        clip = math.inf if self.scale.clip is None else self.scale.clip
        units = self.scale.mean, self.scale.sd, clip
        widen, (first, second) = self._compiled.widen, self._layers
        before = widen(step.observations, *units, acted, *first, 1)
        following = widen(step.next_observations, *units, nothing, *second, 0)
        return before, contexts, following

    def _payments(self, z: Array, y: Array) -> Array:
        own, both = self._compiled.advance(self.ellipsoids.inverses, z, y)
        q = np.minimum(np.maximum(2 * both / np.maximum(own, 1e-9) - 1, -1), 1)
        return q * np.minimum(own, self._limit)

    def _notice(self, errors: Array, step: Step) -> None:
        """Keep how large the forecast's error was, the mean square in units of the columns."""
        self._surprise = errors
        self._surprise[step.ended if step.idle is None else step.ended | step.idle] = 0.0
        self._usual += USUAL_RATE * (self._surprise.sum() / len(self._surprise) - self._usual)

    def _learn(self, features: Array, contexts: Any, following: Array) -> None:
        """Learn units by the forecasts of before, and then the readouts.

        unit_j = 1 / sqrt(V(z_j) + noise_share V(y_j)), over life
        """
        if self.readouts.gram.any():
            mean = self.readouts.means[contexts]
            self._rows += len(following)
            self._foreseen += np.square(self.readouts(features, contexts) - mean).sum(0)
            self._varied += np.square(following - mean).sum(0)
            variances = (self._foreseen + self.config.noise_share * self._varied) / self._rows
            self._units = 1 / np.sqrt(np.maximum(variances, SMALLEST_UNIT))
        self.readouts.learn(features, contexts, following)
        self._keep_forecast()

    def _keep_forecast(self) -> None:
        """Keep the readouts less their means, in units, and the means in units.

        z = (H W - mean) unit = H (W - [mean; 0]) unit, as the first feature is one
        """
        self._weights = self.readouts.weights * self._units
        self._means = self.readouts.means * self._units
        self._weights[:, 0] -= self._means

    def reset(self) -> None:
        self.ellipsoids.restart(slice(None))
        self._surprise[:] = 0.0

    def state_dict(self) -> dict[str, Any]:
        """Return what was learned, for any number of environments."""
        return {
            **{name: np.array(getattr(self, f"_{name}")) for name in _LEARNED},
            "readouts": self.readouts.state_dict(),
            "new": [[column.copy() for column in rows] for rows in self._new],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned; episodes in progress begin anew."""
        for name in _LEARNED:
            setattr(self, f"_{name}", np.array(state[name]))
        self.readouts.load_state_dict(state["readouts"])
        self._new = [(rows[0], rows[1], rows[2]) for rows in state["new"]]
        self._keep_forecast()
        self.reset()


_LEARNED = ("foreseen", "varied", "rows", "units", "usual")


def random_layer(random: np.random.Generator, dim: int, width: int) -> tuple[Array, Array]:
    """Draw weights and biases of a layer of this width."""
    return random.standard_normal((dim, width)) / np.sqrt(dim), random.standard_normal(width)


def by_context(features: Array, contexts: Any, weights: Array) -> Array:
    """Multiply every row by the weights of its context, (contexts, features, targets)."""
    met = set(contexts.tolist())
    if len(met) == 1:
        return features @ weights[met.pop()]
    forecasts = np.empty((len(features), weights.shape[2]))
    for context in met:
        rows = contexts == context
        forecasts[rows] = features[rows] @ weights[context]
    return forecasts


def check_memory(contexts: int, features: int, targets: int, what: str) -> None:
    """Raise where the readouts would take more than ``MOST_BYTES``, before they do."""
    needed = 8 * contexts * features * (features + 2 * targets)
    if needed > MOST_BYTES:
        raise UserError(
            f"foresight would keep {needed / 2**30:,.0f} GiB for {what}, more than "
            f"{MOST_BYTES / 2**30:.0f}; pass an encoder of fewer numbers, or merge actions"
        )


class Readouts:
    """One ridge regression per context, such as an action, that learns over the agent's whole life.

        W_c = (H_c'H_c + ridge I)^-1 H_c'Y_c

    H_c holds the features of all steps in context c, Y_c what followed. The first feature is a
    constant one and carries no penalty, so that forecasts have the mean of what followed. Both
    matrix products grow with life; the rows themselves are not kept.

    >>> readouts = Readouts(num_contexts=1, feature_dim=2, target_dim=1, ridge=1e-9)
    >>> readouts.learn(np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([0, 0]), np.array([[3.0], [7]]))
    >>> readouts(np.array([[1.0, 1.0]]), np.array([0])).round(6), readouts.means
    (array([[5.]]), array([[5.]]))
    """

    def __init__(
        self, num_contexts: int, feature_dim: int, target_dim: int, *, ridge: float
    ) -> None:
        self._penalty = ridge * np.eye(feature_dim)
        self._penalty[0, 0] = 0.0
        self.gram = np.zeros((num_contexts, feature_dim, feature_dim))
        self.cross = np.zeros((num_contexts, feature_dim, target_dim))
        self.weights = np.zeros_like(self.cross)
        self.means = np.zeros((num_contexts, target_dim))
        """Of what followed in each context."""

    def __call__(self, features: Array, contexts: Any) -> Array:
        """Forecast what follows, (rows, target_dim)."""
        return by_context(features, contexts, self.weights)

    def learn(self, features: Array, contexts: Any, targets: Array) -> None:
        """Add rows, and solve again where there are new ones."""
        for context in set(contexts.tolist()):
            rows = contexts == context
            mine = features[rows]
            self.gram[context] += mine.T @ mine
            self.cross[context] += mine.T @ targets[rows]
            self._solve(context)

    def _solve(self, context: int) -> None:
        gram, cross = self.gram[context], self.cross[context]
        self.means[context] = cross[0] / gram[0, 0]
        self.weights[context] = np.linalg.solve(gram + self._penalty, cross)

    def state_dict(self) -> dict[str, Array]:
        """Return a copy of the sums."""
        return {"gram": self.gram.copy(), "cross": self.cross.copy()}

    def load_state_dict(self, state: dict[str, Array]) -> None:
        """Restore what ``state_dict`` returned."""
        self.gram[:], self.cross[:] = state["gram"], state["cross"]
        self.weights[:], self.means[:] = 0.0, 0.0  # of contexts that were never met
        for context in np.flatnonzero(self.gram[:, 0, 0]).tolist():
            self._solve(context)

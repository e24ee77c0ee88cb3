"""Forecasts by ridge regressions that learn over the agent's whole life."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnable_novelty.reward.bonus import Array


class Readouts:
    """One ridge regression per context (an action, for instance), in closed form.

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
        met = set(contexts.tolist())
        if len(met) == 1:
            return features @ self.weights[met.pop()]
        forecasts = np.empty((len(features), self.weights.shape[2]))
        for context in met:
            rows = contexts == context
            forecasts[rows] = features[rows] @ self.weights[context]
        return forecasts

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
        for context in np.flatnonzero(self.gram[:, 0, 0]).tolist():
            self._solve(context)

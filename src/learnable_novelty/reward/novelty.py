"""The bonus of the paper: what the latest observation adds to the episode's epiplexity.

    xi_t = S_t - S_t-1,   S_t the score of all pairs (o_i, (o_i+1, ..., o_i+window)) seen by t,

so that the payments of an episode add up to its score (section 4.3 and appendix H).
"""

from __future__ import annotations

from typing import Any, Literal

import torch

from learnable_novelty._random import Seed, split
from learnable_novelty.observer import Moments, OnlineObserver, reservoirs
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.windows import Windows

Standardization = Literal["empirical", "fixed"]


class NoveltyBonus:
    """Pay each environment for learnable novelty, in bits.

    Args:
        scale: units of the observations.
        num_envs: how many environments run side by side.
        window: how many observations ahead are predicted.
        width: width of the reservoir; a narrow one learns only what is regular.
        depth: its layers.
        ridge_penalty: lambda.
        resolution: eta.
        standardization: of features, "empirical" by the episode's own moments, or "fixed" by
            those in ``reference``.
        reference: moments of features and targets under a random policy, for "fixed".
        seed: seed of the reservoir.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        window: int,
        width: int = 32,
        depth: int = 4,
        ridge_penalty: float = 0.3,
        resolution: float = 1.0,
        standardization: Standardization = "empirical",
        reference: Moments | None = None,
        seed: Seed = 0,
    ) -> None:
        if window < 1:
            raise ValueError(f"expected a window of at least 1, got {window}")
        self.scale, dim = scale, len(scale.mean)
        self.windows = Windows(num_envs, window, dim)
        self.online = OnlineObserver(
            make_reservoir(dim, width, depth, seed),
            target_dim=window * dim,
            num_streams=num_envs,
            ridge_penalty=ridge_penalty,
            resolution=resolution,
            standardization=standardization,
            calibration=reference,
        )

    def pay(self, step: Step) -> Array:
        before, after = self.scale(step.observations), self.scale(step.next_observations)
        ready = self.windows.push(before, after, step.idle)
        active = None if ready.all() else torch.from_numpy(ready)
        paid = torch.zeros(self.windows.num_envs, dtype=torch.float64)
        if ready.any():
            inputs, targets = map(torch.from_numpy, (self.windows.inputs, self.windows.targets))
            paid = self.online.update(inputs, targets, active)
        if step.ended.any():
            self.windows.forget(step.ended)
            self.online.reset(torch.from_numpy(step.ended))
        return paid.numpy()

    @property
    def score(self) -> Array:
        """S_t of each episode in progress, in bits, (num_envs,)."""
        return self.online.cumulative.numpy()

    def reset(self) -> None:
        self.windows.forget(self.windows.seen >= 0)
        self.online.reset()

    def state_dict(self) -> dict[str, Any]:
        return {"reservoir": self.online.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.online.reservoir.load_state_dict(state["reservoir"])
        self.reset()


def make_reservoir(dim: int, width: int, depth: int, seed: Seed) -> reservoirs.MLP:
    """Draw the reservoir of appendix H: a four-layer MLP with ELU, in double precision."""
    return reservoirs.MLP(dim, width, depth, seed=split(seed, "reservoir"))

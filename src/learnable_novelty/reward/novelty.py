"""What the latest observation adds to the episode's epiplexity: the bonus of the paper.

    xi_t = S_t - S_t-1,   S_t the score of all pairs (o_i, (o_i+1, ..., o_i+window)) seen by t,

so that the payments of an episode add up to its score (section 4.3 and appendix H).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import Moments, OnlineObserver, reservoirs
from learnable_novelty.reward.bonus import Array, Mask, Step
from learnable_novelty.reward.evidence import EvidenceStreams
from learnable_novelty.reward.options import Floor, Standardization
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.windows import Windows
from learnable_novelty.seeds import Seed, split

DEPTH = 4
"""Layers of the reservoir (appendix H.1)."""


class Streams(Protocol):
    """What scores the pairs of parallel episodes one by one."""

    reservoir: reservoirs.Reservoir

    @property
    def cumulative(self) -> Tensor:
        """The score of each stream in bits."""
        ...

    def advance(self, inputs: Tensor, targets: Tensor, active: Tensor | None = None) -> Array:
        """Add one pair to every active stream; return what each added."""
        ...

    def reset(self, streams: Tensor | None = None) -> None:
        """Forget streams."""
        ...


class WindowBonus:
    """Pay each environment what its latest pair added to the score of its stream, in bits.

    Args:
        scale: units of the observations.
        streams: one per environment.
        num_envs: how many environments run side by side.
        window: how many observations ahead are predicted.
    """

    reads_actions = False

    def __init__(
        self, scale: ObservationScale, streams: Streams, *, num_envs: int, window: int
    ) -> None:
        self.scale, self.streams = scale, streams
        self.windows = Windows(scale, num_envs, window)
        self._pair = torch.from_numpy(self.windows.inputs), torch.from_numpy(self.windows.targets)

    def pay(self, step: Step) -> Array:
        windows = self.windows
        ready = windows.push(step.observations, step.next_observations, step.idle)
        if windows.num_ready == 0:
            paid = np.zeros(windows.num_envs)
        else:
            paid = self._update(ready if windows.num_ready < windows.num_envs else None)
        if np.count_nonzero(step.ended):  # on a few numbers much faster than any()
            ended = torch.from_numpy(step.ended)
            paid = self._settle(paid, ended)
            windows.forget(step.ended)
            self.streams.reset(ended)
        return paid

    def _settle(self, paid: Array, ended: Tensor) -> Array:
        """Add what is still owed to the episodes that end: nothing, where every pair was paid."""
        del ended
        return paid

    def _update(self, ready: Mask | None) -> Array:
        active = None if ready is None else torch.from_numpy(ready)
        return self.streams.advance(*self._pair, active)

    @property
    def score(self) -> Array:
        """S_t of each episode in progress, in bits, (num_envs,)."""
        return self.streams.cumulative.numpy()

    def reset(self) -> None:
        self.windows.forget(self.windows.seen >= 0)
        self.streams.reset()

    def state_dict(self) -> dict[str, Any]:
        return {"reservoir": self.streams.reservoir.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.streams.reservoir.load_state_dict(state["reservoir"])
        self.reset()


class NoveltyBonus(WindowBonus):
    """Pay for learnable novelty at a posited ridge: the paper's bonus, or its excess.

    Args:
        scale: units of the observations.
        num_envs: how many environments run side by side.
        window: how many observations ahead are predicted.
        width: width of the reservoir; a narrow one learns only what is regular.
        ridge_penalty: lambda.
        resolution: eta.
        standardization: of features, "empirical" by the episode's own moments, or "fixed" by
            those in ``reference``.
        reference: moments of features and targets under a random policy, for "fixed".
        floor: "residual" takes off what the observer's own prediction errors would earn.
        seed: seed of the reservoir, and of the floor's signs.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        window: int,
        width: int = 32,
        ridge_penalty: float = 0.3,
        resolution: float = 1.0,
        standardization: Standardization = "empirical",
        reference: Moments | None = None,
        floor: Floor = None,
        seed: Seed = 0,
    ) -> None:
        dim = len(scale.mean)
        self.online = OnlineObserver(
            make_reservoir(dim, width, seed),
            target_dim=window * dim,
            num_streams=num_envs,
            ridge_penalty=ridge_penalty,
            resolution=resolution,
            standardization=standardization,
            calibration=reference,
            floor=floor,
            seed=split(seed, "signs"),
            backend="auto",
        )
        super().__init__(scale, self.online, num_envs=num_envs, window=window)


class EvidenceBonus(WindowBonus):
    """Pay for learnable novelty at the ridge of largest evidence, every 16 pairs and at the end.

    Args:
        scale: units of the observations.
        num_envs: how many environments run side by side.
        window: how many observations ahead are predicted.
        width: width of the reservoir.
        resolution: eta.
        seed: seed of the reservoir.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        window: int,
        width: int = 32,
        resolution: float = 1.0,
        seed: Seed = 0,
    ) -> None:
        reservoir = make_reservoir(len(scale.mean), width, seed)
        self.evidence = EvidenceStreams(reservoir, num_streams=num_envs, resolution=resolution)
        super().__init__(scale, self.evidence, num_envs=num_envs, window=window)

    def _settle(self, paid: Array, ended: Tensor) -> Array:
        return paid + self.evidence.settle(ended)


def make_reservoir(dim: int, width: int, seed: Seed) -> reservoirs.MLP:
    """Draw the reservoir of appendix H: a four-layer MLP with ELU."""
    return reservoirs.MLP(dim, width, DEPTH, seed=split(seed, "reservoir"))

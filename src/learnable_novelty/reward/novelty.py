"""The bonus of the paper: what the latest observation adds to the episode's epiplexity.

    xi_t = S_t - S_t-1,   S_t the score of all pairs (o_i, (o_i+1, ..., o_i+window)) seen by t,

so that the payments of an episode add up to its score (section 4.3 and appendix H).
"""

from __future__ import annotations

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Array, Mask, Step
from learnable_novelty.reward.config import BitsConfig
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split

DEPTH = 4
"""Layers of the reservoir (appendix H.1)."""


class NoveltyBonus:
    """Pay each environment what its latest pair added to the score of its stream, in bits.

    Args:
        scale: units of the observations.
        num_envs: how many environments run in parallel.
        config: the observer; its ``window`` must be a number.
        reference: moments of features and targets under a random policy, for
            ``standardization="fixed"``.
        seed: seed of the reservoir.
    """

    reads_actions = False

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        config: BitsConfig,
        reference: Moments | None = None,
        seed: Seed = 0,
    ) -> None:
        if config.window == "auto":
            raise UserError('window must be a whole number here, got "auto"')
        self.config = config
        self.windows = EpisodeWindows(scale, num_envs, config.window, config.targets == "scaled")
        self.streams = OnlineObserver(
            make_reservoir(len(scale.mean), config.width, seed),
            target_dim=config.window * len(scale.mean),
            num_streams=num_envs,
            ridge_penalty=config.ridge_penalty,
            standardization=config.standardization,
            calibration=reference,
        )

    def pay(self, step: Step) -> Array:
        windows = self.windows
        ready = windows.push(step)
        if ready.any():
            active = None if ready.all() else torch.from_numpy(ready)
            pair = torch.from_numpy(windows.inputs), torch.from_numpy(windows.targets)
            paid = self.streams.advance(*pair, active)
        else:
            paid = np.zeros(len(ready))
        if step.ended.any():
            windows.forget(step.ended)
            self.streams.reset(torch.from_numpy(step.ended))
        return paid

    def reset(self) -> None:
        self.windows.forget(slice(None))
        self.streams.reset()


def make_reservoir(dim: int, width: int, seed: Seed) -> reservoirs.MLP:
    """Draw the reservoir of appendix H: a four-layer MLP with ELU."""
    return reservoirs.MLP(dim, width, DEPTH, seed=split(seed, "reservoir"))


class EpisodeWindows:
    """The last observations of every environment, as pairs x = o_t, y = (o_t+1, ..., o_t+window).

    Inputs are in the units of ``scale``; targets are too if ``scaled``, else as they are.

    >>> scale = ObservationScale(mean=np.ones(1), sd=np.ones(1))
    >>> windows = EpisodeWindows(scale, num_envs=1, window=2, scaled=False)
    >>> for t in range(3):
    ...     step = Step(np.array([[t]]), np.zeros((1, 0)), np.array([[t + 1.0]]), np.array([False]))
    ...     ready = windows.push(step)
    >>> bool(ready[0]), windows.inputs, windows.targets
    (True, array([[0.]]), array([[2., 3.]]))
    """

    def __init__(self, scale: ObservationScale, num_envs: int, window: int, scaled: bool) -> None:
        self.scale, self._scaled = scale, scaled
        self._held = np.zeros((num_envs, window + 1, len(scale.mean)))
        self.seen = np.zeros(num_envs, dtype=np.int64)
        """How many observations of its episode each environment has shown."""

    @property
    def inputs(self) -> Array:
        """The oldest observations held, (num_envs, observation_dim)."""
        return self.scale(self._held[:, 0])

    @property
    def targets(self) -> Array:
        """What followed each of them, flat, (num_envs, window * observation_dim)."""
        following = self._held[:, 1:]
        following = self.scale(following) if self._scaled else following
        return following.reshape(len(following), -1)

    def push(self, step: Step) -> Mask:
        """Take one step; return which environments have a full window, (num_envs,).

        An idle environment only began anew: its next observation opens the next step.
        """
        fresh = self.seen == 0
        self._held[fresh, -1] = step.observations[fresh]
        self._held[:, :-1] = self._held[:, 1:]
        self._held[:, -1] = step.next_observations
        self.seen = np.where(fresh, 2, self.seen + 1)
        if step.idle is not None:
            self.forget(step.idle)
        return self.seen >= self._held.shape[1]

    def forget(self, which: Mask | slice) -> None:
        """Start new episodes."""
        self.seen[which] = 0

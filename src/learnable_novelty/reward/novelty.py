"""The bonus of the paper: what the latest observation adds to the episode's epiplexity.

    xi_t = S_t - S_t-1,   S_t the score of all pairs (o_i, (o_i+1, ..., o_i+window)) seen by t,

so that the payments of an episode add up to its score (section 4.3 and appendix H).
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Array, Mask, Step
from learnable_novelty.reward.config import ObserverConfig
from learnable_novelty.reward.evidence import EvidenceStreams
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split

DEPTH = 4
"""Layers of the reservoir (appendix H.1)."""
Counts = NDArray[np.int64]


class NoveltyBonus:
    """Pay each environment what its latest pair added to the score of its stream, in bits.

    Args:
        scale: units of the observations.
        num_envs: how many environments run in parallel.
        reference: moments of features and targets under a random policy, for
            ``standardization="fixed"``.
        seed: seed of the reservoir, and of the floor's signs.
        **options: fields of ``ObserverConfig``; ``window`` must be a number.
    """

    reads_actions = False

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        reference: Moments | None = None,
        seed: Seed = 0,
        **options: Any,
    ) -> None:
        config = ObserverConfig(**options)
        if config.window == "auto":
            raise UserError('window must be a whole number here, got "auto"')
        self.scale, self.windows = scale, EpisodeWindows(scale, num_envs, config.window)
        self.streams = make_streams(config, len(scale.mean), num_envs, reference, seed)
        self._pair = torch.from_numpy(self.windows.inputs), torch.from_numpy(self.windows.targets)

    def pay(self, step: Step) -> Array:
        windows = self.windows
        ready = windows.push(step.observations, step.next_observations, step.idle)
        if windows.num_ready == 0:
            paid = np.zeros(windows.num_envs)
        else:
            active = torch.from_numpy(ready) if windows.num_ready < windows.num_envs else None
            paid = self.streams.advance(*self._pair, active)
        if np.count_nonzero(step.ended):  # on a few numbers much faster than any()
            ended = torch.from_numpy(step.ended)
            if isinstance(self.streams, EvidenceStreams):
                paid = paid + self.streams.settle(ended)
            windows.forget(step.ended)
            self.streams.reset(ended)
        return paid

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


def make_streams(
    config: ObserverConfig, dim: int, num_envs: int, reference: Moments | None, seed: Seed
) -> OnlineObserver | EvidenceStreams:
    """Make what scores the pairs of each environment one by one."""
    reservoir = make_reservoir(dim, config.width, seed)
    if config.ridge_penalty == "evidence":
        return EvidenceStreams(reservoir, num_streams=num_envs, resolution=config.resolution)
    return OnlineObserver(
        reservoir,
        target_dim=int(config.window) * dim,
        num_streams=num_envs,
        ridge_penalty=config.ridge_penalty,
        resolution=config.resolution,
        standardization=config.standardization,
        calibration=reference,
        floor=config.floor,
        seed=split(seed, "signs"),
        backend="auto",
    )


def make_reservoir(dim: int, width: int, seed: Seed) -> reservoirs.MLP:
    """Draw the reservoir of appendix H: a four-layer MLP with ELU."""
    return reservoirs.MLP(dim, width, DEPTH, seed=split(seed, "reservoir"))


class EpisodeWindows:
    """The last observations of every environment, as pairs x = o_t, y = (o_t+1, ..., o_t+window).

    Observations are held in the units of ``scale``; those held move up by one at every step, so
    that ``inputs`` and ``targets`` are always at the same place.

    >>> scale = ObservationScale(mean=np.zeros(1), sd=np.ones(1))
    >>> windows = EpisodeWindows(scale, num_envs=1, window=2)
    >>> for t in range(3):
    ...     ready = windows.push(np.array([[t]]), np.array([[t + 1.0]]))
    >>> bool(ready[0]), windows.inputs, windows.targets
    (True, array([[1.]]), array([[2., 3.]]))
    """

    def __init__(self, scale: ObservationScale, num_envs: int, window: int) -> None:
        if window < 1:
            raise UserError(f"expected a window of at least 1, got {window}")
        self.scale, self.num_envs, self.window = scale, num_envs, window
        self._held = np.zeros((num_envs, window + 1, len(scale.mean)))
        self.inputs = self._held[:, 0]
        """The oldest observations held, (num_envs, observation_dim)."""
        self.targets = self._held.reshape(num_envs, -1)[:, len(scale.mean) :]
        """What followed each of them, flat, (num_envs, window * observation_dim)."""
        self.seen = np.zeros(num_envs, dtype=np.int64)
        """How many observations of its episode each environment has shown."""
        self.ready = np.zeros(num_envs, dtype=bool)
        """Which environments have a full window that ends in the latest step."""
        self.num_ready = 0
        self._underway = False
        self._write = write_plain
        if importlib.util.find_spec("numba") is not None:
            from learnable_novelty.reward.compiled import write_compiled

            self._write = write_compiled

    def push(self, observations: Array, next_observations: Array, idle: Mask | None = None) -> Mask:
        """Take one step; return which environments have a full window, (num_envs,).

        An idle environment only began anew: its next observation opens the next step.
        """
        if not self._underway:  # only a new episode needs what it began with
            fresh = self.seen == 0
            self._held[fresh, -1] = self.scale(observations[fresh])
            self.seen[fresh] = 1
            self._underway = True
        self.num_ready = self._write(
            next_observations, self.scale, self._held, self.seen, self.ready
        )
        if idle is not None:
            self.forget(idle)
            self.ready &= ~idle
            self.num_ready = int(self.ready.sum())
        return self.ready

    def forget(self, which: Mask) -> None:
        """Start new episodes."""
        self.seen[which] = 0
        self._underway = False


def write_plain(
    values: Array, scale: ObservationScale, windows: Array, seen: Counts, ready: Mask
) -> int:
    """Move what is held up by one, append observations; return how many windows are full."""
    windows[:, :-1] = windows[:, 1:]
    windows[:, -1] = scale(values)
    seen += 1
    np.greater(seen, windows.shape[1] - 1, out=ready)
    return int(np.count_nonzero(ready))

"""NovelD: the novelty that a step gains (Zhang, Xu, Wang, Wu, Keutzer, Gonzalez and Tian, 2021)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

from learnable_novelty.observer.checks import check_positive
from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed
from novelty_lab.rivals.rival import Rival
from novelty_lab.rivals.rnd import RND, RNDConfig


@dataclass(frozen=True)
class NovelDConfig:
    """The novelty, and how much of the one before is taken off."""

    rnd: RNDConfig = field(default_factory=RNDConfig)
    """Networks of the novelty."""
    alpha: float = 0.5
    """Weight of the novelty that the step started from."""

    def __post_init__(self) -> None:
        check_positive(alpha=self.alpha)


class NovelD(RND):
    """Pay what a step gains in novelty, at the first visit of an episode.

        b = max(e(o') - alpha e(o), 0) [o' is new to the episode],    e = |g(z) - f(z)|

    The error e is that of random network distillation, without its normalization. An observation is
    new if no earlier one of the episode was equal to it, the first one included.
    """

    def __init__(
        self,
        scale: ObservationScale,
        *,
        num_envs: int,
        seed: Seed,
        config: NovelDConfig | None = None,
    ) -> None:
        self.novelty = config or NovelDConfig()
        super().__init__(scale, num_envs=num_envs, seed=seed, config=self.novelty.rnd)
        self._visited: list[set[bytes]] = [set() for _ in range(num_envs)]

    @torch.no_grad()
    def pay(self, step: Step) -> Array:
        reached = self._standardize(step.next_observations)
        before = self._errors(self._standardize(step.observations)).sqrt()
        after = self._errors(reached).sqrt()
        gains = (after - self.novelty.alpha * before).clamp(min=0).numpy().astype(np.float64)
        self._learn(reached)
        return gains * self._first_visits(step)

    def _first_visits(self, step: Step) -> Array:
        """Return one where the next observation is new to the episode, else zero, (num_envs,)."""
        first = np.zeros(len(self._visited))
        for env, visited in enumerate(self._visited):
            visited.add(step.observations[env].tobytes())
            key = step.next_observations[env].tobytes()
            first[env] = key not in visited
            visited.add(key)
            if step.ended[env] or (step.idle is not None and step.idle[env]):
                visited.clear()
        return first

    def reset(self) -> None:
        for visited in self._visited:
            visited.clear()


RIVAL = Rival(
    "noveld",
    "NovelD",
    "gain of novelty",
    "#44AA99",
    "d",
    order=5,
    make=lambda scale, num_envs, seed, **_: NovelD(scale, num_envs=num_envs, seed=seed),
)

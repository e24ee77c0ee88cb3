"""What is measured on random episodes: units, time scale and moments (appendix H.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.reservoirs import Reservoir
from learnable_novelty.observer.summary import Moments
from learnable_novelty.reward.bonus import Array
from learnable_novelty.reward.config import BONUSES, BitsConfig, NoveltyConfig
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.novelty import NoveltyBonus, make_reservoir
from learnable_novelty.reward.random_play import RandomPlay
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split

SHORTEST_WINDOW, LONGEST_WINDOW = 8, 48


@dataclass(frozen=True)
class CalibratedNovelty:
    """A configuration whose window is a number, and the units that go with it."""

    config: NoveltyConfig
    scale: ObservationScale
    """Units of the observations."""
    reference: Moments | None
    """Moments of features and targets under a random policy, for fixed standardization."""
    seed: int
    """Of the reservoir."""
    actions: tuple[int, bool]
    """Length of a flat action and whether it is one-hot."""

    @classmethod
    def of(
        cls, play: RandomPlay, config: NoveltyConfig | None = None, *, seed: Seed = 0
    ) -> CalibratedNovelty:
        """Measure units and window on random episodes. An automatic weight stays automatic."""
        config = config or NoveltyConfig()
        trajectories, bits = play.trajectories(), config.bonus
        scale = ObservationScale.of(np.concatenate(trajectories), clip=config.clip)
        child, reference = split(seed, "observer"), None
        if isinstance(bits, BitsConfig):
            if bits.window == "auto":
                bits = replace(bits, window=window_of(trajectories, scale))
                config = replace(config, bonus=bits)
            if bits.standardization == "fixed":
                reservoir = make_reservoir(len(scale.mean), bits.width, child)
                reference = reference_moments(trajectories, scale, bits, reservoir)
        actions = play.steps[0].actions.shape[1], play.discrete
        return cls(config, scale, reference, child, actions)

    def make(self, num_envs: int) -> NoveltyBonus | Foresight:
        """Make the bonus for this many environments."""
        bonus, sizes = self.config.bonus, {"num_envs": num_envs, "seed": self.seed}
        if isinstance(bonus, BitsConfig):
            return NoveltyBonus(self.scale, config=bonus, reference=self.reference, **sizes)
        action_dim, discrete = self.actions
        return Foresight(
            self.scale, action_dim=action_dim, discrete=discrete, config=bonus, **sizes
        )

    def state_dict(self) -> dict[str, Any]:
        """Return it as tensors, numbers and strings."""
        units = {"mean": torch.from_numpy(self.scale.mean), "sd": torch.from_numpy(self.scale.sd)}
        options = dict(vars(self.config))
        bonus = options.pop("bonus")
        kind = next(name for name, made in BONUSES.items() if isinstance(bonus, made))
        return {
            "bonus": kind,
            "settings": asdict(bonus),
            "options": options,
            "units": units,
            "reference": None if self.reference is None else dict(vars(self.reference)),
            "seed": self.seed,
            "actions": self.actions,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], observation_dim: int) -> CalibratedNovelty:
        """Read what ``state_dict`` returned, for observations of this many numbers.

        Raises:
            ValueError: for anything else.
        """
        try:
            bonus = BONUSES[state["bonus"]](**state["settings"])
            config = NoveltyConfig(bonus=bonus, **state["options"])
            units, reference = state["units"], state["reference"]
            scale = ObservationScale(units["mean"].numpy(), units["sd"].numpy(), config.clip)
            scale.check(observation_dim)
            moments = None if reference is None else Moments(**reference)
            action_dim, discrete = state["actions"]
            calibrated = cls(config, scale, moments, state["seed"], (action_dim, discrete))
            calibrated.make(1)
        except UserError:
            raise
        except (TypeError, KeyError, AttributeError, ValueError, RuntimeError) as error:
            raise UserError(f"expected a saved bonus, but its settings differ: {error}") from None
        return calibrated


def window_of(trajectories: Sequence[Array], scale: ObservationScale) -> int:
    """Return twice the time over which the state changes appreciably, within [8, 48].

    That time is the first lag at which the mean squared displacement of the standardized state,
    over what it is between unrelated times (twice the variance), has reached 1 - 1/e.
    """
    standardized = [scale(trajectory) for trajectory in trajectories]
    variance = float(np.concatenate(standardized).var(axis=0).sum())
    if variance == 0.0:
        return SHORTEST_WINDOW
    for lag in range(1, LONGEST_WINDOW // 2):
        moved = [(t[lag:] - t[:-lag]).reshape(-1) for t in standardized if len(t) > lag]
        pairs = sum(len(m) for m in moved) / standardized[0].shape[1]
        if not moved:
            break
        displacement = sum(float(m @ m) for m in moved) / pairs
        if displacement >= 2 * variance * (1 - np.exp(-1)):
            return max(SHORTEST_WINDOW, 2 * lag)
    return LONGEST_WINDOW


def reference_moments(
    trajectories: Sequence[Array], scale: ObservationScale, config: BitsConfig, reservoir: Reservoir
) -> Moments:
    """Return the moments of features and targets under a random policy, for fixed units."""
    window, inputs, targets = int(config.window), [], []
    for trajectory in trajectories:
        if len(trajectory) <= window:
            continue
        following = scale(trajectory) if config.targets == "scaled" else trajectory
        view = np.lib.stride_tricks.sliding_window_view(following[1:], window, axis=0)
        inputs.append(scale(trajectory[:-window]))
        targets.append(view.transpose(0, 2, 1).reshape(len(view), -1))
    if not inputs:
        raise UserError(f"no random episode is longer than the window of {window} steps")
    features = reservoir(torch.from_numpy(np.concatenate(inputs)))
    return Moments.of(features, torch.from_numpy(np.concatenate(targets)))

"""The environments of the rooms' agents: parallel corridors, and an optional clock."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from novelty_lab.studies.rooms.world import LIMIT, Rooms, shuffled_rooms


@dataclass(frozen=True)
class Corridor:
    """The environment of an agent."""

    length: int = 500
    """Steps of an episode."""
    pixels: int = 16
    """Of a screen. On 16 the automaton has 32 states, as many as the reservoir has features."""
    clock: bool = True
    """Whether the agent observes the time; its bonus never does."""

    def __str__(self) -> str:
        clock = "a clock" if self.clock else "no clock"
        return f"{self.length} steps, {self.pixels} pixels, {clock}"


def make_corridors(corridor: Corridor, count: int, seed: int) -> Any:
    """Make parallel corridors, all with the order of rooms that the seed draws."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    order, length, pixels = shuffled_rooms(seed), corridor.length, corridor.pixels
    make = functools.partial(Rooms, length=length, order=order, pixels=pixels)
    return DummyVecEnv([make] * count)


def with_clock(venv: Any, corridor: Corridor) -> Any:
    """Add the elapsed time to what an agent with a clock observes; the bonus does not see it.

    The bonus of a step falls with the number of pairs that the learner has seen. A critic without a
    clock cannot know this: it expects less of the places where agents are late in an episode. With
    a clock the end of an episode can be predicted, so it is a termination. Without one it is a
    truncation, as in the paper's tasks, and the critic bootstraps from the last observation.
    """
    from gymnasium import spaces
    from stable_baselines3.common.vec_env import VecEnvWrapper

    if not corridor.clock:
        return venv
    length = corridor.length

    class Clock(VecEnvWrapper):
        def __init__(self) -> None:
            space = venv.observation_space
            super().__init__(venv, spaces.Box(-LIMIT, LIMIT, (space.shape[0] + 1,), np.float32))
            self.time = 0

        def reset(self) -> Any:
            self.time = 0
            return self._show(self.venv.reset())

        def step_wait(self) -> Any:
            observations, rewards, ended, infos = self.venv.step_wait()
            self.time = (self.time + 1) % length  # all corridors begin and end together
            for info in infos:
                info["TimeLimit.truncated"] = False
            return self._show(observations), rewards, ended, infos

        def _show(self, observations: Any) -> Any:
            passed = np.full((self.num_envs, 1), LIMIT * (2 * self.time / length - 1), np.float32)
            return np.concatenate([observations, passed], axis=1)

    return Clock()

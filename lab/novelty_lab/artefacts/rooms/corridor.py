"""Where agents of the rooms live: corridors side by side, and a clock for those who have one."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from novelty_lab.artefacts.rooms.world import LIMIT, Rooms, shuffled_rooms


@dataclass(frozen=True)
class Corridor:
    """Where an agent lives."""

    length: int = 500
    """Steps of an episode."""
    pixels: int = 16
    """Of a screen. On 16 the automaton has 32 states, as many as the reservoir has features."""
    clock: bool = True
    """Whether the agent, not its drive, sees the time."""

    def __str__(self) -> str:
        clock = "a clock" if self.clock else "no clock"
        return f"{self.length} steps, {self.pixels} pixels, {clock}"


def make_corridors(corridor: Corridor, count: int, seed: int) -> Any:
    """Make corridors side by side, all with the order of rooms that a seed draws."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    order, length, pixels = shuffled_rooms(seed), corridor.length, corridor.pixels
    make = functools.partial(Rooms, length=length, order=order, pixels=pixels)
    return DummyVecEnv([make] * count)


def with_clock(venv: Any, corridor: Corridor) -> Any:
    """Tell the agent, but not its drive, how much of the episode has passed, if it has a clock.

    What a step pays depends on how many pairs the learner has seen: a critic without a clock holds
    the steep beginning of an episode against the places where agents settle. An agent with a clock
    foresees the end, so that it is an end; one without is cut off, as in the paper's tasks, and
    its critic goes on from the last observation.
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

"""What noise pays beside exploring: a toy of foresight, without training.

Half of the agents explore a plane, the others watch a television that a useless action controls.
Both are paid by one bonus, which learns from all of them. The table gives the pay of an episode of
a watcher and of an explorer, over the second half of life. A bonus that noise cannot hold pays a
watcher at most half of what it pays an explorer.

``python -m stress.televisions`` prints the table; it takes about two minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.reward.bonus import Array, Step
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.scale import ObservationScale

ENVS, LENGTH, ACTIONS, VIEW = 16, 60, 7, 64
MOVES = 0.15 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0], [0, 0], [0, 0]])
PRESS, IDLE = 4, 5
ERRS = 0.1
"""Share of a watcher's actions that are random, and of an explorer's that are useless."""


@dataclass(frozen=True)
class Television:
    """What the useless action shows.

    Args:
        stays: steps until a watcher presses again; 0 for never after the first time.
        memory: of a film, an autoregression whose pictures follow each other; 0 for stills.
        beside: whether pictures have numbers of their own, as many as the view.
        everywhere: deviation of noise on all numbers, at all times.
        wall: whether the view is noise where the plane ends, without a press.
    """

    stays: int = 1
    memory: float = 0.0
    beside: bool = False
    everywhere: float = 0.0
    wall: bool = False


TELEVISIONS = {
    "white noise": Television(),
    "slides of 3 steps": Television(3),
    "slides of 10 steps": Television(10),
    "slides of 50 steps": Television(50),
    "film, 0.8": Television(0, 0.8),
    "film, 0.95": Television(0, 0.95),
    "film, 0.99": Television(0, 0.99),
    "remote control": Television(3, beside=True),
    "noise everywhere": Television(everywhere=0.3),
    "noise at the wall": Television(wall=True),
}


class Toy:
    """A plane with a television; the first half of the agents watch."""

    def __init__(self, television: Television, seed: int) -> None:
        self.television, self.random = television, np.random.default_rng(seed)
        self._waves = 2 * self.random.standard_normal((2, VIEW))
        self._phases = self.random.uniform(0, 2 * np.pi, VIEW)
        self.watches = np.arange(ENVS) < ENVS // 2
        self.dim = VIEW * (2 if television.beside else 1)

    def episodes(self, count: int) -> Iterator[Step]:
        """Yield the steps of so many episodes."""
        for _ in range(count):
            self._place = 0.2 * self.random.standard_normal((ENVS, 2))
            self._picture, self._on = np.zeros((ENVS, VIEW)), np.zeros(ENVS, bool)
            before = self._look(np.zeros(ENVS, int))
            for t in range(LENGTH):
                chosen = self._act(t)
                self._place = self._place + MOVES[chosen]
                after = self._look(chosen)
                ended = np.full(ENVS, t == LENGTH - 1)
                yield Step(before, np.eye(ACTIONS)[chosen], after, ended)
                before = after

    def _act(self, t: int) -> Any:
        stays, random = self.television.stays, self.random
        due = t % stays == 0 if stays else t == 0
        errs = random.random(ENVS) < ERRS
        walks = np.where(errs, random.integers(4, 7, ENVS), random.integers(0, 4, ENVS))
        watched = PRESS if due else IDLE
        if self.television.wall:
            watched = 0  # walk on to where the plane ends
        watches = np.where(errs, random.integers(0, ACTIONS, ENVS), watched)
        return np.where(self.watches, watches, walks)

    def _look(self, chosen: Any) -> Array:
        television, random = self.television, self.random
        view = 1.4 * np.cos(self._place @ self._waves + self._phases)
        view = view + television.everywhere * random.standard_normal(view.shape)
        noise = random.standard_normal((ENVS, VIEW))
        if television.wall:
            return np.where(self._place[:, :1] > 2.0, noise, view)
        if television.everywhere:
            return view
        press = chosen == PRESS
        self._on = (self._on & (chosen > PRESS)) | press
        if television.memory:
            share = television.memory
            film = share * self._picture + (1 - share**2) ** 0.5 * noise
            self._picture = np.where(self._on[:, None], film, self._picture)
        else:
            self._picture = np.where(press[:, None], noise, self._picture)
        if television.beside:
            return np.concatenate([view, self._picture], axis=1)
        return np.where(self._on[:, None], self._picture, view)


def pay(
    television: Television, make: Callable[..., Any] = Foresight, seed: int = 0, life: int = 700
) -> tuple[float, float]:
    """Return what an episode pays a watcher and an explorer, over the second half of life."""
    toy = Toy(television, seed)
    scale = ObservationScale(np.zeros(toy.dim), np.ones(toy.dim))
    bonus = make(scale, num_envs=ENVS, action_dim=ACTIONS, discrete=True, seed=seed)
    paid = np.array([bonus.pay(step) for step in toy.episodes(life)])
    late = paid[len(paid) // 2 :].sum(0) / (life / 2)
    return float(late[toy.watches].mean()), float(late[~toy.watches].mean())


def main() -> None:
    """Print the table."""
    print(f"{'television':20} {'watcher':>8} {'explorer':>9} {'ratio':>6}")
    for name, television in TELEVISIONS.items():
        watcher, explorer = np.mean([pay(television, seed=seed) for seed in range(2)], axis=0)
        print(f"{name:20} {watcher:8.0f} {explorer:9.0f} {watcher / explorer:6.2f}", flush=True)


if __name__ == "__main__":
    main()

"""Agents of fixed habits in the rooms: what a drive asks for, whatever an agent learns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from learnable_novelty.reward.bonus import Step
from learnable_novelty.seeds import split
from novelty_lab.studies.rooms.world import ROOMS, Rooms, shuffled_rooms

STAY, ACTIONS = 1, 3
HABITS = ("pendulum, left alone", "pendulum, swung", "automaton", "clock", "noise", "dark", "tour")
"""To stand still in a room; to walk to and fro with the pendulum; to walk from end to end."""


def habitual_steps(length: int, pixels: int, seed: int) -> Iterator[Step]:
    """Let agents live by their habits, one each, for an episode."""
    order = shuffled_rooms(seed)
    corridors = [Rooms(length=length, order=order, pixels=pixels) for _ in HABITS]
    seen = np.zeros((len(HABITS), pixels + 1))
    for row, (habit, rooms) in enumerate(zip(HABITS, corridors, strict=True)):
        room = order[0] if habit == "tour" else habit.split(",")[0]
        seen[row], _ = rooms.reset(seed=split(seed, habit) % 2**31, options={"room": room})
    choices = [actions_of(habit, rooms) for habit, rooms in zip(HABITS, corridors, strict=True)]
    for actions in itertools.islice(zip(*choices, strict=True), length):
        after = [rooms.step(a)[0] for rooms, a in zip(corridors, actions, strict=True)]
        following = np.array(after, dtype=np.float64)
        yield Step(seen, np.eye(ACTIONS)[list(actions)], following, np.zeros(len(HABITS), bool))
        seen = following


def actions_of(habit: str, rooms: Rooms) -> Iterator[int]:
    """Choose the actions of a habit, endlessly, from the middle of its first room on."""
    if habit == "tour":
        inside = len(ROOMS) * rooms.room_width - 1
        cells = [*range(inside), *range(inside, 0, -1)]
        for here, there in itertools.islice(
            itertools.pairwise(itertools.cycle(cells)), rooms.room_width // 2, None
        ):
            yield STAY + there - here
    reach, place = rooms.room_width // 2, 0
    while True:
        push = int(np.sign(rooms.pendulum_velocity)) if habit == "pendulum, swung" else 0
        push = push if abs(place + push) <= reach else 0
        place += push
        yield STAY + push

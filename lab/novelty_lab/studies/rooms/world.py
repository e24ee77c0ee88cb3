"""A corridor of five rooms: three with something to learn, a noisy television, and a dark room.

    observation = (place in the corridor, screen of the room that the agent stands in)

What the screens show:

    pendulum   its angle now and a step ago; steps taken in its room push it
    automaton  rule 110 on a ring of one cell per pixel, on the orbit that a single live cell
               comes to: 32 states on 16 pixels, 16 states on 8
    clock      a wave that goes around the screen in eight steps
    noise      pixels drawn afresh at every step
    dark       nothing

The square of a pixel averages one in every room but the dark one, so that no room is preferred
for the size of what it shows. Time passes in all rooms, seen or not. An episode starts at a cell
drawn evenly from the whole corridor: a random walk is then everywhere equally often, and no room
is nearer than another on average. The order of the rooms is given, the same in all episodes, for
the agent has to find its way; draw it anew for every agent with ``shuffled_rooms``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import Seed, numpy_generator
from novelty_lab.systems.elementary import ElementaryRule

Pixels = NDArray[np.float32]

ROOMS = ("pendulum", "automaton", "clock", "noise", "dark")
"""By what they show; ``info["room"]`` is a place in this list, whatever the order of the rooms."""
FEWEST_PIXELS, MOST_PIXELS = 6, 16
"""Smaller rings die out under rule 110, larger ones may take longer than is waited here."""
CLOCK_PERIOD = 8
ROOM_WIDTH = 5
"""Cells of a room, so that a visit lasts and there is space to walk to and fro."""
LIMIT = 3**0.5
"""Largest value of an observation: that of uniform noise of variance one."""


class Rooms(gymnasium.Env[Pixels, np.int64]):
    """Walk left (0), stay (1) or walk right (2), one cell a step; no reward is paid.

    Episodes are cut after ``length`` steps, which is a time limit and no event in the corridor.

    Args:
        length: steps of an episode.
        order: the rooms from left to right.
        pixels: of a screen.
        room_width: cells of a room.

    >>> rooms = Rooms(length=100)
    >>> screen, info = rooms.reset(seed=0, options={"room": "dark"})
    >>> ROOMS[info["room"]], screen.shape, float(abs(screen[1:]).max())
    ('dark', (17,), 0.0)
    """

    def __init__(
        self,
        *,
        length: int = 500,
        order: Sequence[str] = ROOMS,
        pixels: int = 16,
        room_width: int = ROOM_WIDTH,
    ) -> None:
        if sorted(order) != sorted(ROOMS):
            raise UserError(f"expected an order of {', '.join(ROOMS)}; got {', '.join(order)}")
        if length < 1 or room_width < 1:
            raise UserError(
                f"expected length and room_width of at least 1, got {length} and {room_width}"
            )
        self.length, self.order = length, tuple(order)
        self.pixels, self.room_width = pixels, room_width
        self.observation_space = spaces.Box(-LIMIT, LIMIT, (1 + pixels,), np.float32)
        self.action_space = spaces.Discrete(3)
        self._room_of_cell = [ROOMS.index(name) for name in order for _ in range(room_width)]
        self._places = unit_places(len(self._room_of_cell))
        self._orbit, self._dial = automaton_orbit(pixels), clock_faces(pixels)
        self._waves = pendulum_waves(pixels)
        self._pendulum = Pendulum()
        self._cell = self._time = self._automaton_start = self._clock_start = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Pixels, dict[str, Any]]:
        """Start an episode at a random cell, or at the middle of ``options["room"]``."""
        super().reset(seed=seed)
        draw = self.np_random
        self._cell = int(draw.integers(len(self._room_of_cell)))
        if options and "room" in options:
            place = self.order.index(options["room"])
            self._cell = place * self.room_width + self.room_width // 2
        self._time = 0
        self._automaton_start = int(draw.integers(len(self._orbit)))
        self._clock_start = int(draw.integers(CLOCK_PERIOD))
        self._pendulum = Pendulum(draw.uniform(-math.pi, math.pi))
        return self._observe()

    def step(self, action: int | np.int64) -> tuple[Pixels, float, bool, bool, dict[str, Any]]:
        left, room = self._cell, self._room_of_cell[self._cell]
        self._cell = min(max(left + int(action) - 1, 0), len(self._room_of_cell) - 1)
        # It is pushed by steps that were taken, not by running against the end of the corridor.
        self._pendulum.advance(self._cell - left if ROOMS[room] == "pendulum" else 0)
        self._time += 1
        observation, info = self._observe()
        return observation, 0.0, False, self._time >= self.length, info

    @property
    def pendulum_velocity(self) -> float:
        """How fast the pendulum turns, in radians a step."""
        return self._pendulum.velocity

    def _observe(self) -> tuple[Pixels, dict[str, Any]]:
        room = self._room_of_cell[self._cell]
        seen = np.zeros(1 + self.pixels, dtype=np.float32)
        seen[0] = self._places[self._cell]
        match ROOMS[room]:
            case "pendulum":
                seen[1:] = self._pendulum.circle() @ self._waves
            case "automaton":
                seen[1:] = self._orbit[(self._automaton_start + self._time) % len(self._orbit)]
            case "clock":
                seen[1:] = self._dial[(self._clock_start + self._time) % CLOCK_PERIOD]
            case "noise":
                seen[1:] = self.np_random.uniform(-LIMIT, LIMIT, self.pixels)
            case _:
                pass
        return seen, {"room": room}


class Pendulum:
    """A damped pendulum that single pushes swing and timely pushes carry over the top.

        v <- v - k sin(angle) - c v + p push,    angle <- angle + v

    Small swings take 16 steps and die out in a hundred.
    """

    stiffness, damping, strength = (2 * math.pi / 16) ** 2, 0.02, 0.1

    def __init__(self, angle: float = 0.0) -> None:
        self.angle = self.before = angle
        self.velocity = 0.0

    def advance(self, push: int) -> None:
        """Take one step of time, pushed by -1, 0 or 1."""
        force = self.strength * push - self.stiffness * math.sin(self.angle)
        self.velocity += force - self.damping * self.velocity
        self.before, self.angle = self.angle, self.angle + self.velocity

    def circle(self) -> NDArray[np.float64]:
        """Return cosine and sine of the angle now and a step ago, (4,)."""
        now, past = self.angle, self.before
        return np.array([math.cos(now), math.sin(now), math.cos(past), math.sin(past)])


def shuffled_rooms(seed: Seed) -> tuple[str, ...]:
    """Draw an order of the rooms."""
    return tuple(str(name) for name in numpy_generator(seed, "rooms").permutation(ROOMS))


def unit_places(cells: int) -> list[float]:
    """Number the cells so that they have mean zero and, evenly visited, variance one."""
    numbers = np.arange(cells) - (cells - 1) / 2
    return (numbers / max(numbers.std(), 1.0)).tolist()


@cache
def automaton_orbit(pixels: int) -> NDArray[np.float64]:
    """Return the states of rule 110 on its orbit, (period, pixels), of mean zero, variance one."""
    if not FEWEST_PIXELS <= pixels <= MOST_PIXELS:
        raise UserError(f"expected {FEWEST_PIXELS} to {MOST_PIXELS} pixels, got {pixels}")
    cells = np.zeros(pixels, dtype=np.uint8)
    cells[0] = 1
    states = ElementaryRule(110).run(cells, 1024)  # comes to the orbit and goes around it
    seen_before = np.flatnonzero((states[:-1] == states[-1]).all(1))
    orbit = states[1 + seen_before[-1] :].astype(np.float64)
    return (orbit - orbit.mean()) / orbit.std()


@cache
def clock_faces(pixels: int) -> NDArray[np.float64]:
    """Return the faces of the clock, (CLOCK_PERIOD, pixels): one wave, turning."""
    phase = np.arange(pixels) / pixels - np.arange(CLOCK_PERIOD)[:, None] / CLOCK_PERIOD
    return 2**0.5 * np.cos(2 * np.pi * phase)


@cache
def pendulum_waves(pixels: int) -> NDArray[np.float64]:
    """Return what cosine and sine of the angle now, and then, light up, (4, pixels).

    A pixel shows sqrt(2) cos(angle - phase). One half of the screen shows the angle now and the
    other that of a step ago, each with phases spread evenly, so that the squares of all pixels
    add up to their number at any angle.
    """
    half, waves = pixels // 2, np.zeros((4, pixels))
    for row, where in ((0, slice(half)), (2, slice(half, None))):
        count = waves[0, where].size
        phase = 2 * np.pi * np.arange(count) / count
        waves[row : row + 2, where] = 2**0.5 * np.stack([np.cos(phase), np.sin(phase)])
    return waves

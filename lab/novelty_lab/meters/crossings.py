"""Single world lines, picked from the coherence of all lines, and where they cross."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from novelty_lab.meters.worldlines import Coherence, line_offsets, window_starts

Array = NDArray[np.float64]

CLEARANCE = 4  # sites to either side that a line claims: half a particle and its blur
NEW_ROWS = 0.5  # a line needs that share of its rows outside of what brighter lines claim
CONTINUES = 6  # sites between two pieces of one world line: a collision may shift it
ALIKE = 0.25  # difference of their velocities
VALLEY = 0.75  # between two particles the amplitude falls below that share of the fainter
APART_ROWS = 0.25  # share of the rows in which there must be such a valley


@dataclass(frozen=True)
class WorldLine:
    """A straight piece of a world line, one window long.

    Args:
        start: its first row.
        stop: the row after its last.
        site: where it is at the middle row, (start + stop - 1) / 2.
        velocity: sites per step.
        power: sum of the squared excess amplitude along it.
    """

    start: int
    stop: int
    site: float
    velocity: float
    power: float

    def at(self, row: float) -> float:
        """Return the place at a row, in sites, not wrapped round the ring."""
        return self.site + self.velocity * (row - (self.start + self.stop - 1) / 2)


def find_lines(
    observed: Coherence, velocities: Array, time: int, threshold: float
) -> list[list[WorldLine]]:
    """Pick the lines of each window: the brightest first, of those above the threshold.

    A line is taken if it is the brightest among its neighbours in speed and place and at least
    half of its rows lie clear of the lines taken before, by more than ``CLEARANCE`` sites.
    """
    window = observed.excess.shape[1]
    offsets = np.stack([line_offsets(velocity, window) for velocity in velocities])
    peaks = _peaks(observed.brightness) & (observed.lines > threshold)
    picked: list[list[WorldLine]] = []
    for n, start in enumerate(window_starts(time, window)):
        excess = observed.excess[n]
        claimed = np.zeros(excess.shape, dtype=bool)
        lines: list[WorldLine] = []
        speed, site = np.nonzero(peaks[:, n])
        for i in np.argsort(-observed.brightness[speed, n, site], kind="stable"):
            path = (site[i] + offsets[speed[i]]) % excess.shape[1]
            if claimed[np.arange(window), path].mean() > 1 - NEW_ROWS:
                continue
            reach = path[:, None] + np.arange(-CLEARANCE, CLEARANCE + 1)
            claimed[np.arange(window)[:, None], reach % excess.shape[1]] = True
            power = float(np.square(np.maximum(excess[np.arange(window), path], 0)).sum())
            velocity = _refined(observed.brightness[:, n, site[i]], velocities, int(speed[i]))
            line = WorldLine(int(start), int(start) + window, float(site[i]), velocity, power)
            lines.append(line)
        picked.append(lines)
    return picked


def find_crossings(lines: list[list[WorldLine]], field: Array, min_speed: float) -> Array:
    """Find where moving lines cross: (crossings, 2) rows and sites of an amplitude field.

    Two lines of a window cross if they meet in it and there is a valley of amplitude between
    them in a quarter of the rows. Overlapping windows see the same crossing: where both lines of
    one continue those of another, one is kept.
    """
    width = field.shape[1]
    kept: list[_Crossing] = []
    for group in lines:
        moving = [line for line in group if abs(line.velocity) >= min_speed]
        for one, other in combinations(moving, 2):
            slow, fast = sorted((one, other), key=lambda line: line.velocity)
            meetings = _meetings(slow, fast, width)
            if not meetings or not _apart(slow, fast, field):
                continue
            for row, site in meetings:
                new = _Crossing(row, site, slow, fast)
                if not any(new.is_same(old, width) for old in kept):
                    kept.append(new)
    return np.array([(crossing.row, crossing.site) for crossing in kept]).reshape(-1, 2)


@dataclass(frozen=True)
class _Crossing:
    row: float
    site: float
    slow: WorldLine
    fast: WorldLine

    def is_same(self, other: _Crossing, width: int) -> bool:
        # On a ring the same two particles meet again every width / speed steps.
        speed = self.fast.velocity - self.slow.velocity
        apart = abs(self.row - other.row)
        if apart >= min(width / (2 * speed), self.slow.stop - self.slow.start):
            return False
        row = (self.row + other.row) / 2
        return all(
            abs(one.velocity - two.velocity) <= ALIKE
            and _ring(one.at(row) - two.at(row), width) <= CONTINUES
            for one, two in ((self.slow, other.slow), (self.fast, other.fast))
        )


def _peaks(values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Mark local maxima over speeds and places of (speeds, windows, width), the outer speeds never.

    A line at the outermost speed is most often the foot of a faster one.
    """
    highest = np.maximum(values, np.maximum(np.roll(values, 1, 2), np.roll(values, -1, 2)))
    padded = np.pad(highest, ((1, 1), (0, 0), (0, 0)), constant_values=np.inf)
    return values >= np.maximum(highest, np.maximum(padded[:-2], padded[2:]))


def _refined(brightness: NDArray[np.float32], velocities: Array, peak: int) -> float:
    """Return the vertex of the parabola through the brightness of three neighbouring speeds."""
    low, mid, high = (float(value) for value in brightness[peak - 1 : peak + 2])
    bend = low - 2 * mid + high
    shift = 0.5 * (low - high) / bend if bend < 0 else 0.0
    return float(velocities[peak] + shift * (velocities[1] - velocities[0]))


def _meetings(slow: WorldLine, fast: WorldLine, width: int) -> list[tuple[float, float]]:
    """List rows and sites where two lines of one window meet on the ring."""
    speed = fast.velocity - slow.velocity
    if speed <= 0:
        return []
    lead = [fast.at(row) - slow.at(row) for row in (slow.start, slow.stop - 1)]
    rounds = np.arange(np.ceil(lead[0] / width), np.floor(lead[1] / width) + 1)
    rows = slow.start + (rounds * width - lead[0]) / speed
    return [(float(row), slow.at(float(row)) % width) for row in rows]


def _apart(slow: WorldLine, fast: WorldLine, field: Array) -> bool:
    """Tell whether two lines are two particles: a broad one would fill the space between."""
    width = field.shape[1]
    rows = np.arange(slow.start, slow.stop)
    left = np.array([slow.at(int(row)) for row in rows])
    gap = (np.array([fast.at(int(row)) for row in rows]) - left + width / 2) % width - width / 2
    height = [field[rows, np.round(left + part * gap).astype(int) % width] for part in (0, 0.5, 1)]
    return bool((height[1] < VALLEY * np.minimum(height[0], height[2])).mean() >= APART_ROWS)


def _ring(sites: float, width: int) -> float:
    """Return a distance round the ring, the short way."""
    return abs((sites + width / 2) % width - width / 2)

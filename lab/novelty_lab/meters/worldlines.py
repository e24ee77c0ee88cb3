"""World lines: how much of a field's amplitude stays on straight lines x = x0 + v t of a ring.

Lines are judged in windows of time, since a particle lives from one collision to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

Array = NDArray[np.float64]
Small = NDArray[np.float32]

BLUR = (2.0, 1.5)  # steps and sites, standard deviations: bridges a particle's inner clockwork
SITES_PER_WINDOW = 3  # speeds searched are that far apart


@dataclass(frozen=True)
class Coherence:
    """What the lines of each window hold.

    Args:
        excess: amplitude less its mean over the window, (windows, rows, width).
        lines: coherence of the line at speed v through site x at mid-window, (speeds, windows,
            width).
        brightness: mean of the excess along the same lines.
        moving: the largest coherence of the moving lines through a site, (windows, rows, width).
        standing: the same of the standing lines.
    """

    excess: Small
    lines: Small
    brightness: Small
    moving: Small
    standing: Small

    @property
    def power(self) -> Small:
        """Power above the mean, (windows, rows, width), summing to one."""
        power = np.square(np.maximum(self.excess, 0))
        return power / power.sum()


def amplitude(power: Array) -> Array:
    """Return the root of power (time, width), averaged over a Gaussian neighbourhood."""
    steps, sites = BLUR
    spread = gaussian_filter1d(power, sites, axis=1, mode="wrap", radius=round(3 * sites))
    blurred = gaussian_filter1d(spread, steps, axis=0, mode="mirror", radius=round(3 * steps))
    return np.sqrt(blurred)


def window_starts(time: int, window: int) -> NDArray[np.int64]:
    """Return the first rows of windows that overlap by half and cover all of time."""
    count = -(-2 * (time - window) // window) + 1
    return np.round(np.linspace(0, time - window, count)).astype(int)


def speeds(max_speed: float, window: int) -> Array:
    """Return the speeds searched, symmetric about zero, 3 sites a window apart.

    One on either side is beyond the maximum: a peak at the maximum has two neighbours.
    """
    count = int(np.ceil(max_speed * window / SITES_PER_WINDOW)) + 1
    return np.arange(-count, count + 1) * SITES_PER_WINDOW / window


def line_offsets(velocity: float, window: int) -> NDArray[np.int64]:
    """Return the sites a line is from its mid-window place, row by row."""
    return np.round(velocity * (np.arange(window) - (window - 1) / 2)).astype(int)


def coherence(field: Array, velocities: Array, window: int, min_speed: float) -> Coherence:
    """Judge all lines of an amplitude field (time, width).

    With u the amplitude less its mean over the window, a line has the coherence

        max(0, sum u)^2 / (window * sum u^2),

    sums over its sites: the semblance of seismology, for bright lines. It is 1 if the amplitude
    is the same all along, and 1 / window on average for independent values.
    """
    stacked = np.stack([field[i : i + window] for i in window_starts(len(field), window)])
    excess = (stacked - stacked.mean((1, 2), keepdims=True)).astype(np.float32)
    sites, rows = np.arange(field.shape[1]), np.arange(window)[:, None]
    lines = np.empty((len(velocities), len(stacked), field.shape[1]), np.float32)
    brightness = np.empty_like(lines)
    moving, standing = np.zeros_like(excess), np.zeros_like(excess)
    for i, velocity in enumerate(velocities):
        offsets = line_offsets(velocity, window)[:, None]
        along = excess[:, rows, (sites + offsets) % sites.size]
        brightness[i] = along.mean(1)
        power = np.einsum("nrw,nrw->nw", along, along) / window
        # A line of exact zeros is of no power and gets no coherence.
        power = np.maximum(power, np.finfo(np.float32).tiny)
        lines[i] = np.square(np.maximum(brightness[i], 0)) / power
        best = standing if abs(velocity) < min_speed else moving
        np.maximum(best, lines[i][:, (sites - offsets) % sites.size], out=best)
    return Coherence(excess, lines, brightness, moving, standing)


def rearranged(power: Array, block: int, shifts: NDArray[np.int64]) -> Array:
    """Move each block of rows round the ring by its own shift.

    Rows within a block stay together: what lives for less than a block is the same as before,
    and no line is longer than a block but by chance.
    """
    moved = np.empty_like(power)
    for i, shift in enumerate(shifts):
        rows = slice(i * block, (i + 1) * block)
        moved[rows] = np.roll(power[rows], shift, axis=1)
    return moved

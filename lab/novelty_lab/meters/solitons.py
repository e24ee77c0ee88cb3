"""The soliton meter: how much of a space-time field travels, how fast, and how often it crosses."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import numpy_generator
from novelty_lab.meters.crossings import WorldLine, find_crossings, find_lines
from novelty_lab.meters.domain import Domain, find_domain, remove_domain
from novelty_lab.meters.worldlines import Coherence, amplitude, coherence, rearranged, speeds

Array = NDArray[np.float64]

MAX_SPEED, MIN_SPEED = 2.0, 0.1  # sites per step: the fastest line searched, and what stands
WINDOW = 48  # steps of a line; particles that live for less are not seen
CHANCE = 0.05  # share of the power of rearranged fields that passes for straight
BLOCKS = 6  # rearranged blocks in a window: shorter structures are left whole
NOTHING = 1e-6  # share of the variance below which a residual is rounding
LEAST_SHARE = 0.05  # velocities of smaller shares are not listed


@dataclass(frozen=True)
class Solitons:
    """What travels in a field."""

    remaining: float
    """Share of the field's variance left by the background."""
    domain: Domain
    """The background removed."""
    travelling: float = 0.0
    """Share of the residual's power on moving world lines, 0 to 1, above chance."""
    standing: float = 0.0
    """The same on lines slower than ``MIN_SPEED``."""
    velocities: list[tuple[float, float]] = field(default_factory=list)
    """Sites per step, and share of the residual's power, largest share first."""
    crossings: int = 0
    """How often moving world lines of different velocity cross; 0 if nothing travels."""
    chance_crossings: float = 0.0
    """The same count in the rearranged field: what not to make much of."""


def measure_solitons(history: ArrayLike | Tensor) -> Solitons:
    """Measure what travels along straight lines over the background of a field on a ring.

    1. Background: what repeats across space and in another direction (``domain``). A plane
       wave or a stripe pattern is background, however it moves: it leaves nothing to travel.
    2. Lines: every site of the residual's amplitude gets the largest coherence of the lines
       through it, in windows of ``WINDOW`` steps; it moves if a moving line beats the standing
       ones (``worldlines``).
    3. Chance: with m the share of power on moving lines beyond the coherence that 5% of the power
       reaches when blocks of ``WINDOW`` / 6 rows are moved round the ring at random, and m0 that
       share after such moves, travelling = (m - m0) / (1 - m0), or 0 if that is negative.

    A random pattern carried along as a whole repeats in one direction only, so it is no
    background: all of it travels, at one velocity, without crossings.

    Args:
        history: (time, width) or (time, channels, width); channels are coordinates of a vector.

    Raises:
        ValueError: on a field that is not finite, or too small.

    >>> ring = np.random.default_rng(0).standard_normal(64)
    >>> solitons = measure_solitons(np.stack([np.roll(ring, step) for step in range(128)]))
    >>> solitons.travelling > 0.9, solitons.crossings, round(solitons.velocities[0][0])
    (True, 0, 1)
    """
    values = _checked(history)
    domain = find_domain(values)
    residual = remove_domain(values, domain)
    variance = float(values.var(axis=(0, 2)).sum())
    power = np.square(residual).sum(1)
    seen = amplitude(power)
    remaining = float(residual.var(axis=(0, 2)).sum()) / variance if variance > 0 else 0.0
    # A residual of rounding errors, or one of the same amplitude everywhere, shows no lines.
    if remaining <= NOTHING or seen.var() <= NOTHING * power.mean():
        return Solitons(remaining, domain)
    velocities = speeds(MAX_SPEED, WINDOW)
    fields = [seen, *_rearranged_amplitudes(power)]
    observed, *chance = [coherence(one, velocities, WINDOW, MIN_SPEED) for one in fields]
    bar = _bar(chance)
    travelling, standing = _above_chance(observed, chance, bar)
    if travelling == 0:
        return Solitons(remaining, domain, standing=standing)
    lines = [find_lines(one, velocities, len(values), bar) for one in (observed, *chance)]
    crossings, *by_chance = [
        len(find_crossings(one, over, MIN_SPEED)) for one, over in zip(lines, fields, strict=True)
    ]
    moving = [line for group in lines[0] for line in group if abs(line.velocity) >= MIN_SPEED]
    main = _main_velocities(moving, velocities[1] - velocities[0], travelling)
    chance_crossings = float(np.mean(by_chance))
    return Solitons(remaining, domain, travelling, standing, main, crossings, chance_crossings)


def _checked(history: ArrayLike | Tensor) -> Array:
    if isinstance(history, Tensor):
        history = history.detach().to(torch.float64).cpu().numpy()
    values = np.asarray(history, dtype=np.float64)
    if values.ndim == 2:
        values = values[:, None]
    if values.ndim != 3 or values.shape[1] < 1:
        raise UserError(
            f"expected a field (time, width) or (time, channels, width), got shape {values.shape}"
        )
    if len(values) < 2 * WINDOW or values.shape[2] < 32:
        raise UserError(
            f"expected at least {2 * WINDOW} time steps and a width of at least 32, got "
            f"{len(values)} and {values.shape[2]}"
        )
    if not bool(np.isfinite(values).all()):
        raise UserError("expected a finite field, got NaN or infinite values")
    return values


def _rearranged_amplitudes(power: Array) -> list[Array]:
    """Draw two rearrangements, by shifts and their opposites: mirrored fields get mirrored ones."""
    block, generator = WINDOW // BLOCKS, numpy_generator(0, "shifts")
    shifts = generator.integers(power.shape[1], size=-(-len(power) // block))
    return [amplitude(rearranged(power, block, moves)) for moves in (shifts, -shifts)]


def _bar(chance: list[Coherence]) -> float:
    """Return the coherence beyond which lies 5% of the rearranged fields' power."""
    best = np.concatenate([np.maximum(one.moving, one.standing).ravel() for one in chance])
    power = np.concatenate([one.power.ravel() for one in chance])
    order = best.argsort()
    below = np.cumsum(power[order], dtype=np.float64)
    return float(best[order][np.searchsorted(below, (1 - CHANCE) * below[-1])])


def _above_chance(observed: Coherence, chance: list[Coherence], bar: float) -> tuple[float, float]:
    """Return the travelling and the standing share, each (m - m0) / (1 - m0) or 0."""

    def shares(one: Coherence) -> Array:
        moves = one.moving > one.standing
        passing = [moves & (one.moving > bar), ~moves & (one.standing > bar)]
        return np.array([one.power[mask].sum(dtype=np.float64) for mask in passing])

    by_chance = np.mean([shares(one) for one in chance], axis=0)
    travelling, standing = np.maximum(0, (shares(observed) - by_chance) / (1 - by_chance))
    return float(travelling), float(standing)


def _main_velocities(
    lines: list[WorldLine], resolution: float, total: float
) -> list[tuple[float, float]]:
    """Gather lines into peaks of their power over velocity; all shares, small ones too, add up.

    The line with the most power within one and a half resolutions gathers it, then the next one
    of those left.
    """
    velocity = np.array([line.velocity for line in lines])
    power = np.array([line.power for line in lines])
    power = total * power / power.sum() if len(lines) else power
    gathered: list[tuple[float, float]] = []
    while power.size and power.max() > 0:
        near = np.abs(velocity[:, None] - velocity) <= 1.5 * resolution
        mine = near[int((near @ power).argmax())]
        share = float(power[mine].sum())
        if share < LEAST_SHARE:
            break
        gathered.append((float(velocity[mine] @ power[mine] / share), share))
        velocity, power = velocity[~mine], power[~mine]
    return gathered

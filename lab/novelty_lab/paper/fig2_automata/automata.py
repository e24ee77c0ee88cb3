"""The automaton observer on counted patterns, shared by the experiments on elementary automata."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.denoise import Denoised, Edge
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Moments, Rows
from learnable_novelty.seeds import Seed, numpy_generator, split
from novelty_lab.settings import Settings
from novelty_lab.systems.elementary import ElementaryRule, unique_rules
from novelty_lab.systems.patterns import PatternTable, count_patterns, pattern_cells, site_codes

EDGE_REPEATS = 8
"""Rearrangements of the residuals that tell where the roots of noise end."""
RADIUS_HELD = 3
"""Up to this receptive radius the features of all 2^(2r+1) patterns are held."""


@dataclass(frozen=True)
class AutomatonConfig(Settings):
    """How elementary automata are sampled and observed (table 2)."""

    samples: int = 512
    """Rings per rule and draw, N."""
    burn_in: int = 1000
    """Steps before the input is taken."""
    window: int = 32
    """Future steps that make the target, tau."""
    channels: int = 256
    """Reservoir channels, m."""
    depth: int = 3
    """Reservoir layers; the receptive radius is (depth - 1) * (kernel_size // 2)."""
    kernel_size: int = 3
    """Sites that a layer reads, one in the last layer."""
    ridge_penalty: float = 0.03
    """lambda."""
    resolution: float = 1.0
    """eta."""
    linear_last: bool = True
    """Whether the last layer is linear, as the paper's text has it."""
    draws: int = 10
    """Independent draws of reservoir and ensemble."""


@functools.lru_cache(maxsize=32)
def automaton_observer(config: AutomatonConfig, seed: int, draw: int) -> Observer:
    """Make the observer of one draw; all rules of a draw meet the same reservoir, made once."""
    reservoir = reservoirs.Conv1d(
        1,
        config.channels,
        config.depth,
        config.kernel_size,
        linear_last=config.linear_last,
        seed=split(seed, "reservoir", draw),
    )
    return Observer(reservoir, ridge_penalty=config.ridge_penalty, resolution=config.resolution)


def sample_rule(config: AutomatonConfig, rule: int, seed: Seed, draw: int) -> np.ndarray:
    """Draw the ensemble of one draw, packed: (window + 1, samples)."""
    child = split(seed, "ensemble", rule, draw)
    return ElementaryRule(rule).sample_words(config.samples, config.burn_in, config.window, child)


def sample_draws(config: AutomatonConfig, rule: int, seed: Seed) -> np.ndarray:
    """Draw the ensembles of all draws at once: (draws, window + 1, samples), each as above."""
    seeds = [split(seed, "ensemble", rule, draw) for draw in range(config.draws)]
    return ElementaryRule(rule).sample_ensembles(
        config.samples, config.burn_in, config.window, seeds
    )


def pattern_rows(reservoir: reservoirs.Reservoir, table: PatternTable) -> Rows:
    """Make one weighted regression row per pattern."""
    if reservoir.receptive_radius <= RADIUS_HELD:
        features = every_pattern(reservoir, reservoir.seed)[torch.from_numpy(table.codes)]
    else:
        features = pattern_features(reservoir, table.codes)
    counts = torch.from_numpy(table.counts)
    return Rows(features, torch.from_numpy(table.target_sums) / counts[:, None], counts)


@functools.lru_cache(maxsize=32)
def every_pattern(reservoir: reservoirs.Reservoir, seed: int) -> torch.Tensor:
    """Compute the features of all patterns that a reservoir of this seed can see, once."""
    return pattern_features(reservoir, np.arange(1 << (2 * reservoir.receptive_radius + 1)))


@torch.no_grad()
def pattern_features(reservoir: reservoirs.Reservoir, codes: np.ndarray) -> torch.Tensor:
    """Compute the features of patterns, (num_patterns, feature_dim).

    A ring of exactly 2r + 1 cells, read at its centre, is what a site sees of any ring.
    """
    radius = reservoir.receptive_radius
    rings = torch.from_numpy(pattern_cells(codes, radius)).double()[:, None, :]
    return reservoir(rings)[:, :, radius]


def rule_rows(observer: Observer, history: np.ndarray) -> Rows:
    """Count the sites of packed rings and their futures, and make rows of them."""
    table = count_patterns(history[0], history[1:], observer.reservoir.receptive_radius)
    return pattern_rows(observer.reservoir, table)


def rule_tasks(config: AutomatonConfig, seed: int) -> dict[str, tuple[AutomatonConfig, int, int]]:
    """Make one task per rule of the 88."""
    return {str(rule): (config, rule, seed) for rule in unique_rules()}


def ranking(means: dict[str, float]) -> list[str]:
    """Order names by score, the highest first."""
    return sorted(means, key=lambda name: -means[name])


def ranks(means: dict[str, float]) -> dict[str, int]:
    """Return the rank of every name, 1 being the highest."""
    return {name: place for place, name in enumerate(ranking(means), start=1)}


def table_moments(reservoir: reservoirs.Reservoir, table: PatternTable) -> Moments:
    """Compute the moments of all sites, the scatter of targets within a pattern included."""
    rows = pattern_rows(reservoir, table)
    counts = torch.from_numpy(table.counts)
    sums = torch.from_numpy(table.target_sums)
    return Moments.grouped(rows.features, counts, sums, torch.from_numpy(table.target_products))


def floor_bits(observer: Observer, history: np.ndarray, repeats: int, seed: Seed) -> float:
    """Score the residuals of a rule, whole rings moved to other rings and rotated."""
    rows = moved_residuals(observer, history, repeats, seed)
    scored = [float(observer.bits(some)) for some in rows]
    return float(np.mean(scored)) if scored else math.nan


def denoised_rule(observer: Observer, history: np.ndarray, seed: Seed) -> Denoised:
    """Denoise the readout of a rule; moved residuals tell the noise of rings whose sites depend."""
    table = count_patterns(history[0], history[1:], observer.reservoir.receptive_radius)
    fit = observer.fit(table_moments(observer.reservoir, table))
    crosses = [
        observer.moments(rows).standardized(observer.target_unit).cross
        for rows in moved_residuals(observer, history, EDGE_REPEATS, seed, ridge=False)
    ]
    roots = fit.noise_roots(fit.axes.basis.T @ torch.stack(crosses))
    return fit.denoised(Edge(fit.split.noise.law, measured=roots))


def moved_residuals(
    observer: Observer, history: np.ndarray, repeats: int, seed: Seed, *, ridge: bool = True
) -> Iterator[Rows]:
    """Yield the residuals of a rule, whole rings moved to other rings and rotated.

    A residual is the target less what its pattern predicts, so the sums over the sites of a
    pattern need only the moved targets and how often each pattern lands on each other one:
    sum_p R = sum_p Y_moved - J prediction, J the joint counts. Exact, as from every site.
    """
    radius = observer.reservoir.receptive_radius
    table = count_patterns(history[0], history[1:], radius)
    rows = pattern_rows(observer.reservoir, table)
    fit = observer.fit(rows)
    root = torch.from_numpy(np.sqrt(table.counts))[:, None]
    mean = torch.from_numpy(table.target_sums.sum(0) / table.counts.sum())
    readout = fit.readout() if ridge else fit.least_squares()
    freedom = fit.residual_freedom() if ridge else fit.split.freedom
    scale = math.sqrt((fit.axes.count - 1) / freedom)
    prediction = mean + fit.components @ readout / root
    for repeat in range(repeats):
        moved = move_rings(history, numpy_generator(seed, "floor", repeat))
        joint = joint_counts(history[0], moved[0], radius)
        sums = count_patterns(history[0], moved[1:], radius).target_sums
        residual = torch.from_numpy(sums) - torch.from_numpy(joint) @ prediction
        targets = scale * residual / torch.from_numpy(table.counts)[:, None]
        yield Rows(rows.features, targets, rows.weights)


def move_rings(history: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Give every ring the whole history of another one, rotated by a random amount."""
    samples = history.shape[1]
    order = generator.permutation(samples)
    shift = generator.integers(0, 64, size=samples, dtype=np.uint64)
    words = history[:, order]
    back = (np.uint64(64) - shift) % np.uint64(64)
    return (words << shift) | np.where(shift == 0, np.uint64(0), words >> back)


def joint_counts(words: np.ndarray, moved: np.ndarray, radius: int) -> np.ndarray:
    """Count how often each pattern of the rings meets each pattern of the moved rings."""
    size = 1 << (2 * radius + 1)
    codes, others = site_codes(words, radius), site_codes(moved, radius)
    joint = np.bincount(codes * size + others, minlength=size * size).reshape(size, size)
    seen = np.flatnonzero(joint.sum(1))
    return joint[np.ix_(seen, seen)].astype(np.float64)

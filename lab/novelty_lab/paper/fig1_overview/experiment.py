"""Figure 1 with real numbers: surprise and its learnable part; how bits grow.

(a) A learner meets a stream one item at a time, predicts each item before it sees it, pays the
surprise and updates. The stream follows a rule in a little noise, is all noise, or is constant.
Surprise is -log2 of the probability that the prediction gives to the observed bin of width
``precision``. Its sum above the level at which the learner ends is what it paid to learn. Noise
costs something too: finding out that no weight predicts anything.

(b) The score of a rule against the scale of its targets, the number of copies of one target, and
the number of independent targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.settings import Settings

NOISE_LEVELS = 2.0 ** np.arange(1, -11, -1)
"""Noise deviations that the learner holds possible, in units of the targets."""
PRIOR_DEVIATION = 10.0
"""Size of the weights that it expects."""

STREAMS = ("a rule in noise", "noisy television", "dark room")


@dataclass(frozen=True)
class Config(Settings):
    """Streams, learner, and the ranges of panel b."""

    length: int = 2000
    """Items of a stream."""
    repeats: int = 32
    """Streams of each kind that are averaged."""
    noise: float = 0.1
    """Deviation of the noise around the rule; the rule itself has deviation 1."""
    precision: float = 0.02
    """Width of the bins that items are read in."""
    width: int = 64
    """Features of the learner, and of the observer of panel b."""
    ridge_penalty: float = 0.1
    """Ridge of the observer of panel b."""
    samples: int = 512
    """Pairs that panel b scores."""
    directions: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    """Numbers of copies and of independent targets."""
    scales: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
    """Scales of the targets."""
    draws: int = 8
    """Reservoirs that panel b averages over."""


PAPER = Config()
QUICK = Config(length=120, repeats=4, samples=128, draws=2, directions=(1, 4, 16))


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Run the streams and the growth curves."""
    curves = context.map(surprise, {name: (config, name, seed) for name in STREAMS})
    growth = context.map(
        grow, {axis: (config, axis, seed) for axis in ("scale", "copies", "directions")}
    )
    entropy = {
        STREAMS[0]: entropy_floor(config.noise, config.precision),
        STREAMS[1]: entropy_floor(1.0, config.precision),
        STREAMS[2]: 0.0,
    }
    bits = {name: np.array(curve["bits"]) for name, curve in curves.items()}
    # What a coder who knew the noise would pay for the very same items: comparing with it, and
    # not with the entropy, keeps the luck of the draw out of the sums.
    regret = {name: bits[name] - np.array(curve["ideal"]) for name, curve in curves.items()}
    # The floor of a bounded learner is where it ends: what it cannot learn stays surprising.
    # Without a rule there is nothing that it cannot learn.
    misfit = dict.fromkeys(STREAMS, np.zeros((config.repeats, 1)))
    misfit[STREAMS[0]] = regret[STREAMS[0]][:, -config.length // 4 :].mean(1, keepdims=True)
    sums = {name: (regret[name] - misfit[name]).sum(1) for name in STREAMS}
    learnable = {name: float(values.mean()) for name, values in sums.items()}
    results = {
        "bits_above_floor_se": {
            name: float(deviation(values)) / values.size**0.5 for name, values in sums.items()
        },
        "floor_bits_per_item": {
            name: entropy[name] + float(misfit[name].mean()) for name in STREAMS
        },
        "noise_bits_per_item": entropy,
        "bits_above_floor": learnable,
        "total_bits": {name: float(values.sum(1).mean()) for name, values in bits.items()},
        "growth": growth,
    }
    arrays = {f"surprise {name}": values.mean(0) for name, values in bits.items()}
    return RunResult(results, learnable, arrays)


def entropy_floor(deviation: float, precision: float) -> float:
    """Return the entropy of Gaussian noise read in bins, bits: log2(sd sqrt(2 pi e) / width)."""
    return math.log2(deviation * math.sqrt(2 * math.pi * math.e) / precision)


def make_stream(
    config: Config, name: str, generator: np.random.Generator
) -> tuple[Tensor, Tensor, np.ndarray]:
    """Make inputs (length, 2), one target each, and the bits of the noise in each target."""
    x = generator.standard_normal((config.length, 2))
    noise = generator.standard_normal(config.length)
    if name == STREAMS[2]:
        ones = torch.ones(config.length, dtype=torch.float64)
        return torch.ones(config.length, 2, dtype=torch.float64), ones, np.zeros(config.length)
    if name == STREAMS[0]:
        deviation, rule = config.noise, np.sqrt(2) * np.sin(1.5 * x[:, 0] + x[:, 1])
    else:
        deviation, rule = 1.0, np.zeros(config.length)
    spread = np.full(config.length, deviation)
    ideal = -np.log2(bin_probability(deviation * noise, spread, config.precision))
    return torch.from_numpy(x), torch.from_numpy(rule + deviation * noise), ideal


def surprise(config: Config, name: str, seed: int) -> dict[str, list[list[float]]]:
    """Return the surprise per item of every stream of one kind, in bits, (repeats, length).

    Beside it what a coder pays who knows the rule and the noise.
    """
    paid: dict[str, list[list[float]]] = {"bits": [], "ideal": []}
    for repeat in range(config.repeats):
        x, y, ideal = make_stream(config, name, numpy_generator(seed, name, repeat))
        reservoir = reservoirs.MLP(2, config.width, 4, seed=split(seed, "reservoir", repeat))
        features = reservoir(x) / config.width**0.5
        paid["bits"].append(prequential_bits(features, y, config.precision).tolist())
        paid["ideal"].append(ideal.tolist())
    return paid


def prequential_bits(features: Tensor, targets: Tensor, precision: float) -> np.ndarray:
    """Pay for each item before learning from it, eq. (prequential).

    A Bayesian mixture of Gaussian regressions on the features and a constant, one for each noise
    deviation s: the prediction for item t is Gaussian with mean w'h and variance
    s^2 (1 + h' A^-1 h), A = H'H + (s / PRIOR_DEVIATION)^2 I, and the members are weighted by how
    well they predicted so far. So the learner finds out the noise as it finds out the rule.
    """
    h_all = torch.cat([features, torch.ones_like(features[:, :1])], dim=1).numpy()
    members, m = NOISE_LEVELS.size, h_all.shape[1]
    inverse = np.eye(m) * (PRIOR_DEVIATION / NOISE_LEVELS[:, None, None]) ** 2
    moment = np.zeros(m)
    belief = np.full(members, 1 / members)
    bits = np.empty(len(targets))
    for t, (h, y) in enumerate(zip(h_all, targets.numpy(), strict=True)):
        gain = inverse @ h
        spread = 1 + gain @ h
        probability = bin_probability(y - gain @ moment, NOISE_LEVELS * np.sqrt(spread), precision)
        bits[t] = -math.log2(belief @ probability)
        belief = belief * probability
        belief = 0.9999 * belief / belief.sum() + 0.0001 / members  # no member is ever ruled out
        inverse -= gain[:, :, None] * (gain / spread[:, None])[:, None, :]
        moment += h * y
    return bits


def bin_probability(error: np.ndarray, deviation: np.ndarray, precision: float) -> np.ndarray:
    """Return the Gaussian probability of the bin around each error, never quite zero."""
    low, high = ((np.abs(error) + side * precision / 2) / deviation for side in (-1, 1))
    tails = torch.special.erfc(torch.from_numpy(np.stack([low, high]) / math.sqrt(2))).numpy()
    # Mixed with a sliver of a broad distribution: an outlier costs many bits, not infinitely many.
    return 0.9999 * 0.5 * (tails[0] - tails[1]) + 0.0001 * precision / 20


def grow(config: Config, axis: str, seed: int) -> dict[str, list[float]]:
    """Score a rule as one thing about its targets grows."""
    generator = numpy_generator(seed, "growth")
    x = torch.from_numpy(generator.standard_normal((config.samples, 2)))
    frequency = torch.from_numpy(generator.standard_normal((2, max(config.directions))))
    functions = torch.sin(x @ frequency)
    functions = (functions - functions.mean(0)) / functions.std(0)
    values = list(config.scales) if axis == "scale" else [float(k) for k in config.directions]
    bits = np.zeros((config.draws, len(values)))
    for draw in range(config.draws):
        reservoir = reservoirs.MLP(2, config.width, 4, seed=split(seed, "growth", draw))
        observer = Observer(reservoir, ridge_penalty=config.ridge_penalty)
        for place, value in enumerate(values):
            if axis == "scale":
                targets = value * functions[:, :1]
            elif axis == "copies":
                targets = functions[:, :1].repeat(1, int(value))
            else:
                targets = functions[:, : int(value)]
            bits[draw, place] = float(observer(x, targets))
    return {"values": values, "mean": bits.mean(0).tolist(), "sd": deviation(bits, 0).tolist()}

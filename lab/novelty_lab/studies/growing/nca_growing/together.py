"""Climb the score, and let the observer grow where the score stops rising.

A run is a sequence of phases. In each the automaton climbs the score of one observer, at a constant
learning rate. A phase ends when the score has stopped rising: for ``patience`` steps its mean over
``smooth`` steps has not exceeded by ``rise`` bits what it reached before. The observer then grows
on new states of the present rule (``Growing``: wider, deeper or focused, whichever shortens their
description most), and the next phase begins. Where nothing shortens it the observer stays, and the
next growth waits twice as long. The last phase has no growth, and its learning rate falls to zero.

All arms have the same budget of multiplications. For each site a step takes

    (burn_in + 3 window) hidden (reads + hidden + 2)   by the rule, whose backward pass counts twice
    + sum_l fan_in_l m + reads^2 + m (m + 3 D)         by the observer: layers, focus, readout

and a growth ``TRIAL_COST`` times the second part for every reservoir that it tries.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import torch

from learnable_novelty.observer import Focused, Growing, Growth, Observer, reservoirs
from learnable_novelty.seeds import split
from novelty_lab.ascent import Ascended, Ascent, AscentConfig
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.paper.fig3_neural.nca.experiment import Config as AutomatonConfig
from novelty_lab.paper.fig3_neural.nca.neural import (
    arithmetic,
    as_vector,
    clone_in_double,
    neural_automaton,
    neural_observer,
    sample,
)
from novelty_lab.settings import Settings, choice
from novelty_lab.systems import NeuralCA, Update

Arm = Literal["frozen", "large", "growing"]
ARMS: tuple[Arm, ...] = ("frozen", "large", "growing")
TRIAL_COST = 4
"""A fit by triangular roots, the errors, and the gradient, in products of one reading."""
CHECK_EVERY = 10
"""Steps between looks at the score."""
CHANNELS, KERNEL = 2, 3
"""Of the automaton's state, and of the observer's convolutions."""


@dataclass(frozen=True)
class GrowthConfig(Settings):
    """When and how the observer grows."""

    smooth: int = 50
    """Steps that the score is averaged over."""
    rise: float = 0.5
    """Bits by which this mean must exceed what it reached before."""
    patience: int = 150
    """Steps without such a rise after which the observer grows."""
    annealed: float = 0.2
    """Share of the budget that the last phase has."""
    most_features: int = 768
    """The widest observer that is tried; a growth at most doubles the width."""
    rounds: int = 1
    """Rounds of focus that are tried at each growth."""
    samples: int = 256
    """New states that decide how to grow."""
    large_channels: int = 768
    """Width of the control that is large from the start."""
    large_depth: int = 4
    """Layers of that control."""


@dataclass(frozen=True)
class TogetherConfig(Settings):
    """What all arms share."""

    nca: AutomatonConfig
    """The automaton, its observer at the start, its ascent, and how it is judged. ``steps`` is the
    budget, in steps of the frozen arm."""
    growth: GrowthConfig
    """When and how the observer grows."""
    arms: tuple[str, ...] = choice(ARMS)
    """The paper's observer; one that is large from the start; one that grows."""


@dataclass(frozen=True)
class Phase:
    """An ascent against one observer, and the growth that follows it."""

    observer: Observer
    begin: float
    """Compute before it, in steps of the frozen arm."""
    step_cost: float
    """Of a step, in the same unit."""
    annealed: bool
    """Whether it is the last phase."""
    ascended: Ascended
    weights: np.ndarray
    """Of the rule at its end, as a vector."""
    growth: Growth | None
    """None where the score had not stopped rising when the budget ended."""

    @property
    def end(self) -> float:
        """Compute after it."""
        return self.begin + len(self.ascended.scores) * self.step_cost

    def describe(self) -> dict[str, Any]:
        """Return what a record holds of it."""
        reservoir = self.observer.reservoir
        return {
            "begin": self.begin,
            "end": self.end,
            "steps": len(self.ascended.scores),
            "step_cost": self.step_cost,
            "annealed": self.annealed,
            "channels": reservoir.feature_dim,
            "depth": reservoir.layers,
            "focused": isinstance(reservoir, Focused),
            "tried": [] if self.growth is None else [asdict(step) for step in self.growth.steps],
        }


def has_stalled(scores: Sequence[float], *, smooth: int, rise: float, patience: int) -> bool:
    """Tell whether a score has stopped rising; the arguments are those of ``GrowthConfig``."""
    if len(scores) < smooth + patience:
        return False
    means = np.convolve(scores, np.full(smooth, 1 / smooth), "valid")
    return bool(means[-patience:].max() < means[:-patience].max() + rise)


def observer_cost(config: AutomatonConfig, reservoir: reservoirs.Reservoir) -> float:
    """Count the observer's multiplications for a site."""
    depth, focused = reservoir.layers, isinstance(reservoir, Focused)
    assert depth is not None
    return size_cost(config, reservoir.feature_dim, depth, focused=focused)


def size_cost(config: AutomatonConfig, width: int, depth: int, *, focused: bool) -> float:
    """Count them for a convolution of kernel 3, whose last layer has kernel 1."""
    reads = KERNEL * CHANNELS
    fan_ins = reads + KERNEL * width * (depth - 2) + width
    readout = width * (width + 3 * CHANNELS * config.window)
    return fan_ins * width + reads**2 * focused + readout


def rule_cost(config: AutomatonConfig) -> float:
    """Count the rule's multiplications for a site."""
    reads = CHANNELS * (2 * config.radius + 1)
    applied = config.burn_in + 3 * config.window
    return applied * config.hidden * (reads + config.hidden + CHANNELS)


def first_observer(config: TogetherConfig, arm: str, seed: int) -> Observer:
    """Draw the observer that an arm begins with."""
    observer = neural_observer(config.nca, split(seed, "observer"))
    if arm != "large":
        return observer
    growth = config.growth
    return with_reservoir(
        observer, observer.reservoir.resized(growth.large_channels, growth.large_depth)
    )


def with_reservoir(observer: Observer, reservoir: reservoirs.Reservoir) -> Observer:
    """Return an observer with another reservoir."""
    penalty, unit = observer.ridge_penalty, observer.target_unit
    return Observer(reservoir, ridge_penalty=penalty, target_unit=unit)


def climb_together(
    config: TogetherConfig,
    update: Update,
    arm: str,
    seed: int,
    device: str,
    task: TaskContext = NO_CHECKPOINTS,
) -> Iterator[Phase]:
    """Train one automaton, phase by phase, until the budget is spent.

    With a directory every phase keeps checkpoints in a folder of its own. A run that was cut off
    goes on in the phase that it was in; a growth that was cut off starts over from the same rule.
    """
    nca = config.nca
    automaton = neural_automaton(nca, update, split(seed, "automaton")).to(device)
    observer, begin, waits = first_observer(config, arm, seed), 0.0, config.growth.patience
    unit = rule_cost(nca) + observer_cost(nca, first_observer(config, "frozen", seed).reservoir)
    constant = (1 - config.growth.annealed) * nca.steps
    with arithmetic(nca.precision):
        _settle(nca, automaton, seed)
    for number in itertools.count():
        cost = (rule_cost(nca) + observer_cost(nca, observer.reservoir)) / unit
        annealed = constant - begin < cost
        steps = int(((nca.steps if annealed else constant) - begin) / cost)
        if steps < 1:
            return
        climb = AscentConfig(
            steps=steps, learning_rate=nca.learning_rate, weight_decay=nca.weight_decay,
            annealing="cosine" if annealed else "none", score_scale=nca.score_scale,
            clip=nca.clip, clip_by=nca.clip_by, check_every=CHECK_EVERY, graph=True,
            checkpoint_every=math.ceil(nca.steps / nca.snapshots / cost),
        )  # fmt: skip
        ascent = Ascent(
            automaton,
            observer,
            lambda generator: sample(nca, automaton, generator),
            climb,
            seed=split(seed, "batches", number),
            directory=None if task.directory is None else task.directory / f"phase-{number}",
        )
        rule = {"smooth": config.growth.smooth, "rise": config.growth.rise, "patience": waits}
        may_grow = arm == "growing" and not annealed
        stop = functools.partial(has_stalled, **rule) if may_grow else None
        with arithmetic(nca.precision):
            ascended = ascent.run(resume=task.directory is not None, report=task.report, stop=stop)
        growth = None
        if len(ascended.scores) < steps:
            growth = grown(config, automaton, observer, split(seed, "growth", number))
        weights = as_vector(clone_in_double(automaton).state_dict())
        phase = Phase(observer, begin, cost, annealed, ascended, weights, growth)
        yield phase
        if annealed:
            return
        begin = phase.end
        if growth is not None:
            begin += growth_cost(config, growth) / unit
            observer = with_reservoir(observer, growth.observer.reservoir)
            waits = config.growth.patience if growth.has_grown else 2 * waits


def _settle(config: AutomatonConfig, automaton: NeuralCA, seed: int) -> None:
    """Give the untrained rule running moments, so that it can be looked at too."""
    device = next(automaton.parameters()).device
    generator = torch.Generator(device).manual_seed(split(seed, "settle"))
    states = automaton.random_states(config.batch, config.width, generator=generator)
    automaton.burn_in(states, config.burn_in)


def grown(config: TogetherConfig, automaton: NeuralCA, observer: Observer, seed: int) -> Growth:
    """Grow an observer on new states of a rule, in float64."""
    inputs, targets = new_states(config.nca, automaton, config.growth.samples, seed)
    width = observer.reservoir.feature_dim
    growing = Growing(
        observer.reservoir,
        ridge_penalty=observer.ridge_penalty,
        most_features=max(width, min(2 * width, config.growth.most_features)),
        rounds=config.growth.rounds,
    )
    return growing.grow(inputs, targets, seed=seed)


def growth_cost(config: TogetherConfig, growth: Growth) -> float:
    """Count the multiplications of a growth, for a site of the training batch."""
    costs = (
        size_cost(config.nca, step.width, step.depth or 0, focused=step.rounds > 0)
        for step in growth.steps
    )
    return TRIAL_COST * sum(costs) * config.growth.samples / config.nca.batch


@torch.no_grad()
def new_states(
    config: AutomatonConfig, automaton: NeuralCA, samples: int, seed: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Make states of a rule that training has not seen, and what follows them, in float64."""
    device = next(automaton.parameters()).device
    rule = clone_in_double(automaton).to(device)
    generator = torch.Generator(device).manual_seed(split(seed, "states"))
    return sample(dataclasses.replace(config, batch=samples), rule, generator)

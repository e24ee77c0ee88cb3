"""Appendix F: the score of six continuous-time flows.

PAPER is the paper's observer: MLP of depth 4 and width 64, ridge 0.1, 512 samples, ten lead times,
eight reservoirs. Records bits per flow, how they depend on what the paper leaves open (where the
initial conditions lie, how long a flow settles, which ensemble is drawn), and phase portraits.
Ours: floor, excess and denoised bits of the same observers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from learnable_novelty.measure.score import score
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.settings import Settings
from novelty_lab.systems.flows import FLOWS, Flow

BY_NAME = {flow.name: flow for flow in FLOWS}
BESIDE_BITS = ("floor", "excess", "denoised", "directions")
"""What is measured beside raw bits; means over the observers."""


@dataclass(frozen=True)
class Config(Settings):
    """How flows are sampled and observed (appendix F)."""

    samples: int = 512
    """States per flow, N."""
    burn_in: float = 0.5
    """Time from the initial condition, or from the end of settling, to the input state."""
    interval: float = 0.1
    """Time between the lead times of the target."""
    window: int = 10
    """Number of lead times."""
    width: int = 64
    """Units per reservoir layer, m."""
    depth: int = 4
    """Reservoir layers."""
    ridge_penalty: float = 0.1
    """lambda."""
    resolution: float = 1.0
    """eta."""
    draws: int = 8
    """Reservoirs, all on the same ensemble."""
    ensembles: int = 4
    """Ensembles of states; the first gives the scores, all of them the spread between ensembles."""
    lorenz_initial_sds: tuple[float, ...] = (1.0, 5.0, 10.0)
    """Deviations of Lorenz's initial conditions to compare; the paper gives none."""
    settle_times: tuple[float, ...] = (0.0, 10.0, 100.0)
    """Times before the burn-in to compare on the chaotic flows; the paper gives none."""
    portrait_states: int = 8
    """Initial conditions in a phase portrait."""
    portrait_times: tuple[float, ...] = (10.0, 40.0, 150.0, 6.5, 30.0, 10.0)
    """Time that each flow's portrait follows them: several turns, but one of the rotation."""
    portrait_points: int = 600
    """Points of each curve in a portrait."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, samples=128, draws=2, ensembles=2, settle_times=(0.0, 10.0), portrait_points=100
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Score the flows, and the chaotic ones from other starts."""
    own = {flow.name: _key(flow.name, flow.initial_sd, flow.settle_time) for flow in FLOWS}
    tasks = start_tasks(config, seed)
    bits = {name: np.array(values) for name, values in context.map(score_flow, tasks).items()}
    means = {name: float(bits[key][0].mean()) for name, key in own.items()}
    beside = context.map(
        measure_flow, {f"{name}, beside bits": (config, name, seed) for name in own}
    )
    results: dict[str, Any] = {
        name: {flow: beside[f"{flow}, beside bits"][name] for flow in own} for name in BESIDE_BITS
    }
    results |= {
        "sd": {name: float(deviation(bits[key][0])) for name, key in own.items()},
        "ensemble_sd": {name: float(deviation(bits[key].mean(1))) for name, key in own.items()},
        "chaotic": {flow.name: flow.chaotic for flow in FLOWS},
        "order": sorted(means, key=lambda name: -means[name]),
        "starts": [
            {
                "flow": task[1],
                "initial_sd": task[2],
                "settle_time": task[3],
                "bits": float(bits[name][0].mean()),
                "sd": float(deviation(bits[name][0])),
            }
            for name, task in tasks.items()
            if BY_NAME[task[1]].chaotic
        ],
    }
    portraits = {
        f"portrait_{flow.name}": portrait(flow, time, config, seed)
        for flow, time in zip(FLOWS, config.portrait_times, strict=True)
    }
    scores = np.stack([bits[key] for key in own.values()])
    return RunResult(results, means, {"scores": scores, **portraits})


def start_tasks(config: Config, seed: int) -> dict[str, tuple[Config, str, float, float, int]]:
    """List every flow's own start, Lorenz by initial deviation, chaotic flows by settling time."""
    lorenz = BY_NAME["Lorenz"]
    starts = [(flow.name, flow.initial_sd, flow.settle_time) for flow in FLOWS]
    starts += [(lorenz.name, sd, lorenz.settle_time) for sd in config.lorenz_initial_sds]
    chaotic = [flow for flow in FLOWS if flow.chaotic]
    starts += [(flow.name, flow.initial_sd, t) for flow in chaotic for t in config.settle_times]
    return {_key(*start): (config, *start, seed) for start in starts}


def score_flow(
    config: Config, name: str, initial_sd: float, settle_time: float, seed: int
) -> list[list[float]]:
    """Score a flow from a given start, (ensembles, draws)."""
    flow = dataclasses.replace(BY_NAME[name], initial_sd=initial_sd, settle_time=settle_time)
    count = config.samples * config.ensembles
    states = flow.on_attractor(count, config.burn_in, split(seed, "ensemble"))
    return [score_states(config, flow, part, seed) for part in np.split(states, config.ensembles)]


def score_states(config: Config, flow: Flow, states: np.ndarray, seed: int) -> list[float]:
    """Score the futures of given states, once per reservoir."""
    inputs, targets = flow.pairs(states, config.interval, config.window)
    x, y = torch.from_numpy(inputs), torch.from_numpy(targets)
    return [float(observer(x, y)) for observer in observers(config, flow, seed)]


def observers(config: Config, flow: Flow, seed: int) -> Iterator[Observer]:
    """Yield the observers of a flow, one after the other: each is the last one, drawn anew."""
    reservoir = reservoirs.MLP(flow.dim, config.width, config.depth)
    observer = Observer(reservoir, ridge_penalty=config.ridge_penalty, resolution=config.resolution)
    for draw in range(config.draws):
        yield observer.redraw(split(seed, "reservoir", draw))


def measure_flow(config: Config, name: str, seed: int) -> dict[str, float]:
    """Measure floor, excess and denoised bits on the first ensemble, by the same observers."""
    flow = BY_NAME[name]
    count = config.samples * config.ensembles
    states = flow.on_attractor(count, config.burn_in, split(seed, "ensemble"))[: config.samples]
    inputs, targets = flow.pairs(states, config.interval, config.window)
    plain: dict[str, Any] = {"standardize_inputs": False, "target_unit": 1.0, "null": 0}
    scores = [
        score(inputs, targets, observer=observer, draws=1, seed=seed, **plain)
        for observer in observers(config, flow, seed)
    ]
    rows = [(s.floor_bits, s.excess_bits, s.denoised_bits, s.directions) for s in scores]
    return dict(zip(BESIDE_BITS, np.mean(rows, axis=0).tolist(), strict=True))


def portrait(flow: Flow, time: float, config: Config, seed: int) -> np.ndarray:
    """Follow a few states, (portrait_points + 1, portrait_states, dim), in single precision."""
    start = flow.on_attractor(config.portrait_states, config.burn_in, split(seed, "portrait"))
    path = flow.trajectory(start, time / config.portrait_points, config.portrait_points)
    return path.astype(np.float32)


def _key(name: str, initial_sd: float, settle_time: float) -> str:
    return f"{name}, initial sd {initial_sd:g}, settled {settle_time:g}"

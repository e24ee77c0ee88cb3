"""Appendix F.2: how the score accumulates along one trajectory of each flow.

PAPER is the observer of the reinforcement-learning tasks (MLP of depth 4 and width 32, ridge 0.3)
on the flows of appendix F. Records the score after every pair, its increments, and how far the
online observer is from the batch observer at checkpoints: both score the same pairs.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.paper.app_f_flows.experiment import BY_NAME
from novelty_lab.settings import Settings


@dataclass(frozen=True)
class Config(Settings):
    """How a trajectory is sampled and observed (appendix F.2)."""

    pairs: int = 2000
    """Pairs of a state and its future along the trajectory."""
    interval: float = 0.1
    """Time between samples, Delta t_s; the paper gives none, this is the spacing of appendix F."""
    window: int = 10
    """Samples that make the target, tau."""
    burn_in: float = 0.5
    """Time before the first sample, after the flow's own settling."""
    scale_samples: int = 512
    """Independent states whose mean and deviation standardize the trajectory, as in appendix F;
    the first of them begins the trajectory."""
    width: int = 32
    """Units per reservoir layer, m."""
    depth: int = 4
    """Reservoir layers."""
    ridge_penalty: float = 0.3
    """lambda."""
    resolution: float = 1.0
    """eta."""
    draws: int = 4
    """Reservoirs, all on the same trajectory."""
    checkpoints: int = 16
    """Lengths, evenly spaced in their logarithm, at which the batch observer scores too."""


PAPER = Config()
QUICK = dataclasses.replace(PAPER, pairs=150, scale_samples=128, draws=2, checkpoints=5)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Follow every flow."""
    by_flow = context.map(follow, {name: (config, name, seed) for name in BY_NAME})
    results: dict[str, Any] = {
        key: {name: followed[key] for name, followed in by_flow.items()}
        for key in ("sd", "batch_difference", "smallest_increment", "negative_share", "half_pairs")
    }
    results["largest_batch_difference"] = max(results["batch_difference"].values())
    results["checkpoints"] = checkpoints(config)
    curves = np.array([followed["cumulative"] for followed in by_flow.values()])
    final = dict(zip(by_flow, curves[:, :, -1].mean(1).tolist(), strict=True))
    results["chaotic"] = {name: flow.chaotic for name, flow in BY_NAME.items()}
    arrays = {
        "cumulative": curves.astype(np.float32),
        "batch": np.array([followed["batch"] for followed in by_flow.values()]),
        "difference": np.array([followed["difference"] for followed in by_flow.values()]),
        "rate": np.array([followed["rate"] for followed in by_flow.values()]),
    }
    return RunResult(results, final, arrays)


def follow(config: Config, name: str, seed: int) -> dict[str, Any]:
    """Score one flow's trajectory online, once per reservoir, and in batches beside it."""
    inputs, targets = trajectory_pairs(config, name, seed)
    curves = np.empty((config.draws, config.pairs))
    batch = np.empty((config.draws, len(checkpoints(config))))
    for draw in range(config.draws):
        reservoir = reservoirs.MLP(
            inputs.shape[1], config.width, config.depth, seed=split(seed, "reservoir", draw)
        )
        curves[draw] = online_scores(config, reservoir, inputs, targets)
        observer = Observer(
            reservoir, ridge_penalty=config.ridge_penalty, resolution=config.resolution
        )
        batch[draw] = [float(observer(inputs[:n], targets[:n])) for n in checkpoints(config)]
    at_checkpoints = curves[:, np.array(checkpoints(config)) - 1]
    difference = np.abs(at_checkpoints - batch).max(0)
    rate = np.diff(at_checkpoints.mean(0)) / np.diff(checkpoints(config))
    increments = np.diff(curves, axis=1, prepend=0.0)
    return {
        "cumulative": curves.tolist(),
        "batch": batch.tolist(),
        "sd": float(deviation(curves[:, -1])),
        "difference": difference.tolist(),
        "rate": rate.tolist(),
        "batch_difference": float(difference.max()),
        "smallest_increment": float(increments.min()),
        "negative_share": float((increments < 0).mean()),
        "half_pairs": _first_above(curves.mean(0), 0.5 * float(curves[:, -1].mean())),
    }


def trajectory_pairs(config: Config, name: str, seed: int) -> tuple[Tensor, Tensor]:
    """Pair the states of one trajectory with their next ``window`` states, flattened."""
    flow = BY_NAME[name]
    states = flow.on_attractor(config.scale_samples, config.burn_in, split(seed, "trajectory"))
    path = flow.trajectory(states[0], config.interval, config.pairs + config.window - 1)
    path = (path - states.mean(0)) / states.std(0)
    index = np.arange(config.pairs)[:, None] + np.arange(1, config.window + 1)
    targets = path[index].reshape(config.pairs, -1)
    return torch.from_numpy(path[: config.pairs]), torch.from_numpy(targets)


def online_scores(
    config: Config, reservoir: reservoirs.MLP, inputs: Tensor, targets: Tensor
) -> np.ndarray:
    """Return S_t after each pair, (pairs,)."""
    online = OnlineObserver(
        reservoir,
        target_dim=targets.shape[1],
        ridge_penalty=config.ridge_penalty,
        resolution=config.resolution,
    )
    scores = np.empty(len(inputs))
    for step, (x, y) in enumerate(zip(inputs, targets, strict=True)):
        online.update(x[None], y[None])
        scores[step] = float(online.cumulative[0])
    return scores


def checkpoints(config: Config) -> list[int]:
    """List the numbers of pairs at which online and batch are compared, two at least."""
    spaced = np.geomspace(2, config.pairs, config.checkpoints)
    return sorted({int(number) for number in spaced.round()})


def _first_above(curve: np.ndarray, level: float) -> int:
    return int(np.argmax(curve >= level)) + 1

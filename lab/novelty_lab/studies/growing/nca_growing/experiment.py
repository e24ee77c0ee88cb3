"""Ours: a neural automaton and an observer that grow together.

From the same seeds three arms climb with the same budget of multiplications: against the paper's
observer, against one that is large from the start, and against one that grows whenever the score
stops rising (``together``). On the way and at the end each rule is judged on new states, in
float64, by its own observer and by fixed judges of several widths and depths that nobody trained
against, and by the soliton meter on the fixed rule.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import Observer, reservoirs
from learnable_novelty.seeds import split
from novelty_lab.context import (
    RunContext,
    RunResult,
    TaskContext,
    describe_device,
    devices_of,
    pack,
    unpack,
)
from novelty_lab.paper.fig3_neural.nca import experiment as nca
from novelty_lab.paper.fig3_neural.nca.neural import as_vector, space_time
from novelty_lab.paper.fig3_neural.nca.neural import phase as direction
from novelty_lab.studies.growing.nca_growing.summary import summarize
from novelty_lab.studies.growing.nca_growing.together import (
    GrowthConfig,
    Phase,
    TogetherConfig,
    climb_together,
    new_states,
    with_reservoir,
)
from novelty_lab.systems import NeuralCA, Update

Judged = dict[str, float]


@dataclass(frozen=True)
class Config(TogetherConfig):
    """The trainings, and who judges them."""

    nca: nca.Config = field(
        default_factory=lambda: nca.Config(
            batch=512, steps=2800, learning_rate=3e-4, snapshots=6, seeds=tuple(range(5)),
            draws=1, judged_samples=256, meter_rollouts=2,
        )
    )  # fmt: skip
    growth: GrowthConfig = field(default_factory=GrowthConfig)
    judge_channels: tuple[int, ...] = (256, 1024)
    """Widths of the fixed judges."""
    judge_depths: tuple[int, ...] = (2, 4, 8)
    """Layers of the fixed judges; each width has all of them."""


PAPER = Config()
QUICK = Config(
    dataclasses.replace(
        nca.QUICK, hidden=32, batch=32, channels=32, depth=3, steps=200, learning_rate=2e-3,
        snapshots=3, judged_samples=32, draws=1, meter_rollouts=1, meter_steps=96, burn_in=16,
    ),
    GrowthConfig(
        smooth=20, rise=1.0, patience=40, most_features=64, samples=48, large_channels=64,
        large_depth=5,
    ),
    judge_channels=(32, 96),
    judge_depths=(2, 4),
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train all arms of every update and seed, seed by seed, then look at their rules."""
    runs = {
        f"{update} {arm} seed {number}": (update, arm, split(seed, "nca", number))
        for number in config.nca.seeds
        for update in config.nca.updates
        for arm in config.arms
    }
    trained = context.map(
        train_and_judge,
        {name: (config, *run, context.device, context.task(name)) for name, run in runs.items()},
    )
    looked = context.map(
        look,
        {
            f"look at {name}": (config.nca, update, number, trained[name]["weights"])
            for name, (update, _, number) in runs.items()
        },
    )
    run_results: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, (update, arm, _) in runs.items():
        result = {"update": update, "arm": arm, **trained[name], **looked[f"look at {name}"]}
        for key in ("curve", "compute", "weights", "pictures"):
            arrays[f"{key}/{name.replace(' ', '-')}"] = unpack(result.pop(key))
        run_results[name] = result
    scores = {name: result["judged"][-1]["own"] for name, result in run_results.items()}
    summary = {
        update: summarize(run for run in run_results.values() if run["update"] == update)
        for update in config.nca.updates
    }
    results = {"runs": run_results, "summary": summary}
    return RunResult(results, scores, arrays, devices_of(run_results.values()))


def train_and_judge(
    config: Config, update: Update, arm: str, seed: int, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train one automaton against one kind of observer, and judge its rules on the way."""
    started = time.perf_counter()
    phases = list(climb_together(config, update, arm, seed, device, task))
    seconds = time.perf_counter() - started
    judged = [
        {"phase": number, "compute": compute, **judge(config, rule.to(device), observer, seed)}
        for number, one in enumerate(phases)
        for compute, rule, observer in rules_on_the_way(config, update, one)
    ]
    ends = [as_vector(phases[0].ascended.snapshots[0]), *(phase.weights for phase in phases)]
    curve = [score for phase in phases for score in phase.ascended.scores]
    compute = [p.begin + p.step_cost * k for p in phases for k in range(len(p.ascended.scores))]
    return {
        "phases": [phase.describe() for phase in phases],
        "judged": judged,
        "seconds": round(seconds, 1),
        "device": describe_device(device),
        "curve": pack(np.array(curve, dtype=np.float32)),
        "compute": pack(np.array(compute, dtype=np.float32)),
        "weights": pack(np.stack(ends, dtype=np.float16)),
    }


def rules_on_the_way(
    config: Config, update: Update, phase: Phase
) -> Iterator[tuple[float, NeuralCA, Observer]]:
    """Yield compute, rule and observer: when a phase begins, at its snapshots, when it ends."""
    last = len(phase.ascended.scores)
    states = {k: as_vector(state) for k, state in phase.ascended.snapshots.items() if k < last}
    for step, weights in (*states.items(), (last, phase.weights)):
        rule = nca.rule_of(config.nca, update, weights)
        yield phase.begin + step * phase.step_cost, rule, phase.observer


@torch.no_grad()
def judge(config: Config, rule: NeuralCA, observer: Observer, seed: int) -> Judged:
    """Score a rule on new states by its own observer, and by fixed judges: bits by judge."""
    judges = {
        f"{channels}x{depth}": (channels, depth)
        for channels in config.judge_channels
        for depth in config.judge_depths
    }
    bits_by_judge: dict[str, list[float]] = {}
    for draw in range(config.nca.draws):
        number = split(seed, "evaluation", draw)
        states = new_states(config.nca, rule, config.nca.judged_samples, number)
        bits_by_judge.setdefault("own", []).append(bits_of(observer, *states))
        for name, size in judges.items():
            reservoir = reservoirs.Conv1d(
                2, *size, linear_last=config.nca.linear_last, seed=split(number, "judge", name)
            )
            bits = bits_of(with_reservoir(observer, reservoir), *states)
            bits_by_judge.setdefault(name, []).append(bits)
    return {name: float(np.mean(bits)) for name, bits in bits_by_judge.items()}


def bits_of(observer: Observer, inputs: Tensor, targets: Tensor) -> float:
    """Return the score in bits."""
    return float(observer(inputs, targets))


def look(config: nca.Config, update: Update, seed: int, weights: dict[str, Any]) -> dict[str, Any]:
    """Picture the fixed rules at the start and after each phase, and measure what travels."""
    rules = [nca.rule_of(config, update, vector) for vector in unpack(weights)]
    shown = [space_time(rule, config.width, config.shown_steps, seed=seed) for rule in rules]
    meters = [nca.solitons(config, rule, config.meter_width, seed) for rule in rules]
    names = ("travelling", "standing", "remaining", "crossings", "chance_crossings")
    return {
        "solitons": [{name: float(np.mean(m[name])) for name in names} for m in meters],
        "pictures": pack(np.stack([direction(field) for field in shown])),
    }

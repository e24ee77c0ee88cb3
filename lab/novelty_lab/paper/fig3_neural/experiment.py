"""Figure 3 and appendix G: a neural automaton climbs its own learnable novelty.

Both update rules, nine seeds each. Every run is measured at eleven checkpoints, by fresh
reservoirs on fresh states in float64, and by the soliton meter on the fixed rule (running
moments), from the training width to lattices it was not trained on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.seeds import split
from novelty_lab.context import (
    RunContext,
    RunResult,
    TaskContext,
    describe_device,
    deviation,
    devices_of,
    pack,
    unpack,
)
from novelty_lab.meters.solitons import measure_solitons
from novelty_lab.paper.fig3_neural.neural import (
    NeuralConfig,
    as_vector,
    evaluate,
    final_score,
    from_vector,
    judge,
    phase,
    snapshot_every,
    space_time,
    train,
)
from novelty_lab.settings import choice
from novelty_lab.systems.neural import NeuralCA, Update


@dataclass(frozen=True)
class Config(NeuralConfig):
    """Which runs, and how they are looked at."""

    updates: tuple[str, ...] = choice(("residual", "direct"))
    """Update rules."""
    seeds: tuple[int, ...] = tuple(range(9))
    """Training seeds of each."""
    draws: int = 3
    """Reservoirs and batches that judge a checkpoint."""
    judged_samples: int = 2048
    """States per judging draw."""
    shown: int = 3
    """Seeds of each update whose checkpoints are kept as pictures."""
    shown_steps: int = 128
    """Time steps of a picture."""
    wide: tuple[int, ...] = (256, 1024)
    """Lattices wider than that of the training, for the final rules."""
    wide_steps: int = 256
    """Time steps on these."""
    meter_width: int = 256
    """Lattice that the soliton meter looks at."""
    meter_steps: int = 384
    """Time steps that it looks at."""
    meter_rollouts: int = 4
    """Rollouts per rule, at the start and at the end of training."""


PAPER = Config()
QUICK = Config(
    hidden=64,
    batch=64,
    channels=96,
    steps=300,
    learning_rate=2e-3,
    seeds=(0,),
    draws=2,
    judged_samples=64,
    shown=1,
    wide=(256,),
    meter_rollouts=2,
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train every update rule from every seed, then measure what came out."""
    runs = {
        f"{update} seed {number}": (update, split(seed, "nca", number))
        for update in config.updates
        for number in config.seeds
    }
    trained = context.map(
        train_and_judge,
        {name: (config, *run, context.device, context.task(name)) for name, run in runs.items()},
    )
    shown = [f"seed {number}" for number in config.seeds[: config.shown]]
    measured = context.map(
        look,
        {
            f"look at {name}": (
                config,
                *run,
                trained[name]["weights"],
                trained[name]["final_weights"],
                name.endswith(tuple(shown)),
            )
            for name, run in runs.items()
        },
    )
    run_results, arrays = {}, {}
    for name in runs:
        result = {**trained[name], **measured[f"look at {name}"]}
        for key, packed in result.pop("arrays").items():
            arrays[f"{key}/{name.replace(' ', '-')}"] = unpack(packed)
        for key in ("curve", "weights", "final_weights"):
            arrays[f"{key}/{name.replace(' ', '-')}"] = unpack(result.pop(key))
        run_results[name] = result
    results: dict[str, Any] = {"runs": run_results, "checkpoints": checkpoints(config)}
    results["summary"] = {
        update: summarize(config, run_results, update) for update in config.updates
    }
    scores = {name: result["final"] for name, result in run_results.items()}
    return RunResult(results, scores, arrays, devices_of(run_results.values()))


def checkpoints(config: NeuralConfig) -> list[int]:
    """List the steps that have a snapshot."""
    every = snapshot_every(config)
    return sorted({*range(0, config.steps + 1, every), config.steps})


def train_and_judge(
    config: Config, update: Update, seed: int, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train one automaton, and score its first and last rule in float64."""
    started = time.perf_counter()
    _, ascended = train(config, update, seed, device, task)
    seconds = time.perf_counter() - started
    steps = checkpoints(config)
    vectors = np.stack([as_vector(ascended.snapshots[step]) for step in steps])
    first, last = (rule_of(config, update, vectors[end]).to(device) for end in (0, -1))
    before, after = (
        judge(config, rule, seed, config.draws, config.judged_samples) for rule in (first, last)
    )
    return {
        "final": final_score(ascended.scores),
        "start": ascended.scores[0],
        "judged": [float(np.mean(before)), float(np.mean(after))],
        "judged_sd": [float(deviation(before)), float(deviation(after))],
        "seconds": round(seconds, 1),
        "device": describe_device(device),
        "curve": pack(np.array(ascended.scores, dtype=np.float32)),
        "weights": pack(vectors.astype(np.float16)),
        "final_weights": pack(vectors[-1]),
    }


def look(
    config: Config,
    update: Update,
    seed: int,
    weights: dict[str, Any],
    final_weights: dict[str, Any],
    shown: bool,
) -> dict[str, Any]:
    """Picture the fixed rules of a run and measure what travels in them."""
    rules = [rule_of(config, update, vector) for vector in unpack(weights)[:-1]]
    final = rule_of(config, update, unpack(final_weights))
    rules.append(final)

    def picture(rule: NeuralCA, width: int, steps: int) -> np.ndarray:
        return phase(space_time(rule, width, steps, seed=seed))

    arrays = {"picture": picture(final, config.width, config.shown_steps)}
    if shown:
        pictures = [picture(rule, config.width, config.shown_steps) for rule in rules]
        arrays["pictures"] = np.stack(pictures)
        for width in config.wide:
            arrays[f"wide-{width}"] = picture(final, width, config.wide_steps)
    fixed = evaluate(config, final.eval(), seed, 0, config.judged_samples)
    return {
        "fixed_rule": fixed["bits"],
        "solitons": {
            "start": solitons(config, rules[0], config.meter_width, seed),
            "end": solitons(config, final, config.meter_width, seed),
            **{f"wide {w}": solitons(config, final, w, seed, 1) for w in config.wide},
        },
        "arrays": {name: pack(array) for name, array in arrays.items()},
    }


def rule_of(config: NeuralConfig, update: Update, vector: np.ndarray) -> NeuralCA:
    """Make the rule of a snapshot."""
    return from_vector(update, config.hidden, config.radius, vector)


def solitons(
    config: Config, rule: NeuralCA, width: int, seed: int, rollouts: int | None = None
) -> dict[str, Any]:
    """Measure what travels when the fixed rule runs from random states."""
    measured = [
        measure_solitons(space_time(rule, width, config.meter_steps, seed=split(seed, "meter", k)))
        for k in range(config.meter_rollouts if rollouts is None else rollouts)
    ]
    fastest = max(measured, key=lambda one: one.travelling)
    names = ("travelling", "standing", "remaining", "crossings", "chance_crossings")
    return {
        **{name: [getattr(one, name) for one in measured] for name in names},
        "velocities": [[float(v), float(share)] for v, share in fastest.velocities],
    }


def summarize(config: Config, run_results: dict[str, Any], update: str) -> dict[str, Any]:
    """Reduce the seeds of one update rule to what the paper reports."""
    runs = [run_results[f"{update} seed {number}"] for number in config.seeds]
    final = [r["final"] for r in runs]
    travelling, crossings = (
        np.array([[np.mean(r["solitons"][when][key]) for r in runs] for when in ("start", "end")])
        for key in ("travelling", "crossings")
    )
    return {
        "final_mean": float(np.mean(final)),
        "final_sd": float(deviation(final)),
        "final_range": [min(final), max(final)],
        "travelling_start": travelling[0].tolist(),
        "travelling_end": travelling[1].tolist(),
        "seeds_that_travel_more": int((travelling[1] > travelling[0]).sum()),
        "seeds_with_more_crossings": int((crossings[1] > crossings[0]).sum()),
        "seeds": len(runs),
    }

"""Our study: denoised bits as the objective of the neural automaton and of the encoder.

Each is trained twice from the same seed, on raw bits and on denoised bits, and then judged by
both, on data that training has not seen; the automaton by the soliton meter too, the encoder by
its probes. The trainings on raw bits are those of figures 3 and 4.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

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
from novelty_lab.paper.fig3_neural.nca.neural import as_vector, phase, space_time, unseen_rows
from novelty_lab.paper.fig3_neural.nca.neural import train as train_rule
from novelty_lab.paper.fig4_encoder.encoder import experiment as encoder
from novelty_lab.paper.fig4_encoder.encoder.encoding import images_of, probed_images
from novelty_lab.paper.fig4_encoder.encoder.encoding import train as train_code
from novelty_lab.settings import Settings
from novelty_lab.systems import NeuralCA, Update

OBJECTIVES = ("raw", "denoised")
CODE_MEASURES = ("linear", "neighbours", "clusters")


@dataclass(frozen=True)
class Config(Settings):
    """The trainings of figures 3 and 4, fewer of them."""

    nca: nca.Config = field(
        default_factory=lambda: nca.Config(updates=("residual",), seeds=(0, 1), meter_rollouts=2)
    )
    """The automata, their seeds, and how they are judged."""
    encoder: encoder.Config = field(default_factory=lambda: encoder.Config(training_seeds=3))
    """The encoders, and how they are probed."""


PAPER = Config()
QUICK = Config(
    replace(nca.QUICK, steps=60, updates=("residual",), meter_steps=96, meter_rollouts=1),
    replace(encoder.QUICK, steps=40, training_seeds=1),
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Train automata and encoders on both objectives, and judge all of them in the same way."""
    automata = {
        f"automaton, {objective} bits, {update} seed {number}": (update, number, objective)
        for update in config.nca.updates
        for number in config.nca.seeds
        for objective in OBJECTIVES
    }
    codes = {
        f"encoder, {objective} bits, seed {index}": (index, objective)
        for index in range(config.encoder.training_seeds)
        for objective in OBJECTIVES
    }
    judged = context.map(
        train_automaton,
        {
            name: (config.nca, update, split(seed, "nca", number), objective, context.device,
                   context.task(name))
            for name, (update, number, objective) in automata.items()
        },
    )  # fmt: skip
    judged |= context.map(
        train_encoder,
        {
            name: (config.encoder, seed, index, objective, context.data, context.device,
                   context.task(name))
            for name, (index, objective) in codes.items()
        },
    )  # fmt: skip
    arrays: dict[str, np.ndarray] = {}
    for name, result in judged.items():
        for key in ("curve", "picture"):
            if key in result:
                arrays[f"{key}/{name.replace(',', '').replace(' ', '-')}"] = unpack(result.pop(key))
    results = {
        "automata": {name: {"objective": automata[name][2], **judged[name]} for name in automata},
        "encoders": {name: {"objective": codes[name][1], **judged[name]} for name in codes},
    }
    scores = {name: result["denoised"][-1] for name, result in judged.items()}
    return RunResult(results, scores, arrays, devices_of(judged.values()))


def train_automaton(
    config: nca.Config, update: Update, seed: int, objective: str, device: str, task: TaskContext
) -> dict[str, Any]:
    """Train an automaton, and judge its first and its last rule."""
    started = time.perf_counter()
    _, trained = train_rule(config, update, seed, device, task, denoise=objective == "denoised")
    seconds = time.perf_counter() - started
    ends = [trained.snapshots[step] for step in (0, config.steps)]
    rules = [nca.rule_of(config, update, as_vector(state)) for state in ends]
    judged = np.array([judge_rule(config, rule.to(device), seed) for rule in rules])
    travelling = [
        nca.solitons(config, rule.cpu(), config.meter_width, seed)["travelling"] for rule in rules
    ]
    picture = space_time(rules[-1], config.width, config.shown_steps, seed=seed)
    return {
        "raw": judged[..., 0].mean(1).tolist(),
        "denoised": judged[..., 1].mean(1).tolist(),
        "travelling": np.mean(travelling, axis=1).tolist(),
        "seconds": round(seconds, 1),
        "device": describe_device(device),
        "curve": pack(np.array(trained.scores, dtype=np.float32)),
        "picture": pack(phase(picture)),
    }


def judge_rule(config: nca.Config, rule: NeuralCA, seed: int) -> list[list[float]]:
    """Return raw and denoised bits of a rule, for fresh reservoirs on fresh states."""
    bits: list[list[float]] = []
    for draw in range(config.draws):
        observer, rows = unseen_rows(config, rule, seed, draw, config.judged_samples)
        bits.append([float(observer.bits_of_rows(rows, denoise=d)) for d in (False, True)])
    return bits


def train_encoder(
    config: encoder.Config,
    seed: int,
    index: int,
    objective: str,
    data: Path | None,
    device: str,
    task: TaskContext,
) -> dict[str, Any]:
    """Train an encoder, and judge it at its checkpoints."""
    images = images_of(config.dataset, data)
    labelled = probed_images(config, images, seed, device)
    child, pixels = split(seed, "training", index), images.train_images.to(device)
    started = time.perf_counter()
    model, observer, trained = train_code(
        config, pixels, child, config.checkpoint_every, task, denoise=objective == "denoised"
    )
    seconds = time.perf_counter() - started
    names = {"raw": "bits", **{name: name for name in CODE_MEASURES}}
    measures: dict[str, list[float]] = {name: [] for name in (*names, "denoised")}
    for state in trained.snapshots.values():
        model.load_state_dict(state)
        observer.denoise = True
        bits = encoder.held_out_bits(model, observer, labelled, config.batch_size)
        measures["denoised"].append(bits)
        observer.denoise = False
        measured = encoder.measure(model, observer, labelled, config, child)
        for name, key in names.items():
            measures[name].append(measured[key])
    return {
        **measures,
        "steps": list(trained.snapshots),
        "seconds": round(seconds, 1),
        "device": describe_device(device),
        "curve": pack(np.array(trained.scores, dtype=np.float32)),
    }

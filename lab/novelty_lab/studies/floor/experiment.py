"""Ours: the noisy television and the dark room, measured.

Raw and denoised bits, floor and excess of noise, a constant, the identity, the identity in noise,
the six flows and four automata, against the number of samples, at the paper's fixed ridge and with
the ridge chosen by evidence. The paper argues that noise and constants score nothing; its raw
number keeps that promise for constants only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from learnable_novelty.measure.score import score
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.paper.fig2_automata.automata import (
    AutomatonConfig,
    automaton_observer,
    denoised_rule,
    floor_bits,
    rule_rows,
    sample_rule,
    table_moments,
)
from novelty_lab.settings import Settings
from novelty_lab.systems.flows import FLOWS
from novelty_lab.systems.patterns import count_patterns

VECTORS = ("noise", "constant", "identity", "identity + noise", *(flow.name for flow in FLOWS))
RULES = (110, 54, 30, 15)


@dataclass(frozen=True)
class Config(Settings):
    """The flow observer and the automaton observer of the paper."""

    sizes: tuple[int, ...] = (128, 512, 4096)
    """Numbers of samples n."""
    width: int = 64
    """Width of the MLP reservoir of depth 4."""
    ridge_penalty: float = 0.1
    """The paper's ridge for flows; automata have their own 0.03."""
    draws: int = 8
    """Reservoir draws."""
    null: int = 19
    """Permutations of the targets, for the null bits."""
    copies: int = 10
    """How often the identity is stacked, so that it has as many targets as a flow."""
    automaton: AutomatonConfig = dataclasses.field(default_factory=lambda: AutomatonConfig(draws=3))
    """How automata are sampled and observed; its number of samples is replaced by n."""


PAPER = Config()
QUICK = Config(
    sizes=(128,), draws=2, null=5, automaton=AutomatonConfig(draws=1, burn_in=200, channels=64)
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure everything at every size."""
    names = (*VECTORS, *(f"rule {rule}" for rule in RULES))
    tasks = {f"{name}, n={n}": (config, name, n, seed) for name in names for n in config.sizes}
    rows = list(context.map(measure, tasks).values())
    largest = max(config.sizes)
    scores = {row["name"]: row["excess_bits"] for row in rows if row["n"] == largest}
    return RunResult({"rows": rows}, scores)


def measure(config: Config, name: str, n: int, seed: int) -> dict[str, Any]:
    """Measure one kind of data at one size."""
    if name.startswith("rule "):
        measured = measure_rule(config, int(name.removeprefix("rule ")), n, seed)
    else:
        measured = measure_vectors(config, name, n, seed)
    return {"name": name, "n": n, **measured}


def make_vectors(name: str, n: int, copies: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Make inputs (n, 3) and targets of about thirty columns."""
    generator = numpy_generator(seed, "floor", name, n)
    x = generator.standard_normal((n, 3))
    repeated = np.tile(x, copies)
    match name:
        case "noise":
            return x, generator.standard_normal(repeated.shape)
        case "constant":
            return np.ones_like(x), np.ones_like(repeated)
        case "identity":
            return x, repeated
        case "identity + noise":
            return x, repeated + generator.standard_normal(repeated.shape)
        case _:
            flow = next(flow for flow in FLOWS if flow.name == name)
            return flow.sample(n, seed=split(seed, "floor", n))


def measure_vectors(config: Config, name: str, n: int, seed: int) -> dict[str, float]:
    """Score vectors with the fixed ridge and with the ridge of evidence, units left alone."""
    x, y = make_vectors(name, n, config.copies, seed)
    reservoir = reservoirs.MLP(x.shape[1], config.width, 4, seed=split(seed, "reservoir"))
    plain: dict[str, Any] = {"standardize_inputs": False, "target_unit": 1.0}
    fixed, evidence = (
        score(x, y, observer=observer, null=null, draws=config.draws, seed=seed, **plain)
        for observer, null in (
            (Observer(reservoir, ridge_penalty=config.ridge_penalty), config.null),
            (Observer(reservoir, ridge_penalty="evidence"), 0),
        )
    )
    return {
        "denoised_bits": fixed.denoised_bits,
        "directions": fixed.directions,
        "bits": fixed.bits,
        "bits_sd": fixed.bits_sd,
        "null_bits": shuffled_bits(config, x, y, reservoir),
        "floor_bits": fixed.floor_bits,
        "excess_bits": fixed.excess_bits,
        "evidence_bits": evidence.bits,
        "evidence_floor_bits": evidence.floor_bits,
    }


def shuffled_bits(config: Config, x: np.ndarray, y: np.ndarray, reservoir: reservoirs.MLP) -> float:
    """Return the mean bits of targets that were shuffled."""
    observer, inputs = Observer(reservoir, ridge_penalty=config.ridge_penalty), torch.from_numpy(x)
    generator = numpy_generator(0, "shuffled")
    moved = (torch.from_numpy(generator.permutation(y)) for _ in range(config.null))
    return float(np.mean([float(observer(inputs, one)) for one in moved]))


def measure_rule(config: Config, rule: int, n: int, seed: int) -> dict[str, float]:
    """Score an automaton on counted patterns; rings are moved whole and rotated."""
    settings = dataclasses.replace(config.automaton, samples=n)
    draws: list[list[float]] = []
    for draw in range(settings.draws):
        observer = automaton_observer(settings, seed, draw)
        history = sample_rule(settings, rule, seed, draw)
        raw = float(observer.bits(rule_rows(observer, history)))
        floor = floor_bits(observer, history, 8, split(seed, "rings", rule, draw))
        table = count_patterns(history[0], history[1:], observer.reservoir.receptive_radius)
        calibrated = Observer(observer.reservoir, ridge_penalty="evidence")
        by_evidence = float(calibrated.bits(table_moments(observer.reservoir, table)))
        denoised = denoised_rule(observer, history, split(seed, "rings", rule, draw))
        draws.append([raw, floor, by_evidence, denoised.bits, denoised.directions])
    bits, floors, evidence, denoised_bits, directions = np.array(draws).T
    excess = bits - floors
    return {
        "denoised_bits": float(denoised_bits.mean()),
        "directions": float(directions.mean()),
        "bits": float(np.mean(bits)),
        "bits_sd": float(deviation(bits)),
        "floor_bits": float(np.mean(floors)),
        "excess_bits": float(excess.mean()),
        "evidence_bits": float(np.mean(evidence)),
    }

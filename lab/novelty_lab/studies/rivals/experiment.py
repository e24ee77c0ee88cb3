"""Ours: learnable novelty beside its rivals, on the same data.

The 88 elementary automata, all flows of the ``dysts`` collection, noise and constants, each
measured by learnable novelty, by the prequential code of a trained network, by predictive
information, gzip, Lempel-Ziv, permutation and sample entropy. A flow is sampled twice: ten times a
period, so that ten lead times reach one period ahead, and every 0.1 of its own time, so that they
are the paper's.
Records every value and its cost; what share of the systems each measure puts below noise; and rank
correlations with what the collection publishes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.signal import lfilter

from learnable_novelty.errors import UserError
from learnable_novelty.measure.prepare import column_scale, scaled
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.measure.task import Windows
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.measures.compare import read_pairs, read_series
from novelty_lab.measures.registry import Reading, plain, timed
from novelty_lab.paper.fig2_automata.automata import (
    AutomatonConfig,
    automaton_observer,
    floor_bits,
    rule_rows,
)
from novelty_lab.settings import Settings
from novelty_lab.studies.rivals.correlations import correlate
from novelty_lab.systems.dysts_flows import collected_flows
from novelty_lab.systems.elementary import ElementaryRule, pack_cells, unique_rules, unpack_cells
from novelty_lab.systems.patterns import pattern_cells, site_codes

SAMPLINGS = ("period", "fixed")
"""How the lead times of flows are measured: in periods, or in the flow's own time."""
VECTOR_CONTROLS = ("white noise", "red noise", "sine", "constant")
CELL_CONTROLS = ("coins", "constant cells")
CONTROL_COLUMNS = 3
NOISE = {"flow": "white noise", "automaton": "coins"}
"""What each kind of system is compared with."""
Pairs = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Config(Settings):
    """How much data of each system, and the observers of the paper."""

    pairs: int = 512
    """Pairs of state and future that a flow's series makes: the paper's N."""
    window: int = 10
    """Lead times of a flow."""
    interval: float = 0.1
    """The paper's time between them."""
    samples_per_period: int = 10
    """Lead times in a period, where they are measured in periods."""
    settle_periods: float = 20.0
    """Periods before the first sample."""
    width: int = 64
    """Width of the flow observer, an MLP of depth 4."""
    ridge_penalty: float = 0.1
    """The paper's ridge for flows; automata have their own 0.03."""
    draws: int = 4
    """Reservoirs of the flow observer."""
    null: int = 19
    """Rearrangements of a series, for the p-value."""
    rings: int = 256
    """Rings of 64 cells per rule. With few rings followed for long, a rule that only shifts
    its cells is learnable: the observer remembers the rings."""
    ring_steps: int = 34
    """Steps of each, after the burn-in; with a window of 32 they make two pairs a ring, and the
    paper's N of 512."""
    automaton: AutomatonConfig = dataclasses.field(default_factory=lambda: AutomatonConfig(draws=4))
    """The automaton observer of table 2; its number of samples follows from the rings."""
    floor_repeats: int = 2
    """Rearrangements of the residuals per draw, for the floor of automata."""
    resamples: int = 2000
    """Bootstrap samples of the flows, for the intervals of the correlations."""
    flows: tuple[str, ...] = ()
    """Flows by name; all if none."""
    rules: tuple[int, ...] = ()
    """Rules by number; all 88 if none."""


PAPER = Config()
QUICK = Config(
    pairs=128,
    draws=2,
    null=9,
    rings=4,
    ring_steps=48,
    automaton=AutomatonConfig(draws=1, burn_in=100, channels=32),
    resamples=200,
    flows=("Aizawa", "Halvorsen", "Lorenz", "MackeyGlass", "Rossler", "Thomas"),
    rules=(0, 4, 15, 30, 54, 90, 110),
)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure everything, then compare the measures."""
    flows = {flow.name: flow for flow in collected_flows()}
    unknown = set(config.flows) - set(flows)
    if unknown:
        raise UserError(f"expected flows of the collection, got {', '.join(sorted(unknown))}")
    rows = list(context.map(measure, _tasks(config, list(flows), seed)).values())
    for row in rows:
        if row["values"]:
            # Systems have different numbers of columns, so the whole code is compared per value.
            total = row["values"]["prequential_total"]
            columns = flows[row["name"]].dim if row["kind"] == "flow" else CONTROL_COLUMNS
            row["values"]["prequential_rate"] = total / _target_values(config, row, columns)
    correlations = [
        {"sampling": sampling, **correlation}
        for sampling in SAMPLINGS
        for correlation in correlate(
            _values(rows, sampling),
            list(flows.values()),
            sampling == "period",
            config.resamples,
            seed,
        )
    ]
    results = {
        "rows": rows,
        "measures": list(dict.fromkeys(key for row in rows for key in row["values"])),
        "below_noise": {kind: _below_noise(rows, kind) for kind in NOISE},
        "seconds": _seconds(rows),
        "published": {
            name: {"period": flow.period, **flow.published} for name, flow in flows.items()
        },
        "correlations": correlations,
    }
    return RunResult(results)


def _tasks(config: Config, flows: list[str], seed: int) -> dict[str, tuple[Any, ...]]:
    rules = config.rules or unique_rules()
    names = config.flows or flows
    tasks = {name: (config, "control", name, "", seed) for name in VECTOR_CONTROLS}
    tasks |= {name: (config, "cells", name, "", seed) for name in CELL_CONTROLS}
    tasks |= {f"rule {rule}": (config, "automaton", str(rule), "", seed) for rule in rules}
    for sampling in SAMPLINGS:
        tasks |= {f"{name}, {sampling}": (config, "flow", name, sampling, seed) for name in names}
    return tasks


def measure(config: Config, kind: str, name: str, sampling: str, seed: int) -> dict[str, Any]:
    """Measure one system by everything."""
    row: dict[str, Any] = {"kind": kind, "name": name, "sampling": sampling}
    if kind in ("automaton", "cells"):
        history = make_rings(config, kind, name, seed)
        readings = measure_rings(config, history, name, seed)
        row["class"] = None if kind == "cells" else ElementaryRule(int(name)).wolfram_class
    else:
        try:
            series = make_series(config, kind, name, sampling, seed)
        except ArithmeticError as error:  # one flow that will not be followed stops no others
            return {**row, "failed": str(error), "values": {}, "seconds": {}}
        readings = measure_series(config, series, seed)
    row["values"] = {reading.key: plain(reading.value) for reading in readings}
    row["seconds"] = {r.key: round(r.seconds, 6) for r in readings if r.seconds is not None}
    return row


def make_series(
    config: Config, kind: str, name: str, sampling: str, seed: int
) -> NDArray[np.float64]:
    """Make the series of a flow, or of noise and the like."""
    steps = config.pairs + config.window
    if kind == "flow":
        flow = next(flow for flow in collected_flows() if flow.name == name)
        per_period = flow.period / config.samples_per_period
        interval = per_period if sampling == "period" else config.interval
        return flow.trajectory(interval, steps, config.settle_periods * flow.period)
    generator = numpy_generator(seed, "compare", name)
    noise = generator.standard_normal((steps, CONTROL_COLUMNS))
    if name == "white noise":
        return noise
    if name == "red noise":  # x_t = 0.9 x_{t-1} + noise, of unit deviation
        noise[1:] *= math.sqrt(1 - 0.81)
        return np.asarray(lfilter([1.0], [1.0, -0.9], noise, axis=0))
    if name == "sine":
        phase = 2 * math.pi * np.arange(steps) / config.samples_per_period
        return np.sin(phase[:, None] + 2 * math.pi * np.arange(CONTROL_COLUMNS) / CONTROL_COLUMNS)
    return np.ones_like(noise)


def measure_series(config: Config, series: NDArray[np.float64], seed: int) -> list[Reading]:
    """Measure a series; learnable novelty at the paper's ridge and at that of evidence."""
    reservoir = reservoirs.MLP(series.shape[1], config.width, 4, seed=split(seed, "reservoir"))

    def scored(penalty: float | Literal["evidence"], null: int) -> tuple[Score, float]:
        observer = Observer(reservoir, ridge_penalty=penalty)
        common: dict[str, Any] = {"window": config.window, "draws": config.draws, "seed": seed}
        return timed(lambda: score(series, observer=observer, null=null, **common))

    fixed, seconds = scored(config.ridge_penalty, config.null)
    evidence, evidence_seconds = scored("evidence", 0)
    return [
        Reading("bits", "", fixed.bits, "bits", seconds),
        Reading("excess", "", fixed.excess_bits, "bits", None),
        Reading("p_value", "", fixed.p_value, "", None),
        Reading("evidence_bits", "", evidence.bits, "bits", evidence_seconds),
        Reading("evidence_excess", "", evidence.excess_bits, "bits", None),
        *read_pairs(*series_pairs(config, series), seed),
        *read_series(series),
    ]


def series_pairs(config: Config, series: NDArray[np.float64]) -> Pairs:
    """Return states and futures of a series, standardized."""
    windows, tensor = Windows.of(config.window, 1, None), torch.from_numpy(series)
    standard = scaled(tensor, 1, *column_scale(tensor, 1))
    return windows.inputs(standard).numpy(), windows.targets(standard).numpy()


def make_rings(config: Config, kind: str, name: str, seed: int) -> NDArray[np.uint8]:
    """Follow rings of 64 cells: (ring_steps, rings, 64)."""
    generator = numpy_generator(seed, "compare", "cells", name)
    shape = (config.ring_steps, config.rings, 64)
    if name == "coins":
        return generator.integers(0, 2, shape, dtype=np.uint8)
    if kind == "cells":
        return np.zeros(shape, dtype=np.uint8)
    start = generator.integers(0, 2, shape[1:], dtype=np.uint8)
    states = ElementaryRule(int(name)).run(start, config.automaton.burn_in + config.ring_steps)
    return states[-config.ring_steps :]


def measure_rings(config: Config, cells: NDArray[np.uint8], name: str, seed: int) -> list[Reading]:
    """Measure rings: every ring at every time with its next 32 states is a sample."""
    settings, history = ring_samples(config, cells)
    (bits, floor), seconds = timed(
        lambda: score_rings(settings, history, config.floor_repeats, seed, name)
    )
    return [
        Reading("bits", "", bits, "bits", seconds),
        Reading("excess", "", bits - floor, "bits", None),
        *read_pairs(*ring_pairs(settings, history, seed), seed),
        *read_series(cells.reshape(cells.shape[0], -1).astype(np.float64)),
    ]


def ring_samples(
    config: Config, cells: NDArray[np.uint8]
) -> tuple[AutomatonConfig, NDArray[np.uint64]]:
    """Return the observer's settings, and the states and futures of all samples."""
    window, words = config.automaton.window, pack_cells(cells)
    starts = words.shape[0] - window
    history = np.stack([words[lead : lead + starts].T.reshape(-1) for lead in range(window + 1)])
    return dataclasses.replace(config.automaton, samples=history.shape[1]), history


def ring_pairs(config: AutomatonConfig, history: NDArray[np.uint64], seed: int) -> Pairs:
    """Return what the observer sees around every cell, and the futures of that cell."""
    radius = automaton_observer(config, seed, 0).reservoir.receptive_radius
    inputs = pattern_cells(site_codes(history[0], radius), radius).astype(np.float64)
    targets = np.stack([unpack_cells(row).reshape(-1) for row in history[1:]], axis=1)
    return inputs, targets.astype(np.float64)


def score_rings(
    config: AutomatonConfig, history: NDArray[np.uint64], repeats: int, seed: int, name: str
) -> tuple[float, float]:
    """Return bits and floor, means over the draws of the automaton observer."""
    bits, floor = [], []
    for draw in range(config.draws):
        observer = automaton_observer(config, seed, draw)
        bits.append(float(observer.bits(rule_rows(observer, history))))
        floor.append(floor_bits(observer, history, repeats, split(seed, "rings", name, draw)))
    return float(np.mean(bits)), float(np.mean(floor))


def _target_values(config: Config, row: dict[str, Any], columns: int) -> int:
    """Count the values that the targets of a system hold."""
    if row["kind"] in ("automaton", "cells"):
        window = config.automaton.window
        return config.rings * (config.ring_steps - window) * 64 * window
    return config.pairs * config.window * columns


def _values(rows: Iterable[dict[str, Any]], sampling: str) -> dict[str, dict[str, float]]:
    """Return values of flows by measure and name, those that could be had."""
    by_measure: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["kind"] == "flow" and row["sampling"] == sampling:
            for key, value in row["values"].items():
                if value is not None and key != "p_value":
                    by_measure.setdefault(key, {})[row["name"]] = float(value)
    return by_measure


def _below_noise(rows: list[dict[str, Any]], kind: str) -> dict[str, dict[str, float]]:
    """Return, per measure, what share of the systems in motion it puts below noise."""
    noise = next(row["values"] for row in rows if row["name"] == NOISE[kind])
    shares: dict[str, dict[str, float]] = {}
    for sampling in SAMPLINGS if kind == "flow" else ("",):
        moving = [
            row["values"]
            for row in rows
            if row["kind"] == kind and row["sampling"] == sampling and not _is_still(row)
        ]
        for key, of_noise in noise.items():
            values = [float(v[key]) for v in moving if v.get(key) is not None]
            if of_noise is not None and key != "p_value" and values:
                below = float(np.mean(np.array(values) < float(of_noise)))
                shares.setdefault(sampling or "steps", {})[key] = below
    return shares


def _is_still(row: dict[str, Any]) -> bool:
    """Say whether nothing changes: rules that died out have nothing to learn, and belong below."""
    return row["values"].get("prequential_total") == 0.0


def _seconds(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the median CPU time per measure, of flows and of automata."""
    medians: dict[str, dict[str, float]] = {}
    for kind in NOISE:
        timings = [row["seconds"] for row in rows if row["kind"] == kind and row["seconds"]]
        medians[kind] = {key: float(np.median([row[key] for row in timings])) for key in timings[0]}
    return medians

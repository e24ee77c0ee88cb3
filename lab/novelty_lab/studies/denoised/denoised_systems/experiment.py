"""Ours: denoised bits beside raw bits and excess, on the data of ``flows`` and ``compare``.

The six flows of appendix F, the flows of the dysts collection and the 88 elementary automata, each
with the observer that it has there. Recorded with them: how the orders agree with Wolfram's
classes, with the structure that a trained network finds (its prequential code), and with the
figures that the collection publishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnable_novelty.measure import Score, score
from learnable_novelty.observer import Observer, reservoirs
from learnable_novelty.seeds import split
from novelty_lab.context import RunContext, RunResult
from novelty_lab.measures import prequential_code
from novelty_lab.paper.app_f_flows.flows import experiment as flows
from novelty_lab.paper.fig2_automata.eca.automata import automaton_observer, denoised_rule
from novelty_lab.rank_correlation import spearman
from novelty_lab.settings import Settings
from novelty_lab.studies.rivals.compare import experiment as compare
from novelty_lab.studies.rivals.compare.correlations import correlate, interval
from novelty_lab.systems import FLOWS, ElementaryRule, collected_flows, unique_rules

MEASURES = ("bits", "excess", "denoised", "directions")


@dataclass(frozen=True)
class Config(Settings):
    """The data and observers of other artefacts."""

    flows: flows.Config = field(default_factory=flows.Config)
    """The six flows; one ensemble."""
    compare: compare.Config = field(default_factory=compare.Config)
    """The collection and the automata."""


PAPER = Config()
QUICK = Config(flows.QUICK, compare.QUICK)


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure every system, and compare the orders."""
    collected = collected_flows()
    names = config.compare.flows or [flow.name for flow in collected]
    tasks = {flow.name: (config, "six", flow.name, "", seed) for flow in FLOWS}
    tasks |= {
        f"rule {rule}": (config, "automaton", str(rule), "", seed)
        for rule in config.compare.rules or unique_rules()
    }
    for sampling in compare.SAMPLINGS:
        tasks |= {f"{name}, {sampling}": (config, "flow", name, sampling, seed) for name in names}
    rows = list(context.map(measure, tasks).values())
    resamples = config.compare.resamples
    automata = [row for row in rows if row["kind"] == "automaton"]
    agreements = [
        agreement("automata", automata, other, resamples, seed) for other in ("class", "network")
    ]
    published: list[dict[str, Any]] = []
    for sampling in compare.SAMPLINGS:
        sampled = [row for row in rows if row["sampling"] == sampling and "failed" not in row]
        agreements.append(agreement(f"flows, {sampling}", sampled, "network", resamples, seed))
        values = {name: {row["name"]: row[name] for row in sampled} for name in MEASURES}
        correlations = correlate(values, collected, sampling == "period", resamples, seed)
        published += [{"sampling": sampling, **one} for one in correlations]
    results = {"rows": rows, "agreements": agreements, "published": published}
    return RunResult(
        results, {row["name"]: row["denoised"] for row in rows if row["kind"] == "six"}
    )


def measure(config: Config, kind: str, name: str, sampling: str, seed: int) -> dict[str, Any]:
    """Measure one system."""
    about = {"kind": kind, "name": name, "sampling": sampling}
    if kind == "six":
        return about | measure_flow(config.flows, name, seed)
    if kind == "automaton":
        return about | measure_rule(config.compare, name, seed)
    try:
        series = compare.make_series(config.compare, kind, name, sampling, seed)
    except ArithmeticError as error:  # one flow that will not be followed stops no others
        return about | {"failed": str(error)}
    return about | measure_series(config.compare, series, seed)


def measure_flow(config: flows.Config, name: str, seed: int) -> dict[str, float]:
    """Measure the first ensemble of a flow of appendix F, units left alone."""
    flow = flows.BY_NAME[name]
    count = config.samples * config.ensembles
    states = flow.on_attractor(count, config.burn_in, split(seed, "ensemble"))[: config.samples]
    inputs, targets = flow.pairs(states, config.interval, config.window)
    reservoir = reservoirs.MLP(flow.dim, config.width, config.depth, seed=split(seed, "reservoir"))
    observer = Observer(reservoir, ridge_penalty=config.ridge_penalty, resolution=config.resolution)
    plain: dict[str, Any] = {"standardize_inputs": False, "target_unit": 1.0, "null": 0}
    scored = score(inputs, targets, observer=observer, draws=config.draws, seed=seed, **plain)
    return numbers(scored)


def measure_series(config: compare.Config, series: np.ndarray, seed: int) -> dict[str, float]:
    """Measure a series as ``compare`` does, and by the code of a trained network."""
    reservoir = reservoirs.MLP(series.shape[1], config.width, 4, seed=split(seed, "reservoir"))
    observer = Observer(reservoir, ridge_penalty=config.ridge_penalty)
    settings: dict[str, Any] = {
        "window": config.window,
        "draws": config.draws,
        "null": 0,
        "seed": seed,
    }
    network = prequential_code(*compare.series_pairs(config, series), seed=seed).structure_bits
    return numbers(score(series, observer=observer, **settings)) | {"network": network}


def measure_rule(config: compare.Config, name: str, seed: int) -> dict[str, float]:
    """Measure an automaton as ``compare`` does, and by the code of a trained network."""
    cells = compare.make_rings(config, "automaton", name, seed)
    settings, history = compare.ring_samples(config, cells)
    bits, floor = compare.score_rings(settings, history, config.floor_repeats, seed, name)
    denoised = [
        denoised_rule(
            automaton_observer(settings, seed, draw), history, split(seed, "rings", name, draw)
        )
        for draw in range(settings.draws)
    ]
    pairs = compare.ring_pairs(settings, history, seed)
    return {
        "class": ElementaryRule(int(name)).wolfram_class,
        "bits": bits,
        "excess": bits - floor,
        "denoised": float(np.mean([one.bits for one in denoised])),
        "directions": float(np.mean([one.directions for one in denoised])),
        "network": prequential_code(*pairs, seed=seed).structure_bits,
    }


def numbers(scored: Score) -> dict[str, float]:
    """Return what a score says by each measure."""
    return {
        "bits": scored.bits,
        "excess": scored.excess_bits,
        "denoised": scored.denoised_bits,
        "directions": scored.directions,
        "effective_rows": scored.effective_rows,
    }


def agreement(
    group: str, rows: list[Mapping[str, Any]], other: str, resamples: int, seed: int
) -> dict[str, Any]:
    """Correlate the order by each measure with that by another number, with 95% intervals."""
    y = np.array([row[other] for row in rows], dtype=np.float64)
    by_measure: dict[str, Any] = {}
    for name in MEASURES:
        x = np.array([row[name] for row in rows])
        low, high = interval(x, y, resamples, seed)
        by_measure[name] = {"rho": float(spearman(x, y)), "low": low, "high": high}
    return {"group": group, "with": other, "n": len(rows), **by_measure}

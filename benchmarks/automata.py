"""The 880 scores of the automaton ranking, against features and QR for every lattice site.

Our way counts patterns; the plain way is table 2 taken literally: 512 x 64 rows of 256 features
and an augmented QR. Five rules, one draw each, are timed the plain way, and the rest is
extrapolated: its cost does not depend on the rule.
"""

from __future__ import annotations

import copy
import dataclasses
import statistics

import numpy as np
import torch

from benchmarks.timing import Row, faster, seconds
from learnable_novelty.engine import Serial, open_engine
from learnable_novelty.observer.summary import Rows
from novelty_lab.paper.fig2_automata.automata import (
    AutomatonConfig,
    automaton_observer,
    rule_rows,
    rule_tasks,
    sample_draws,
    sample_rule,
)
from novelty_lab.systems.elementary import unpack_cells
from novelty_lab.tasks import run_tasks

SEED = 0
RULES = (30, 54, 73, 106, 110)


def plain_score(config: AutomatonConfig, rule: int, draw: int = 0) -> float:
    """Simulate, compute the features of every site, and solve by QR."""
    # A copy: the observer is cached, and our way must not be timed with this solver.
    observer = copy.copy(automaton_observer(config, SEED, draw))
    observer.solver = "spectral"
    history = unpack_cells(sample_rule(config, rule, SEED, draw))
    cells = torch.from_numpy(np.moveaxis(history, 0, 1)).double()
    with torch.no_grad():
        features = observer.reservoir.rows(observer.reservoir(cells[:, :1]))
        return float(observer.bits(Rows(features, observer.reservoir.rows(cells[:, 1:]))))


def our_scores(config: AutomatonConfig, rule: int, seed: int = SEED) -> list[float]:
    """Simulate, count patterns, and score them, once per draw."""
    scores: list[float] = []
    for draw, history in enumerate(sample_draws(config, rule, seed)):
        observer = automaton_observer(config, seed, draw)
        scores.append(float(observer.bits(rule_rows(observer, history))))
    return scores


def run(config: AutomatonConfig | None = None, rules: tuple[int, ...] = RULES) -> list[Row]:
    """Time all rules our way, in this process and on all cores, and five the plain way."""
    config = config or AutomatonConfig()
    tasks = rule_tasks(config, SEED)
    total = len(tasks) * config.draws
    warm = dataclasses.replace(config, draws=1)
    plain_score(config, rules[0])
    our_scores(warm, rules[0])
    # In turn: a part of the plain way, a part of ours.
    parts = np.array_split(list(tasks), len(rules))
    plain: list[float] = []
    ours, threads = 0.0, torch.get_num_threads()
    for rule, part in zip(rules, parts, strict=True):
        plain.append(seconds(lambda rule=rule: plain_score(config, rule)))
        mine = {name: tasks[name] for name in part}
        torch.set_num_threads(1)  # as the workers of the default engine have it
        ours += seconds(lambda mine=mine: run_tasks(our_scores, mine, Serial()))
        torch.set_num_threads(threads)
    whole = statistics.median(plain) * total
    with open_engine("cores") as executor:
        # The workers are started and have loaded torch before the clock starts.
        run_tasks(our_scores, {name: (warm, *tasks[name][1:]) for name in parts[0]}, executor)
        on_cores = seconds(lambda: run_tasks(our_scores, tasks, executor))
    return [
        faster(f"{total} automaton scores, this process, one thread", whole, ours, 100),
        faster(f"{total} automaton scores, default engine", whole, on_cores, 100),
    ]

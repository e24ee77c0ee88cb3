"""Ours: denoised bits of life-like automata, and whether they find the rules with gliders.

The named rules of the life map and others drawn at random, each with the raw bits, the excess and
the denoised bits of the same reservoirs and soups. The first draws are those of the life map.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.stats import rankdata

from novelty_lab.context import RunContext, RunResult, describe_device, devices_of, pack, unpack
from novelty_lab.observers import denoise_batch, score_batch
from novelty_lab.rank_correlation import spearman
from novelty_lab.studies.life.life_map.analysis import agreement, known
from novelty_lab.studies.life.life_map.life import (
    LifeConfig,
    features_and_targets,
    histories,
    life_observer,
    vary,
)
from novelty_lab.studies.life.life_map.results import areas_of, glider_groups
from novelty_lab.studies.life.life_map.stages import places, some_codes
from novelty_lab.systems import LifeRule, named_rules

MEASURES = ("bits", "excess", "denoised", "directions")
"""Raw bits, bits less floor, denoised bits, and how many directions of targets can be learned."""


@dataclass(frozen=True)
class Config(LifeConfig):
    """Which rules, and how they are sampled and observed: as on the life map."""

    floor_repeats: int = 16
    """Rearrangements of the residuals per draw, for the floor and the edge of the noise."""
    null_repeats: int = 0
    """Rearrangements of the targets; none."""
    rules: int = 4096
    """Rules with a name and at random, in all."""
    compared: int = 1000
    """How many of them are compared with the rules with gliders: the same as on the life map."""
    block: int = 512
    """Rules per task."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER, grid=31, samples=4, burn_in=100, window=8, channels=32, floor_repeats=4,
    rules=150, compared=150, block=75,
)  # fmt: skip


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Measure the rules, and ask how well each measure finds those with gliders."""
    codes = some_codes(config.rules, seed)
    settings = vary(config)
    blocks = np.array_split(codes, -(-len(codes) // config.block))
    tasks = {
        f"block {place}": (settings, block.tolist(), seed, context.device)
        for place, block in enumerate(blocks)
    }
    block_results = list(context.map(measure_block, tasks).values())
    by_draw = {
        m: np.concatenate([unpack(one[m]) for one in block_results], axis=1) for m in MEASURES
    }
    means = {name: values.mean(0, dtype=np.float64) for name, values in by_draw.items()}
    rows = named_rows(codes, means)
    groups = glider_groups(rows, np.intersect1d(codes, some_codes(config.compared, seed)))

    def areas(name: str) -> dict[str, Any]:
        def values(some: set[int]) -> np.ndarray:
            return means[name][places(codes, np.array(sorted(some)))]

        return areas_of(groups, values, seed)

    results = {
        "rules": len(codes),
        "named": rows,
        "areas": {name: areas(name) for name in MEASURES},
        "agreement": {name: agreement(by_draw[name]) for name in MEASURES},
        "correlations": {
            name: float(spearman(means[name], means["denoised"])) for name in MEASURES
        },
        "zero": {name: int((means[name] == 0).sum()) for name in MEASURES},
        "top": top_rules(codes, means, 30),
        "seconds": [one["seconds"] for one in block_results],
    }
    arrays = {name: values.astype(np.float32) for name, values in means.items()}
    scores = {row["name"]: row["denoised"] for row in rows}
    return RunResult(results, scores, {"codes": codes, **arrays}, devices_of(block_results))


def measure_block(config: LifeConfig, codes: Sequence[int], seed: int, device: str) -> Any:
    """Measure some rules in every draw: arrays (draws, rules)."""
    started = time.perf_counter()
    draws = [measure_rules(config, codes, seed, draw, device) for draw in range(config.draws)]
    by_measure = {name: pack(np.stack([one[name] for one in draws])) for name in MEASURES}
    seconds = round(time.perf_counter() - started, 1)
    return by_measure | {"device": describe_device(device), "seconds": seconds}


def measure_rules(
    config: LifeConfig, codes: Sequence[int], seed: int, draw: int, device: str = "cpu"
) -> dict[str, np.ndarray]:
    """Measure rules in one draw: for each of ``MEASURES`` one number a rule."""
    observer = life_observer(config, seed, draw, device)
    orders, code = observer.floor_orders, {"resolution": config.resolution}
    code["ridge_penalty"] = config.ridge_penalty
    chunks: list[torch.Tensor] = []
    for cells in histories(config, codes, observer.soups):
        data = features_and_targets(observer, cells)
        raw, denoised = score_batch(*data, orders, [], **code), denoise_batch(*data, orders, **code)
        excess = raw.bits - raw.floor_bits.mean(1)
        chunks.append(torch.stack([raw.bits, excess, denoised.bits, denoised.directions.double()]))
    return dict(zip(MEASURES, torch.cat(chunks, 1).cpu().numpy(), strict=True))


def named_rows(codes: np.ndarray, means: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """List the named rules with what is known of them, their measures and ranks."""
    ranks = {name: len(codes) + 1 - rankdata(values) for name, values in means.items()}
    rows: list[dict[str, Any]] = []
    for named in named_rules():
        (here,) = places(codes, np.array([named.rule.number]))
        numbers = {name: float(values[here]) for name, values in means.items()}
        place = {name: float(values[here]) for name, values in ranks.items()}
        rows.append({**known(named), **numbers, "ranks": place})
    return rows


def top_rules(codes: np.ndarray, means: dict[str, np.ndarray], count: int) -> list[dict[str, Any]]:
    """List the rules of most denoised bits."""
    names = {one.rule.number: one.name for one in named_rules()}
    return [
        {
            "rule": str(LifeRule(int(codes[i]))),
            "name": names.get(int(codes[i])),
            **{name: float(values[i]) for name, values in means.items()},
        }
        for i in np.argsort(-means["denoised"], kind="stable")[:count]
    ]

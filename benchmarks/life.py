"""The life map: how many rules a second, where the time goes, and whether a GPU agrees.

``python -m benchmarks.life --device cuda`` checks a few rules against the CPU and the plain
definition, and profiles; with ``--save`` both are written to benchmarks/results-life.json, with the
machine they were measured on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from novelty_lab import records
from novelty_lab.context import describe_device
from novelty_lab.runner import configure
from novelty_lab.studies.life_map.life import (
    LifeConfig,
    life_observer,
    observe,
    pack_bits,
    rules_at_once,
    score_rules,
    simulate,
    vary,
)
from novelty_lab.systems.life import LifeRule

SEED = 0
NAMED = ("B3/S23", "B36/S23", "B3678/S34678", "B368/S245", "B35678/S5678", "B2/S", "B1357/S1357",
         "B01234/S5678", "B/S", "B0123478/S01234678")  # fmt: skip


def check(config: LifeConfig, device: str) -> dict[str, float]:
    """Compare cells with the definition and scores with the CPU's: the largest differences."""
    codes = [LifeRule(text).number for text in NAMED]
    observer = life_observer(config, SEED, 0, device)
    frames = simulate(config, codes, observer.soups)
    wrong = 0
    for place, code in enumerate(codes):
        soups = observer.soups.cpu().numpy()
        first = LifeRule(code).advance(soups, config.burn_in)
        wrong += int((frames[0].cells(place, place + 1)[0].cpu().numpy() != first).sum())
        ours = frames[1].cells(place, place + 1)[0].cpu().numpy()
        wrong += int((ours != LifeRule(code).step(first)).sum())
    there, here = (score_rules(config, codes, SEED, 0, where) for where in (device, "cpu"))
    largest = {name: float(np.abs(there[name] - here[name]).max()) for name in here}
    return {"wrong cells": wrong} | largest


def profile(config: LifeConfig, device: str, rules: int) -> dict[str, float]:
    """Time one draw of random rules, and its parts: milliseconds a rule."""
    codes = np.random.default_rng(SEED).permutation(1 << 18)[:rules].tolist()
    score_rules(config, codes[:64], SEED, 0, device)  # compiles, allocates
    observer = life_observer(config, SEED, 0, device)
    kind = torch.device(device).type
    chunk = min(rules, rules_at_once(config, kind))
    frames, simulating = _timed(lambda: simulate(config, codes, observer.soups), device)
    cells, unpacking = _timed(
        lambda: torch.stack([frame.cells(0, chunk) for frame in frames], 2), device
    )
    _, features = _timed(lambda: observer.torus(cells[:, :, 0].flatten(0, 1)), device)
    _, observing = _timed(lambda: observe(config, observer, cells), device)
    _, packing = _timed(lambda: pack_bits(cells[:, 0]).cpu(), device)
    _, everything = _timed(lambda: score_rules(config, codes, SEED, 0, device), device)
    return {
        "rules a second and draw": rules / everything,
        "everything": 1e3 * everything / rules,
        "simulation": 1e3 * simulating / rules,
        "unpacking": 1e3 * unpacking / chunk,
        "features": 1e3 * features / chunk,
        "features, moments, solves, floor, null": 1e3 * observing / chunk,
        "packing for zlib": 1e3 * packing / chunk,
        "rules at once": chunk,
    }


def _timed(work: Callable[[], Any], device: str) -> tuple[Any, float]:
    def settle() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    settle()
    started = time.perf_counter()
    made = work()
    settle()
    return made, time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> int:
    """Check and profile, or fill the journal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.life", description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rules", type=int, default=2048, help="rules to time")
    parser.add_argument("--config", default="paper", choices=("paper", "quick"))
    parser.add_argument("--draws", type=int, help="draws of the map")
    parser.add_argument("--channels", type=int, help="reservoir channels")
    parser.add_argument(
        "--save", type=Path, nargs="?", const=Path(__file__).with_name("results-life.json"),
        help="also write benchmarks/results-life.json, or this file",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    changes = {k: v for k in ("draws", "channels") if (v := getattr(options, k)) is not None}
    config = vary(configure("life-map", options.config, changes)[1])
    print(describe_device(options.device), torch.__version__)
    found = check(config, options.device)
    print(json.dumps(found, indent=1), flush=True)
    spent = profile(config, options.device, options.rules)
    print(json.dumps(spent, indent=1), flush=True)
    if options.save is not None:
        save(options.save, options.device, config, found, spent)
    return 0


def save(
    path: Path, device: str, config: LifeConfig, found: dict[str, float], spent: dict[str, float]
) -> None:
    """Write the check and the profile, and what they were measured on."""
    about = {
        "device": describe_device(device),
        "versions": records.versions(),
        "config": records.configuration_of(config),
    }
    parts = ("simulation", "unpacking", "features, moments, solves, floor, null")
    shares = {name: spent[name] / spent["everything"] for name in parts}
    held = about | {"check": found, "milliseconds a rule and draw": spent, "shares": shares}
    path.write_text(json.dumps(held, indent=1) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    raise SystemExit(main())

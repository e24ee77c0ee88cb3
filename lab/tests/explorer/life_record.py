"""A record of the life map's form and full size, with made-up numbers."""

from __future__ import annotations

import numpy as np

from novelty_lab.records import Record
from novelty_lab.studies.life_map.results import GRAIN
from novelty_lab.systems.life import LifeRule
from novelty_lab.systems.life_catalogue import named_rules

SETTINGS = {
    "grid": 67, "samples": 8, "draws": 2, "window": 16, "density": 0.5, "burn_in": 1000,
    "again_grid": 131, "again_draws": 8,
}  # fmt: skip
BEST = LifeRule("B356/S1247").number


def life_record() -> Record:
    """Return a whole map: random integers, the record's own form."""
    generator = np.random.default_rng(7)
    made = {
        name: generator.integers(0, round(1 / grain) if grain < 0.01 else 2000, (512, 512))
        for name, grain in GRAIN.items()
    }
    arrays: dict[str, np.ndarray] = {name: values.astype(np.int16) for name, values in made.items()}
    names = named_rules()
    codes = np.union1d([one.rule.number for one in names], [BEST, LifeRule("B5/S7").number]).astype(
        np.int32
    )
    arrays["again_codes"] = codes
    arrays["again_excess"] = np.where(codes == BEST, 99.5, 5.0).astype(np.float32)
    arrays["again_half_width"] = np.full(len(codes), 0.75, np.float32)
    arrays["again_bits"] = arrays["again_excess"] + 1
    named = [
        {"name": one.name, "rule": str(one.rule), "also": list(one.also), "gliders": one.gliders,
         "source": one.source,
         "universal": None,
         "ranks": {"excess": float(place)}}
        for place, one in enumerate(names, start=1)
    ]  # fmt: skip
    results = {"rules": 512 * 512, "summary": {"zero": 17}, "named": named, "grain": GRAIN}
    return Record("life-map", "paper", SETTINGS, 0, results, None, arrays)


def excess(record: Record) -> np.ndarray:
    """Return excess bits by survival and birth mask."""
    grain = record.results["grain"]
    return record.arrays["bits"] * grain["bits"] - record.arrays["floor"] * grain["floor"]

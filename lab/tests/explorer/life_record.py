"""A record of the life map's form and full size, with made-up numbers."""

from __future__ import annotations

import numpy as np

from lab.tests.systems.life_patterns import PATTERNS, read_rle
from novelty_lab.records import Record
from novelty_lab.studies.life_map.results import GRAIN
from novelty_lab.systems.life import LifeRule
from novelty_lab.systems.life_catalogue import named_rules

SETTINGS = {
    "grid": 67, "samples": 8, "draws": 2, "window": 16, "density": 0.5, "burn_in": 1000,
    "again_grid": 131, "again_draws": 8,
}  # fmt: skip
GLIDER = {
    "kind": "c/4 diagonal, period 4",
    "period": 4,
    "displacement": [1, 1],
    "count": 3,
    "pattern": read_rle(PATTERNS["glider"]).tolist(),
}
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
    arrays["pictures"] = generator.integers(0, 17, (3, 131, 131)).astype(np.uint8)
    named = [
        {"name": one.name, "rule": str(one.rule), "also": list(one.also), "gliders": one.gliders,
         "source": one.source,
         "universal": None,
         "ranks": {"excess": float(place)}, "moving": [GLIDER] if one.name == "Life" else []}
        for place, one in enumerate(names, start=1)
    ]  # fmt: skip
    entry = {"rule": str(LifeRule(BEST)), "sentence": "Measured.", "looked": {"kinds": []}}
    other = entry | {"rule": "B5/S7"}
    results = {
        "rules": 512 * 512, "summary": {"zero": 17}, "named": named, "gallery": [entry],
        "steady_gallery": [other, entry], "grain": GRAIN,
    }  # fmt: skip
    return Record("life-map", "paper", SETTINGS, 0, results, None, arrays)


def excess(record: Record) -> np.ndarray:
    """Return excess bits by survival and birth mask."""
    grain = record.results["grain"]
    return record.arrays["bits"] * grain["bits"] - record.arrays["floor"] * grain["floor"]

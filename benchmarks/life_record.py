"""Bring the record of the life map up to the present catalogue and meter, on a CPU.

The scores of all rules and the second scores of the best stay as they are. Done again: what the
catalogue says, Lempel and Ziv's parsings, the areas under the ROC curves, the closer looks with
their pictures and sentences, and with ``--study`` the study of the settings. Rules that the
catalogue names now and did not then are scored and scored again. A note of what was done goes into
the record.

``python -m benchmarks.life_record results/life-map/paper-seed0 --journal FILE --note TEXT``;
stopped, it goes on where it was.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from novelty_lab import records
from novelty_lab.context import RunContext, unpack
from novelty_lab.records import Record
from novelty_lab.studies.life_map import experiment as life_map
from novelty_lab.studies.life_map.analysis import (
    compare_settings,
    excess_by_draw,
    finite,
    half_widths,
    intraclass,
    known,
    langton,
)
from novelty_lab.studies.life_map.life import vary
from novelty_lab.studies.life_map.look import describe
from novelty_lab.studies.life_map.results import glider_areas, rule_measures
from novelty_lab.studies.life_map.stages import (
    map_codes,
    random_codes,
    score_all,
    study_settings,
)
from novelty_lab.systems.life import LifeRule
from novelty_lab.systems.life_catalogue import NamedRule, named_rules

Measures = dict[str, np.ndarray]


def refreshed(record: Record, context: RunContext, *, study: bool) -> Record:
    """Return the record with all that needs no new score of all rules done again."""
    config = life_map.Config(
        **{k: tuple(v) if isinstance(v, list) else v for k, v in record.configuration.items()}
    )
    seed, results, arrays = record.seed, dict(record.results), dict(record.arrays)
    measures = map_measures(record)
    named = _named(config, record, measures, arrays, context)
    codes = random_codes(config.random_rules, map_codes().ravel(), seed)
    parsed = life_map.lempel_ziv_of(config, codes, seed, context)
    life_map.add_lempel_ziv(named, parsed)
    listed = [entry["rule"] for key in GALLERIES for entry in results[key]]
    wanted = [LifeRule(rule).number for rule in [*listed, *(row["rule"] for row in named)]]
    looked = life_map.look_closely(config, wanted, seed, context)
    for row in named:
        row["moving"] = looked[LifeRule(row["rule"]).number]["kinds"]
    for key in GALLERIES:
        results[key] = [_entry(entry, looked) for entry in results[key]]
    pictures = [unpack(looked[LifeRule(rule).number]["picture"]) for rule in listed]
    arrays["pictures"] = np.array(pictures, dtype=np.uint8)
    results["named"], results["lempel_ziv_rules"] = named, len(parsed)
    results["areas"] = glider_areas(named, map_codes().ravel(), codes, measures, parsed, seed)
    results["summary"] = _summary(record, arrays, measures["excess"])
    if study:
        results |= _study(config, seed, context)
    names = {row["name"]: row["again_excess"] for row in named}
    return dataclasses.replace(record, results=results, scores=names, arrays=arrays)


GALLERIES = ("gallery", "steady_gallery")


def map_measures(record: Record) -> Measures:
    """Return the measures of all rules by the order of the map, as precisely as they are kept."""
    grain = record.results["grain"]
    held = {name: record.arrays[name].ravel() * unit for name, unit in grain.items()}
    return held | {"excess": held["bits"] - held["floor"], "lambda": langton(map_codes().ravel())}


def _summary(record: Record, arrays: Measures, excess: np.ndarray) -> dict[str, Any]:
    spread = record.arrays["excess_sd"].ravel() * record.results["grain"]["excess_sd"]
    held = {"draw_spearman": None} | record.results["summary"]
    correlation = intraclass(excess, spread, record.configuration["draws"])
    return held | {"draw_correlation": correlation, "again": len(arrays["again_codes"])}


def _named(
    config: life_map.Config,
    record: Record,
    measures: Measures,
    arrays: Measures,
    context: RunContext,
) -> list[dict[str, Any]]:
    """Return the rows of the named rules; arrays take in the second scores of new ones."""
    held = {row["rule"]: row for row in record.results["named"]}
    new = [one for one in named_rules() if str(one.rule) not in held]
    if new:
        held |= _scored(config, record.seed, new, measures, arrays, context)
    rows = [held[str(one.rule)] | known(one) for one in named_rules()]
    for row in rows:
        above = arrays["again_excess"] > np.float32(row["again_excess"])
        row["again_rank"] = 1 + int(above.sum())
    return rows


def _scored(
    config: life_map.Config, seed: int, new: list[NamedRule], measures: Measures,
    arrays: Measures, context: RunContext,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Score rules that had no name; their ranks are those among the rules as they are kept."""
    codes = np.array([one.rule.number for one in new])
    larger = vary(config, grid=config.again_grid, draws=config.again_draws)
    found = rule_measures(codes, score_all(context, "new map", config, codes, seed, 1))
    again = score_all(context, "new again", larger, codes, seed, 1, first_draw=config.draws)
    excess = excess_by_draw(again)
    widths = half_widths(excess)
    added = ~np.isin(codes, arrays["again_codes"])
    later = {
        "codes": codes, "excess": excess.mean(0), "half_width": widths,
        "bits": again["bits"].mean(0),
    }  # fmt: skip
    order = np.argsort(np.concatenate([arrays["again_codes"], codes[added]]))
    for name, values in later.items():
        both = np.concatenate([arrays[f"again_{name}"], values[added]])[order]
        arrays[f"again_{name}"] = both.astype(arrays[f"again_{name}"].dtype)
    return {
        str(one.rule): {
            "measures": {name: float(values[i]) for name, values in found.items()},
            "ranks": {name: _rank(measures[name], one) for name in found},
            "again_excess": float(excess[:, i].mean()),
            "again_half_width": finite(float(widths[i])),
        }
        for i, one in enumerate(new)
    }


def _rank(kept: np.ndarray, one: NamedRule) -> float:
    """Return a rule's rank among all, 1 for most, ties sharing the mean of their places."""
    own = kept.reshape(512, 512)[one.rule.survival_mask, one.rule.birth_mask]
    return float((kept > own).sum() + ((kept == own).sum() + 1) / 2)


def _entry(entry: dict[str, Any], looked: dict[int, dict[str, Any]]) -> dict[str, Any]:
    found = looked[LifeRule(entry["rule"]).number]
    seen = {name: value for name, value in found.items() if name != "picture"}
    return entry | {"looked": seen, "sentence": describe(entry["measures"], seen)}


def _study(config: life_map.Config, seed: int, context: RunContext) -> dict[str, Any]:
    some = random_codes(config.study_rules, map_codes().ravel(), seed)
    found = score_all(context, "study reference", config, some, seed, 64)
    study = study_settings(config, some, found, seed, context)
    return {"settings": compare_settings(study), "study_rules": len(some)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Refresh a record in its place."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.life_record", description=__doc__)
    parser.add_argument("record", type=Path, help="folder of the record")
    parser.add_argument("--journal", type=Path, required=True, help="file of finished parts")
    parser.add_argument("--study", action="store_true", help="the study of the settings, too")
    parser.add_argument("--note", required=True, help="what the record says of this")
    options = parser.parse_args(arguments)
    record = records.load(options.record)
    journal = records.Journal(options.journal, record.configuration)
    done = refreshed(
        record, RunContext(journal=journal, report=lambda at, of: print(at, of, flush=True)),
        study=options.study,
    )  # fmt: skip
    notes = [*record.results.get("afterwards", []), options.note]
    dataclasses.replace(done, results=done.results | {"afterwards": notes}).save(
        options.record.parents[1]
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

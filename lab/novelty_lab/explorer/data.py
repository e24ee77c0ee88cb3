"""What the page shows: records, reduced to compact JSON.

Every panel has one entry, and is missing where its record is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from novelty_lab import ledger, records
from novelty_lab.artefacts.rl_table.runs import EXPERIMENT, collect
from novelty_lab.explorer.agents import agents, rooms
from novelty_lab.explorer.life import life
from novelty_lab.explorer.packing import packed, rounded, short
from novelty_lab.explorer.sprites import sprite_sheet
from novelty_lab.ledger import Row
from novelty_lab.records import Record

RUN = "paper-seed0"
CURVE_POINTS = 250
"""Points of a training curve on the page."""


def collect_data(results: Path) -> Iterator[tuple[str, Any]]:
    """Yield names and contents of the data files that a results folder can fill."""
    for name, reduce in _REDUCERS.items():
        path = results / name / RUN
        if (path / "record.json").is_file():
            yield from reduce(records.load(path))
    runs = [records.load(path) for path in records.find(results, EXPERIMENT)]
    sorted_runs = collect(runs)
    if sorted_runs.cells:
        yield "agents", agents(sorted_runs)
    yield (
        "ledger",
        {
            "rows": [_claim(row, results) for row in ledger.rows(results)],
            "rules": {kind: ledger.rule_text(kind) for kind in ledger.RULES},
        },
    )


def originals(results: Path, rows: list[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield the records and figures that rows of the ledger name, under those names."""
    named = {name for row in rows for name in [*row["records"], row["figure"]] if name}
    for name in sorted(named):
        yield name, (results / Path(name).relative_to("results")).read_bytes()


def _claim(row: Row, results: Path) -> dict[str, Any]:
    """Write a row as the terminal does, and name its files as the page does."""

    def name(path: Path) -> str:
        return f"results/{path.relative_to(results).as_posix()}"

    claim = row.claim
    about = {part: getattr(claim, part) for part in ("id", "section", "kind", "statement")}
    return about | {
        "paper": ledger.paper_text(claim),
        "ours": ledger.ours_text(row),
        "runs": row.runs,
        "verdict": row.verdict,
        "note": row.note,
        "command": row.command,
        "records": [name(Path(record) / "record.json") for record in row.records],
        "figure": name(Path(row.figure)) if row.figure else "",
    }


def automata(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``eca``: bits, floor and class of each of the 88 rules, by rank."""
    scores, found = record.scores or {}, record.results
    rules = [
        {
            "rule": int(rule),
            "bits": short(scores[rule]),
            "sd": short(found["sd"][rule]),
            "floor": short(found["floor"][rule]),
            "excess": short(found["excess"][rule]),
            "rank": place,
            "rank_by_excess": found["rank_by_excess"][rule],
            "wolfram_class": found["wolfram_class"][rule],
        }
        for place, rule in enumerate(found["ranking"], start=1)
    ]
    sizes = {name: record.configuration[name] for name in ("draws", "samples")}
    yield "automata", {"rules": rules, **sizes}


def neural(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``nca``: one overview, and one file of weights per run, read when it is asked for."""
    config, found = record.configuration, record.results
    runs: dict[str, Any] = {}
    for name, run in found["runs"].items():
        key = name.replace(" ", "-")
        curve = record.arrays[f"curve/{key}"]
        every = max(1, len(curve) // CURVE_POINTS)
        runs[key] = {
            "update": name.split()[0],
            "seed": int(name.split()[-1]),
            "start": short(run["start"]),
            "final": short(run["final"]),
            "curve": [short(value) for value in curve[::every]],
            "every": every,
            "travelling": [
                short(float(np.mean(run["solitons"][when]["travelling"])))
                for when in ("start", "end")
            ],
        }
        yield f"neural-{key}", {"weights": packed(record.arrays[f"weights/{key}"])}
    sizes = {name: config[name] for name in ("hidden", "radius", "window", "steps")}
    yield "neural", {"runs": runs, "checkpoints": found["checkpoints"], **sizes}


def flows(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``flows``: bits beside the paper's, and the points of the portraits."""
    claims = {claim.id: claim.value for claim in ledger.load_claims()}
    found = {
        name: {
            "bits": short(bits),
            "sd": short(record.results["sd"][name]),
            "chaotic": record.results["chaotic"][name],
            "paper": claims.get(f"flows.{name.lower()}", claims["flows.linear"]),
            "path": packed(record.arrays[f"portrait_{name}"].astype(np.float32)),
        }
        for name, bits in (record.scores or {}).items()
    }
    yield "flows", {"flows": found}


def criticality(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``criticality``: chi against depth, gain and input scale, as mean and sd."""
    held = ("depths", "gains", "input_scales", "depth")
    config = {name: record.configuration[name] for name in held}
    names = {name: record.results[name] for name in ("architectures", "activations")}
    chi = {
        f"by_{name}": rounded(record.arrays[name])
        for name in ("depth", "gain", "gain_theory", "scale")
    }
    yield "criticality", {**config, **names, **chi}


def robustness(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``eca-scan``: the cells of the two heat maps."""
    cells = [
        {key: short(value) if isinstance(value, float) else value for key, value in cell.items()}
        for cell in record.results["cells"].values()
    ]
    yield "robustness", {"cells": cells}


def encoder(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``encoder``: the map at every checkpoint, the score and the probes."""
    found = record.results
    measures = ("bits", "linear", "neighbours", "clusters")
    points = record.arrays["projection"]
    low, high = points.min((1, 2), keepdims=True), points.max((1, 2), keepdims=True)
    yield (
        "encoder",
        {
            "steps": found["steps"],
            "chance": short(found["chance"]),
            "controls": found["controls"],
            "seeds": len(record.arrays["scores"]),
            "probe_train": record.configuration["probe_train"],
            "code_dim": record.configuration["code_dim"],
            **{name: found[name] for name in measures},
            "points": packed(((points - low) / (high - low)).astype(np.float32)),
            "labels": packed(record.arrays["projected_labels"]),
        },
    )
    if "projected_images" in record.arrays:
        yield "encoder-images", sprite_sheet(record.arrays["projected_images"])


def encoder_controls(record: Record) -> Iterator[tuple[str, Any]]:
    """Reduce ``encoder-controls``: the table of codes."""
    selected = record.configuration["selected"]
    yield "encoder-controls", {"table": record.results["table"], "selected": selected}


_REDUCERS: dict[str, Callable[[Record], Iterator[tuple[str, Any]]]] = {
    "eca": automata,
    "nca": neural,
    "flows": flows,
    "criticality": criticality,
    "eca-scan": robustness,
    "encoder": encoder,
    "encoder-controls": encoder_controls,
    "rooms": rooms,
    "life-map": life,
}
"""Experiments with a panel: how their record becomes data files."""

"""The map of the life-like automata: where bits are, what is known there, and what is not."""

from __future__ import annotations

from typing import Any

from novelty_lab.artefacts.life_map.names import GROUPS, MEASURES, share, with_width
from novelty_lab.artefacts.life_map.pictures import extra_figures, figure
from novelty_lab.records import Record
from novelty_lab.report import Table

__all__ = ["extra_figures", "figure", "tables"]

GLIDERS = {True: "yes", False: "no", None: "?"}


def tables(record: Record) -> list[Table]:
    """List the named rules, the areas, the settings, the complements, and the gallery."""
    results = record.results
    return [
        _named(results),
        _ranks(results),
        _changes(results),
        _areas(results),
        _settings(results),
        _complements(results),
        _gallery("highest rules without a name", results["gallery"]),
        _gallery("highest of these whose empty plane does not flash", results["steady_gallery"]),
    ]


RANKED = {
    "excess": "excess",
    "bits": "raw",
    "compressed": "gzip",
    "lempel_ziv": "LZ",
    "entropy": "entropy",
    "lambda": "lambda",
}
"""Measures that rules are ranked by, and their short names."""


def _named(results: dict[str, Any]) -> Table:
    rows = [
        [
            row["name"],
            row["rule"],
            GLIDERS[row["gliders"]],
            f"{row['measures']['excess']:.1f}",
            with_width(row["again_excess"], row["again_half_width"]),
            f"{row['again_rank']}",
        ]
        for row in _by_second_score(results)
    ]
    columns = ["name", "rule", "gliders", "on the map", "again (95%)", "place"]
    return Table(
        "Rules with a name: excess bits on the map and again on the larger tori, and their place "
        f"among the {results['summary']['again']} that were scored again",
        columns,
        rows,
        tuple(columns[1:]),
    )


def _ranks(results: dict[str, Any]) -> Table:
    rows = [
        [row["name"], *(f"{row['ranks'][name]:.0f}" for name in RANKED)]
        for row in _by_second_score(results)
    ]
    return Table(
        f"Where they rank among {results['rules']} rules on the map; 1 has most. LZ: Lempel-Ziv, "
        f"among {results['lempel_ziv_rules']} rules",
        ["name", *RANKED.values()],
        rows,
        tuple(RANKED.values()),
    )


def _by_second_score(results: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(results["named"], key=lambda row: -row["again_excess"])


def _changes(results: dict[str, Any]) -> Table:
    rows = [
        [
            share(row),
            str(row["rules"]),
            *(f"{row[name][1]:.1f}" for name in ("excess", "bits", "floor", "null")),
            f"{row['excess'][2]:.1f}",
        ]
        for row in results["summary"]["by_change"]
    ]
    return Table(
        "By the share of cells that differ after two steps: medians in bits",
        ["below, %", "rules", "excess", "raw", "floor", "null", "excess, 95% quantile"],
        rows,
    )


def _areas(results: dict[str, Any]) -> Table:
    rows = [
        [MEASURES[name], *(_interval(groups.get(group)) for group in GROUPS)]
        for name, groups in results["areas"].items()
    ]
    return Table(
        "Known to support gliders: area under the ROC curve (95%), 0.5 is chance",
        ["measure", *(f"against {label}" for _, label in GROUPS.values())],
        rows,
    )


def _interval(area: dict[str, float] | None) -> str:
    if area is None:
        return "-"
    return f"{area['area']:.2f} ({area['low']:.2f} to {area['high']:.2f})"


def _settings(results: dict[str, Any]) -> Table:
    rows = [
        [
            name.replace("=", " "),
            f"{found['spearman_excess']:.3f}",
            f"{found['spearman_bits']:.3f}",
            f"{found['top_shared']:.2f}",
            f"{found['mean_excess']:.2f}",
        ]
        for name, found in results["settings"].items()
    ]
    return Table(
        f"One setting changed: rank correlation with the reference, {results['study_rules']} rules",
        ["setting", "by excess", "by raw bits", "best tenth shared", "mean excess"],
        rows,
    )


def _complements(results: dict[str, Any]) -> Table:
    what = {"signed": "cells as -1 and 1", "binary": "cells as 0 and 1", "map": "the whole map"}
    rows = [
        [
            what[name],
            str(found["pairs"]),
            f"{100 * found['told_apart']:.1f}%",
            f"{found['rms_difference']:.2f}",
            f"{found['mean_spread']:.2f}",
            f"{found['correlation']:.4f}",
        ]
        for name, found in results["complements"].items()
    ]
    return Table(
        "A rule and its complement: told apart at 5%, difference and its spread in bits",
        ["states", "pairs", "told apart", "rms difference", "spread over draws", "correlation"],
        rows,
    )


def _gallery(title: str, entries: list[dict[str, Any]]) -> Table:
    rows = [
        [
            str(place),
            entry["rule"],
            with_width(entry["excess"], entry["half_width"]),
            entry["sentence"],
        ]
        for place, entry in enumerate(entries, start=1)
    ]
    return Table(
        f"The {len(rows)} {title}, one of each pair of complements",
        ["", "rule", "excess (95%)", "measured"],
        rows,
        ("", "rule", "excess (95%)"),
    )

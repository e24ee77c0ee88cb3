"""The map of the life-like automata: where bits are, what is known there, and what is not."""

from __future__ import annotations

from typing import Any

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.studies.life_map.pictures import (
    GROUPS,
    MEASURES,
    extra_figures,
    figure,
    share,
    with_width,
)
from novelty_lab.tables import named, table

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
    columns = {
        "name": "{name}",
        "rule": "{rule}",
        "gliders": lambda row: GLIDERS[row["gliders"]],
        "on the map": "{measures[excess]:.1f}",
        "again (95%)": lambda row: with_width(row["again_excess"], row["again_half_width"]),
        "place": "{again_rank}",
    }
    title = (
        "Rules with a name: excess bits on the map and again on the larger tori, and their place "
        f"among the {results['summary']['again']} that were scored again"
    )
    return table(title, columns, _by_second_score(results), unbroken=list(columns)[1:])


def _ranks(results: dict[str, Any]) -> Table:
    columns = {label: f"{{ranks[{key}]:.0f}}" for key, label in RANKED.items()}
    title = (
        f"Where they rank among {results['rules']} rules on the map; 1 has most. LZ: Lempel-Ziv, "
        f"among {results['lempel_ziv_rules']} rules"
    )
    rows = _by_second_score(results)
    return table(title, {"name": "{name}", **columns}, rows, unbroken=list(columns))


def _by_second_score(results: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(results["named"], key=lambda row: -row["again_excess"])


def _changes(results: dict[str, Any]) -> Table:
    columns = {
        "below, %": share,
        "rules": "{rules}",
        "excess": "{excess[1]:.1f}",
        "raw": "{bits[1]:.1f}",
        "floor": "{floor[1]:.1f}",
        "null": "{null[1]:.1f}",
        "excess, 95% quantile": "{excess[2]:.1f}",
    }
    title = "By the share of cells that differ after two steps: medians in bits"
    return table(title, columns, results["summary"]["by_change"])


def _areas(results: dict[str, Any]) -> Table:
    title = "Known to support gliders: area under the ROC curve (95%), 0.5 is chance"
    columns = ["measure", *(f"against {label}" for _, label in GROUPS.values())]
    rows = [
        [MEASURES[name], *(_interval(groups.get(group)) for group in GROUPS)]
        for name, groups in results["areas"].items()
    ]
    return Table(title, columns, rows)


def _interval(area: dict[str, float] | None) -> str:
    return "-" if area is None else "{area:.2f} ({low:.2f} to {high:.2f})".format(**area)


def _settings(results: dict[str, Any]) -> Table:
    columns = {
        "setting": lambda row: row["name"].replace("=", " "),
        "by excess": "{spearman_excess:.3f}",
        "by raw bits": "{spearman_bits:.3f}",
        "best tenth shared": "{top_shared:.2f}",
        "mean excess": "{mean_excess:.2f}",
    }
    number = results["study_rules"]
    title = f"One setting changed: rank correlation with the reference, {number} rules"
    return table(title, columns, named(results["settings"]))


def _complements(results: dict[str, Any]) -> Table:
    states = {"signed": "cells as -1 and 1", "binary": "cells as 0 and 1", "map": "the whole map"}
    columns = {
        "states": lambda row: states[row["name"]],
        "pairs": "{pairs}",
        "told apart": "{told_apart:.1%}",
        "rms difference": "{rms_difference:.2f}",
        "spread over draws": "{mean_spread:.2f}",
        "correlation": "{correlation:.4f}",
    }
    title = "A rule and its complement: told apart at 5%, difference and its spread in bits"
    return table(title, columns, named(results["complements"]))


def _gallery(title: str, entries: list[dict[str, Any]]) -> Table:
    columns = {
        "": "{place}",
        "rule": "{rule}",
        "excess (95%)": lambda row: with_width(row["excess"], row["half_width"]),
        "measured": "{sentence}",
    }
    rows = [{**entry, "place": place} for place, entry in enumerate(entries, start=1)]
    title = f"The {len(rows)} {title}, one of each pair of complements"
    return table(title, columns, rows, unbroken=list(columns)[:3])

"""The map of life-like automata."""

from __future__ import annotations

from docs.hooks.tables.records import markdown, record
from novelty_lab.studies.life_map.pictures import MEASURES as LIFE_MEASURES

LIFE_NAMES = ("Anneal", "Holstein", "Day & Night", "Life", "Diamoeba", "HighLife", "Morley")


def life_areas() -> str:
    """Give the area under the ROC curve of rules with gliders, by measure."""
    areas = record("life-map")["areas"]
    groups = areas["excess"]
    columns = [
        f"against the {groups['named']['negatives']} other named rules",
        f"against {groups['random']['negatives']} rules drawn at random",
        f"against the {groups['proved']['negatives']} of these proved to have none",
    ]

    def area(key: str, group: str) -> str:
        one = areas[key][group]
        return f"{one['area']:.2f} ({one['low']:.2f} to {one['high']:.2f})"

    rows = [
        [title, *(area(key, group) for group in ("named", "random", "proved"))]
        for key, title in LIFE_MEASURES.items()
    ]
    return markdown(["measure", *columns], rows)


def life_named() -> str:
    """List well-known rules with their excess on the map and scored again."""
    named = {row["name"]: row for row in record("life-map")["named"]}
    rows = [
        [
            name,
            f"{named[name]['measures']['excess']:.1f}",
            f"{named[name]['again_excess']:.1f} ± {named[name]['again_half_width']:.1f}",
            f"{named[name]['again_rank']:,}",
        ]
        for name in LIFE_NAMES
    ]
    columns = ["excess on the map", "again (95%)", "place among the best, again"]
    return markdown(["rule", *columns], rows)


LIFE_RANKED = (
    "Life",
    "HighLife",
    "Day & Night",
    "Morley",
    "Diamoeba",
    "Anneal",
    "2x2",
    "34 Life",
    "Long Life",
    "Replicator",
    "Seeds",
    "Maze",
    "Coral",
)
RANK_TITLES = {
    "excess": "excess",
    "bits": "raw bits",
    "compressed": "gzip",
    "lempel_ziv": "Lempel-Ziv",
    "entropy": "3 × 3 entropy",
    "lambda": "lambda",
}


def life_ranks() -> str:
    """Give the ranks of well-known rules by several measures."""
    named = {row["name"]: row["ranks"] for row in record("life-map")["named"]}
    rows = [[name, *(f"{named[name][key]:,.0f}" for key in RANK_TITLES)] for name in LIFE_RANKED]
    return markdown(["rule", *RANK_TITLES.values()], rows)


LIFE_SETTINGS = {
    "initial density 0.25, 0.75": ("density=0.25", "density=0.75"),
    "burn-in 100, 2000": ("burn_in=100", "burn_in=2000"),
    "grid 64, 97": ("grid=64", "grid=97"),
    "window 8, 32": ("window=8", "window=32"),
    "tori 4, 16": ("samples=4", "samples=16"),
    "channels 64, 256": ("channels=64", "channels=256"),
    "depth 2 (sees 3 × 3)": ("depth=2",),
    "input scale 0.3": ("input_scale=0.3",),
    "cells as 0 and 1": ("states=binary",),
    "another draw": ("another draw",),
}


def life_settings() -> str:
    """Say how the ranking of life-like rules depends on the settings of the score."""
    settings = record("life-map")["settings"]
    keys = ("spearman_excess", "spearman_bits", "top_shared")
    rows = [
        [title, *(", ".join(f"{settings[name][key]:.2f}" for name in names) for key in keys)]
        for title, names in LIFE_SETTINGS.items()
    ]
    columns = ["rank correlation by excess", "by raw bits", "best tenth shared"]
    return markdown(["setting", *columns], rows)

"""The map of life-like automata."""

from __future__ import annotations

from docs.hooks.tables.records import markdown, record

LIFE_NAMES = ("Anneal", "Holstein", "Day & Night", "Life", "Diamoeba", "HighLife", "Morley")


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

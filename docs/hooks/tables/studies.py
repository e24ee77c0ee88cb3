"""Tables of the appendices and of our own studies."""

from __future__ import annotations

from docs.hooks.tables.records import markdown, record


def durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    from novelty_lab.registry import all_artefacts

    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = ([f"`{one.name}`", one.title, one.takes] for one in timed)
    return markdown(["artefact", "shows", "takes"], rows)


def calibration() -> str:
    """Give how often the tests say yes, to noise and to relations."""

    def share(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    names = "rate", "dependence", "bend", "kept", "refused"
    rows = [
        [cell.replace("|", "\\|"), *(share(row[name]) for name in names), str(row["sets"])]
        for cell, row in record("calibration")["tests"].items()
    ]
    heads = "data", "p ≤ 0.05", "any dependence", "a bend", "direction kept", "no p-value", "sets"
    return markdown(heads, rows)


def calibration_coverage() -> str:
    """Give how often the interval of the held-out variance covers its population value."""
    rows = [
        [name, f"{row['covered']:.2f}", f"{row['share']:.3f}", f"{row['population']:.3f}"]
        for name, row in record("calibration")["coverage"].items()
    ]
    return markdown(["noise, signal", "covered", "mean share", "population"], rows)


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

"""How long each artefact takes."""

from __future__ import annotations

from docs.hooks.tables.records import markdown


def durations() -> str:
    """Say how long every artefact takes at the paper's configuration."""
    from novelty_lab.registry import all_artefacts

    timed = [artefact for artefact in all_artefacts().values() if artefact.takes]
    rows = ([f"`{one.name}`", one.title, one.takes] for one in timed)
    return markdown(["artefact", "shows", "takes"], rows)

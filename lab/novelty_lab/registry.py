"""All artefacts, found by their folders: adding one touches its folder only."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from learnable_novelty.errors import UserError
from novelty_lab import artefacts
from novelty_lab.artefact import Artefact


@functools.cache
def all_artefacts() -> dict[str, Artefact]:
    """Return every artefact by name, in the order of the paper."""
    modules = [
        importlib.import_module(f"{artefacts.__name__}.{folder.name}")
        for folder in pkgutil.iter_modules(artefacts.__path__)
        if folder.ispkg
    ]
    ordered = sorted((module.ARTEFACT for module in modules), key=lambda artefact: artefact.order)
    return {artefact.name: artefact for artefact in ordered}


def find_artefact(name: str) -> Artefact:
    """Return the artefact of a name."""
    known = all_artefacts()
    if name not in known:
        raise UserError(f"expected an experiment, one of {', '.join(known)}; got {name!r}")
    return known[name]

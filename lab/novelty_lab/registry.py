"""All artefacts, found by their folders: adding one touches its folder only."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from learnable_novelty.errors import UserError
from novelty_lab import paper, studies
from novelty_lab.artefact import Artefact


@functools.cache
def all_artefacts() -> dict[str, Artefact]:
    """Return every artefact by name, in the order of the paper."""
    found = [artefact for wing in (paper, studies) for artefact in _below(wing)]
    return {each.name: each for each in sorted(found, key=lambda artefact: artefact.order)}


def _below(package: ModuleType) -> Iterator[Artefact]:
    """Yield the artefacts of a wing: a folder holds some, or folders with some each."""
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if module.ispkg:
            folder = importlib.import_module(module.name)
            single = (folder.ARTEFACT,) if hasattr(folder, "ARTEFACT") else ()
            yield from getattr(folder, "ARTEFACTS", single) or _below(folder)


def find_artefact(name: str) -> Artefact:
    """Return the artefact of a name."""
    known = all_artefacts()
    if name not in known:
        raise UserError(f"expected an experiment, one of {', '.join(known)}; got {name!r}")
    return known[name]

"""What every system offers, and the families of systems that there are.

A module of this folder that defines ``FAMILY`` is found by itself: a new system is one new file.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import Seed

PACKAGE = "novelty_lab.systems"


@runtime_checkable
class System(Protocol):
    """Something that makes data: present states, and what follows each of them."""

    def sample(self, num_samples: int, *, window: int = ..., seed: Seed = ...) -> tuple[Any, Any]:
        """Draw states and their next ``window`` states.

        Returns:
            Inputs (num_samples, ...) and targets, arrays or tensors. Targets are (num_samples,
            window, ...) for states on a lattice, and (num_samples, window * dim) for states that
            are vectors, as an observer takes them. In both the next state comes first.
        """
        ...


@dataclass(frozen=True)
class Family:
    """Systems of one kind, each with a name of its own."""

    name: str
    title: str
    make: Callable[[str], System]
    """Make the member of a name; raises ``UserError`` for a name that it does not know."""
    example: str
    """The name of one member."""


@functools.cache
def families() -> dict[str, Family]:
    """Return the families by name.

    >>> families()["life"].example
    'B3/S23'
    """
    folder = importlib.import_module(PACKAGE)
    names = [info.name for info in pkgutil.iter_modules(folder.__path__) if not info.ispkg]
    modules = [importlib.import_module(f"{PACKAGE}.{name}") for name in names]
    members = [module.FAMILY for module in modules if hasattr(module, "FAMILY")]
    return {family.name: family for family in members}


def make_system(name: str) -> System:
    """Make a system from the name of its family and its own, separated by a colon.

    >>> make_system("elementary:110")
    ElementaryRule(110)
    >>> make_system("life:B3/S23")
    LifeRule("B3/S23")
    """
    family, _, member = name.partition(":")
    if family not in families() or not member:
        examples = (f"{one.name}:{one.example}" for one in families().values())
        raise UserError(f"expected a system such as {', '.join(examples)}; got {name!r}")
    return families()[family].make(member)

"""Where the value of a claim comes from: an experiment, and how its record is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from novelty_lab.ledger.shelf import Shelf
from novelty_lab.ledger.values import Finding


@dataclass(frozen=True)
class Source:
    """How ours is found for one claim."""

    experiment: str
    read: Callable[[Shelf], Finding]
    options: str = ""
    """What the command takes beside the name of the experiment."""
    cells: tuple[tuple[str, str], ...] = ()
    """Of agents: the tasks and conditions whose runs are read."""

    @property
    def command(self) -> str:
        """What runs the experiment again."""
        return f"novelty run {self.experiment} {self.options}".rstrip()

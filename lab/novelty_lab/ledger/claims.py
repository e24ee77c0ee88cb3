"""What the paper claims, as data: ``claims.json`` is the one place of its published numbers."""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

Kind = Literal["number", "range", "bound", "rank", "ordering", "same", "statement"]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper (arXiv 2607.18433)."""

    id: str
    section: str
    kind: Kind
    """Which rule judges it."""
    statement: str
    value: Any = None
    """A number, several, or names; None where the statement says it all."""
    sd: float | None = None
    """Deviation over the paper's runs, where it prints one."""
    runs: int = 1
    """Draws or seeds behind the paper's value, one where it names no number."""
    side: Literal["above", "below"] | None = None
    """Of a bound: where the paper sees all values."""
    decimals: int | None = None
    """Digits after the point that the paper prints, where the value as a number has lost some."""
    runner_up: int | None = None
    """Of a margin: the rule that the paper has in second place."""
    note: str = ""
    """Where the paper leaves a setting open, or disagrees with itself."""
    cause: str = ""
    """Why ours differs and which experiment shows it, or that it is not explained."""

    @property
    def numbers(self) -> list[float]:
        """The paper's values, one after the other."""
        return [float(v) for v in (self.value if isinstance(self.value, list) else [self.value])]

    @property
    def printed_decimals(self) -> int:
        """Digits after the point, the most that any of the values has."""
        if self.decimals is not None:
            return self.decimals
        values = self.value if isinstance(self.value, list) else [self.value]
        return max(len(str(v).partition(".")[2]) for v in values)

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit that the paper prints."""
        return 0.5 * 10.0**-self.printed_decimals


@functools.cache
def _claims() -> dict[str, Claim]:
    data = resources.files("novelty_lab.ledger") / "claims.json"
    names = {field.name for field in dataclasses.fields(Claim)}
    entries = json.loads(data.read_text(encoding="utf-8"))
    claims = [Claim(**{k: v for k, v in entry.items() if k in names}) for entry in entries]
    return {claim.id: claim for claim in claims}


def load_claims() -> list[Claim]:
    """Return the claims in the order of the data."""
    return list(_claims().values())


def claim(name: str) -> Claim:
    """Return one claim by its id.

    >>> claim("flows.linear").kind
    'range'
    """
    return _claims()[name]

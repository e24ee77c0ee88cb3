"""What a record says about a claim: means with their spread, rankings, pairs, objections."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Value:
    """A mean over runs."""

    mean: float
    sd: float | None = None
    """Deviation of one run; None where the record holds none."""
    runs: int = 1
    degrees: int | None = None
    """Degrees of freedom of ``sd`` where it was measured on other runs than these."""

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the deviation."""
        return self.runs - 1 if self.degrees is None else self.degrees

    @property
    def variance(self) -> float:
        """Of the mean: the squared standard error."""
        return 0.0 if self.sd is None else self.sd**2 / self.runs

    @classmethod
    def of(cls, runs: Iterable[float]) -> Value:
        """Summarize runs."""
        array = np.array(list(runs), dtype=np.float64)
        sd = float(array.std(ddof=1)) if len(array) > 1 else None
        return cls(float(array.mean()), sd, len(array))

    def minus(self, other: Value) -> Value:
        """Return the difference of two means of as many runs, as if they were independent."""
        return Value(self.mean - other.mean, math.hypot(self.sd or 0.0, other.sd or 0.0), self.runs)


@dataclass(frozen=True)
class Pair:
    """Two means of which the paper says that the first is above the second."""

    name: str
    above: Value
    below: Value


@dataclass(frozen=True)
class Ranked:
    """One of many scored things, whose place among them the paper gives."""

    name: str
    scores: Mapping[str, Value]

    @property
    def place(self) -> int:
        """Its rank by the means, from 1."""
        mean = self.scores[self.name].mean
        return 1 + sum(score.mean > mean for score in self.scores.values())


@dataclass(frozen=True)
class Finding:
    """Everything that a rule needs of a record."""

    values: tuple[Value, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    pairs: tuple[Pair, ...] = ()
    against: Mapping[str, bool] = field(default_factory=dict)
    """What would speak against the statement, and whether it is so."""
    shown: Any = None
    """What stands for ours where that is not the values themselves."""
    runs: int | None = None
    """Runs that it rests on; those of the first value if not given."""
    note: str = ""
    fitted: str = ""
    """A setting that was chosen to agree with the paper, if any."""
    missing: str = ""
    """What keeps the claim from being judged."""

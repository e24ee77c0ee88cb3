"""The null hypothesis: its kinds, which data they are for, and what they claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.rearrange import num_shifts

Kind = Literal["auto", "rows", "samples", "translations", "shifts", "time", "linear", "signs"]


@dataclass(frozen=True)
class Null:
    """How to draw the null distribution.

    Args:
        count: how many rearrangements; 0 for none. By default 999, and 99 surrogates of one series.
        kind: "rows", "samples" (whole lattices or sequences), "translations" (whole lattices,
            each moved by a random lattice translation: for translation-invariant systems),
            "shifts" (circular, for two series), "time" (one series, shuffled), "linear" (one
            series: is there more than a linear process?), "signs" (blocks of consecutive samples,
            each turned by a random sign: for data of any kind and any size), or "auto".

    >>> Null(199, "translations")
    Null(count=199, kind='translations')
    """

    count: int | None = None
    kind: Kind = "auto"

    def __post_init__(self) -> None:
        if self.count is not None:
            whole_number("null", self.count, 0)
        if self.kind != "auto" and self.kind not in HYPOTHESES:
            raise UserError(
                f"null must be a count or one of {', '.join(HYPOTHESES)}, got {self.kind!r}"
            )

    @staticmethod
    def of(value: int | str | Null) -> Null:
        """Read the short forms: a count, or a kind."""
        if isinstance(value, Null):
            return value
        if isinstance(value, str):
            return Null(kind=value)  # pyright: ignore[reportArgumentType]
        return Null(count=whole_number("null", value, 0))

    @property
    def drawn(self) -> int:
        """How many rearrangements are drawn, of a kind that was chosen."""
        if self.count is not None:
            return self.count
        # A surrogate of one series needs features and a factorization of its own.
        return 99 if self.kind in ("time", "linear") else 999


HYPOTHESES: dict[str, tuple[str, str]] = {
    "rows": ("target rows", "targets are independent of inputs; samples are exchangeable"),
    "samples": (
        "whole samples of the targets, never single sites",
        "targets are independent of inputs; samples are exchangeable",
    ),
    "translations": (
        "whole samples of the targets, each moved by a random lattice translation",
        "targets are independent of inputs; samples are exchangeable and translation-invariant",
    ),
    "shifts": (
        "the target series, by circular shifts",
        "the two series are independent and stationary",
    ),
    "time": ("the time steps of the series", "the series has no temporal structure"),
    "linear": (
        "surrogates that keep the spectrum and the values of the series, and test what a linear "
        "autoregression leaves of each",
        "the series is a stationary linear Gaussian process, seen through a monotone function",
    ),
    "blocks": (
        "the targets of whole blocks of rows",
        "targets are independent of inputs; blocks of rows are independent of each other",
    ),
    "groups": (
        "the targets of whole groups, by random signs",
        "the inputs tell nothing of the mean of the targets; groups are independent of each other",
    ),
    "signs": (
        "the targets of blocks of consecutive samples, by random signs",
        "targets are unrelated to inputs; blocks are independent of each other",
    ),
}


REARRANGED: dict[str, tuple[str, ...]] = {
    "samples": ("rows",),
    "lattices": ("samples", "translations"),
    "series": ("time", "linear"),
    "two series": ("shifts", "rows"),
}
"""What may be rearranged of each kind of data; the first is the default."""


def choose_kind(kind: str, data: str, *, in_memory: bool) -> Any:
    """Choose or check what the null rearranges.

    Rearrangements need the rows, so they are for data in memory. Random signs of whole blocks need
    a few sums of each block only: they are for data of any size.

    Args:
        kind: that was asked for, or "auto".
        data: a key of ``REARRANGED``.
        in_memory: whether all rows are in memory.
    """
    if not in_memory:
        if kind in ("auto", "signs"):
            return "signs"
        raise UserError(
            "data that is read by chunks cannot be rearranged: null must be a count or signs, "
            f"got {kind!r}"
        )
    allowed = (*REARRANGED[data], "signs")
    if kind != "auto" and kind not in allowed:
        raise UserError(f"null for this data must be one of {', '.join(allowed)}, got {kind!r}")
    return allowed[0] if kind == "auto" else kind


def describe(kind: str, rows: int, blocks: int, spacing: int, count: int) -> tuple[str, str]:
    """Say what a null rearranges, and what it claims."""
    moved, claim = HYPOTHESES[kind]
    if kind == "shifts":
        step = rows // num_shifts(rows, spacing, count)
        moved += f" of {step} steps and its multiples (correlation time {spacing})"
    if kind == "signs":
        moved += f" ({blocks} blocks)"
    if kind in ("groups", "blocks"):
        moved += f" ({blocks} of them)"
    return moved, claim

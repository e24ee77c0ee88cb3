"""The null hypothesis: what may be rearranged, orders of target rows, and surrogate series.

A rearrangement must keep everything but the relation under test. Neighbouring sites and
neighbouring times are not exchangeable, so lattices move whole samples and paired series move by
circular shifts; only independent rows are permuted one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.seeds import Seed, numpy_generator

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
    return moved, claim


def p_value(null: np.ndarray, observed: float) -> float | None:
    """Return (1 + number of null values at least as large) / (1 + number of null values)."""
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null >= observed - 1e-10).sum())
    return (1 + beaten) / (1 + null.size) if null.size else None


def row_orders(
    kind: str, samples: int, space: tuple[int, ...], count: int, seed: Seed
) -> Iterator[Tensor]:
    """Yield row indices that move target rows; rows are sample-major, (samples * sites,)."""
    generator = numpy_generator(seed, "null", kind)
    sites = np.arange(int(np.prod(space))).reshape(space)
    moved = sites.ravel()
    for _ in range(count):
        order = generator.permutation(samples)
        if kind == "translations":
            moved = np.stack([_translated(sites, generator).ravel() for _ in range(samples)])
        yield torch.from_numpy((order[:, None] * sites.size + moved).ravel())


def num_shifts(rows: int, spacing: int, count: int) -> int:
    """Return k, how many shifts there are with the identity; see ``shift_orders``."""
    groups = min(count + 1, rows, max(20, rows // max(1, spacing)))
    return groups - groups % 20 if groups >= 20 else groups


def shift_orders(rows: int, spacing: int, count: int) -> list[Tensor]:
    """List circular shifts j * rows / k for j = 1 to k - 1.

    They are at least ``spacing`` apart, where that leaves twenty of them.

    Evenly spaced shifts are a group: with the identity they are exchangeable under the null, so
    the rank of the observed statistic is uniform however long the correlations are. (Random
    shifts that merely keep away from zero are not: neighbours of a chance peak at zero are then
    missing from the null, and false positives double.) k is a multiple of 20 where possible, so
    that p = 0.05 can be reached exactly.
    """
    groups = num_shifts(rows, spacing, count)
    index = np.arange(rows)
    return [torch.from_numpy(np.roll(index, -round(j * rows / groups))) for j in range(1, groups)]


def correlation_time(series: Tensor) -> int:
    """Estimate the longest integrated autocorrelation time over columns, in steps.

    tau = 1 + 2 sum of autocorrelations up to the first that is below 0.05.
    """
    values = series.double().cpu().numpy()
    values = values - values.mean(0)
    n = values.shape[0]
    spectrum = np.fft.rfft(values, n=2 * n, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:n]
    longest = 1.0
    for column in covariance.T:
        if column[0] <= 0:
            continue
        rho = column / column[0]
        below = np.flatnonzero(rho < 0.05)
        end = below[0] if below.size else n
        longest = max(longest, 1 + 2 * float(rho[1:end].sum()))
    return int(np.ceil(longest))


def _translated(sites: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    shifts = [int(generator.integers(size)) for size in sites.shape]
    return np.roll(sites, shifts, axis=tuple(range(sites.ndim)))

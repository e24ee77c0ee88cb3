"""What the test reports: a p-value, bits, and which features found the dependence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import needs_extra
from learnable_novelty.independence.statistic import Statistics, code_bits, weighted
from learnable_novelty.measure.words import p_words, plain
from learnable_novelty.seeds import torch_generator
from learnable_novelty.storage import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05
BLUE, GREY = "#0072B2", "#999999"
MOST_ROWS = 5_000
"""Rows that bits and effect are computed from, at most."""
DRAWS = 20
"""Rearrangements that the null mean of the bits is taken from."""


@dataclass(frozen=True)
class Pair:
    """The features of x and y whose correlations were the most unusual."""

    kind: str
    """"values" or "ranks" (waves of single columns), or "vectors" (random features of all)."""
    x_column: int | None
    """The column of x; None where all columns were added up. The number after the last is the norm
    of all columns."""
    y_column: int | None
    """The column of y."""
    x_scale: float
    """Width of the weights of waves of x: 0.5 sees a trend, 4 a few bends, 40 fast changes. For
    vectors the length scale in units of the median distance."""
    y_scale: float
    """The same for y."""


@dataclass(frozen=True)
class Dependence:
    """Whether x and y depend on each other, how much, and in which features."""

    p_value: float
    """Under independence, the chance of a statistic at least as large."""
    bits: float
    """S = 1/2 log2 det(I + R R') of the weighted correlations R of the pair that was found, less
    its mean under the null: 0 where the p-value is above 0.05. It compares at equal n only."""
    effect: float
    """Correlation of the leading functions f(x) and g(y), found on one half of the rows and
    measured on the other, in turn: 0 for nothing that repeats, 1 for a perfect relation."""
    pair: Pair
    statistic: float
    """The largest of all standardized statistics; 1 is the 95% quantile of a single one."""
    null_statistics: tuple[float, ...] = field(repr=False)
    """The same for each rearrangement."""
    functions: tuple[np.ndarray, np.ndarray] = field(repr=False)
    """f(x) and g(y), the leading pair of directions, of at most 5,000 rows."""
    sample: tuple[np.ndarray, np.ndarray] | None = field(repr=False)
    """x and y of some rows, where each is one column."""
    num_rows: int
    x_dim: int
    y_dim: int
    given_dim: int
    permutations: int
    rearranged: str
    """What the null rearranges."""
    seed: int
    left_of_given: tuple[float, float] | None = None
    """Correlation of the residuals that rows near in z share, because z was not all taken out, and
    its p-value; None without z."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the p-value less than it seems."""
        if self.left_of_given is None or max(self.p_value, self.left_of_given[1]) > LEVEL:
            return ()
        return (
            "z was not all taken out: rows near in z share a correlation of "
            f"{self.left_of_given[0]:.2g} of the residuals (p = {p_words(self.left_of_given[1])}), "
            "so x and y may look dependent because of z alone: use more rows, or give columns "
            "that are closer to what z does",
        )

    @property
    def verdict(self) -> str:
        """Say in a sentence what was found."""
        given = ", given the other variable" if self.given_dim else ""
        smallest = self.p_value * (self.permutations + 1) < 1.5
        p = f"p {'<=' if smallest else '='} {self.p_value:.3g}"
        if self.p_value > LEVEL:
            return f"no dependence between x and y was found{given} ({p})"
        return f"x and y depend on each other{given} ({p})"

    @property
    def where(self) -> str:
        """Say which features were the most unusual."""
        pair = self.pair
        if pair.kind == "vectors":
            return "in all columns together"
        sides = [
            _column(name, column, dim)
            for name, column, dim in (
                ("x", pair.x_column, self.x_dim),
                ("y", pair.y_column, self.y_dim),
            )
        ]
        kinds = [_detail(pair.x_scale), _detail(pair.y_scale)]
        return f"in the {pair.kind}: {kinds[0]} {sides[0]} with {kinds[1]} {sides[1]}"

    def __str__(self) -> str:
        lines = [
            self.verdict,
            f"  bits above the null   {plain(self.bits)}",
            f"  effect (held out)     {plain(self.effect)}",
            f"  most unusual          {self.where}",
            f"  rows                  {self.num_rows:,}",
            f"  null                  {self.permutations} rearrangements: {self.rearranged}",
        ]
        if self.left_of_given is not None:
            shared, p = self.left_of_given
            lines.append(
                f"  left of z             a correlation of {shared:.2g} (p = {p_words(p)})"
            )
        return "\n".join([*lines, *(f"  caution: {one}" for one in self.cautions)])

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers but the null, the functions and the sample, for JSON."""
        hidden = ("null_statistics", "functions", "sample")
        values = {name: value for name, value in vars(self).items() if name not in hidden}
        told = {name: getattr(self, name) for name in ("verdict", "where", "cautions")}
        return {**values, "pair": asdict(self.pair), **told}

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the data, the functions that were found, and the null; save to ``path`` if given."""
        with needs_extra("a plot", "plot"):
            return _draw(self, path)


def _column(name: str, column: int | None, dim: int) -> str:
    if dim == 1:
        return name
    if column is None:
        return f"all columns of {name}"
    return f"the norm of {name}" if column == dim else f"column {column} of {name}"


def _detail(scale: float) -> str:
    if scale <= 0.5:
        return "the trend in"
    return "a few bends in" if scale <= 4 else "fine detail in"


def describe(
    all_statistics: list[Statistics],
    scores: np.ndarray,
    p_value: float,
    seed: int,
    *,
    ordered: bool,
) -> dict[str, Any]:
    """Return the pair with the largest statistic, its bits, effect and functions."""
    one, way, i, j = _located(all_statistics, int(scores.argmax()))
    columns: tuple[int | None, int | None] = (None, None)
    if one.ways[way] == "largest":
        columns = divmod(int(one.places[i, j]), one.y.rows.shape[1])
    pair = Pair(one.x.kind, *columns, one.x.scales[i], one.y.scales[j])
    x, y = weighted(one.x, i, columns[0]).double(), weighted(one.y, j, columns[1]).double()
    generator = torch_generator(seed, "describe")
    if len(x) > MOST_ROWS:
        chosen = torch.randperm(len(x), generator=generator)[:MOST_ROWS].sort().values
        x, y = x[chosen], y[chosen]
    null = torch.stack([_permuted_bits(x, y, generator) for _ in range(DRAWS)])
    left, right = _leading(x, y)
    return {
        "bits": max(0.0, float(code_bits(x, y) - null.mean())) if p_value <= LEVEL else 0.0,
        "effect": _held_out(x, y, generator, ordered=ordered),
        "pair": pair,
        "functions": ((x @ left).numpy(), (y @ right).numpy()),
    }


def _located(all_statistics: list[Statistics], place: int) -> tuple[Statistics, int, int, int]:
    """Return which features, way and scales a statistic in the list of all of them has."""
    sizes = [one.values[0].numel() for one in all_statistics]
    number = int(np.searchsorted(np.cumsum(sizes), place, side="right"))
    one = all_statistics[number]
    way, i, j = np.unravel_index(place - sum(sizes[:number]), tuple(one.values.shape[1:]))
    return one, int(way), int(i), int(j)


def _permuted_bits(x: Tensor, y: Tensor, generator: torch.Generator) -> Tensor:
    return code_bits(x, y[torch.randperm(len(y), generator=generator)])


def _leading(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return the directions of the largest weighted correlation: f(x) = x @ left."""
    left, _, right = torch.linalg.svd(x.T @ y / len(x), full_matrices=False)
    return left[:, 0], right[0]


def _held_out(x: Tensor, y: Tensor, generator: torch.Generator, *, ordered: bool) -> float:
    """Return the mean correlation of f and g on halves that they were not found on, at least 0."""
    n = len(x)
    order = torch.arange(n) if ordered else torch.randperm(n, generator=generator)
    halves = order[: n // 2], order[n // 2 :]
    correlations = []
    for here, there in (halves, halves[::-1]):
        left, right = _leading(x[here], y[here])
        f, g = x[there] @ left, y[there] @ right
        f, g = f - f.mean(), g - g.mean()
        size = f.norm() * g.norm()
        correlations.append(float(f @ g / size) if size > 0 else 0.0)
    return max(0.0, sum(correlations) / 2)


def _draw(result: Dependence, path: str | Path | None) -> Figure:
    from matplotlib.figure import Figure

    count = 3 if result.sample is not None else 2
    figure = Figure(figsize=(3.2 * count, 3.2), layout="constrained")
    *scatters, null = figure.subplots(1, count)
    if result.sample is not None:
        scatters[0].plot(*result.sample, ".", color=GREY, markersize=3)
        scatters[0].set(xlabel="x", ylabel="y", title="data")
    scatters[-1].plot(*result.functions, ".", color=BLUE, markersize=3)
    scatters[-1].set(
        xlabel="f(x)", ylabel="g(y)", title=f"held-out correlation {result.effect:.2f}"
    )
    null.hist(result.null_statistics, bins=40, color=GREY, label="null")
    null.axvline(result.statistic, color=BLUE, label="observed")
    null.set(xlabel="largest statistic", ylabel="rearrangements", title=f"p = {result.p_value:.3g}")
    null.legend(frameon=False, fontsize=8)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{result.verdict}, {result.where}", fontsize=9, wrap=True)
    if path is not None:
        write_figure(path, figure)
    return figure

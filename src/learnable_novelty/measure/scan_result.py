"""What a scan reports: a relation for every column or pair of columns, as text, frame and page."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.data.names import as_option
from learnable_novelty.data.table import Column
from learnable_novelty.errors import needs_extra
from learnable_novelty.measure.classes import Classes
from learnable_novelty.measure.words import jsonable, p_words, percent, plain, share_words
from learnable_novelty.storage import write_whole
from learnable_novelty.text import printable

LEVEL = 0.05
"""Share of false findings among those that are called."""
USED = 0.05
"""Share of importance from which on an input is part of the next step."""


@dataclass(frozen=True)
class Relation:
    """What inputs tell about one target."""

    target: str
    kind: str
    """Of the target: number, boolean or category."""
    inputs: tuple[str, ...]
    num_rows: int
    """Rows without gaps that were used."""
    held_out_variance: float = math.nan
    """Share of the target's variance that is explained in rows that were not fitted, cut at 0."""
    held_out_interval: tuple[float, float] = (math.nan, math.nan)
    p_value: float | None = None
    """None with too few rows."""
    dependence_p_value: float | None = None
    """Of any dependence, by permutation; ``p_value`` is of a mean that can be learned."""
    adjusted_p: float | None = None
    """For the number of tests; see ``adjust``."""
    denoised_bits: float | None = None
    """None for pairs."""
    importance: tuple[tuple[str, float], ...] = ()
    """Inputs with their shares of the squared gradient, largest first."""
    tested_by: str = ""
    """Which rows were tested and held out together, and why; empty where all are independent."""
    refusal: str | None = None
    """Why it was not tested."""
    classes: Classes | None = None
    """Accuracy beside the base rate, of a category or a boolean."""

    @staticmethod
    def unknown(inputs: tuple[str, ...], target: Column, num_rows: int) -> Relation:
        """Return a relation that was not measured."""
        return Relation(target.name, target.kind, inputs, num_rows)

    @property
    def is_found(self) -> bool:
        """Whether it is called a finding."""
        return self.adjusted_p is not None and self.adjusted_p <= LEVEL

    @property
    def is_of_size_only(self) -> bool:
        """Whether there is a dependence, but no mean that can be learned."""
        return self.p_value is not None and self.p_value > LEVEL >= (self.dependence_p_value or 1.0)

    @property
    def used(self) -> list[str]:
        """Inputs with a share of at least a twentieth of the importance, at most eight."""
        return [name for name, share in self.importance if share >= USED][:8]

    def row(self) -> dict[str, Any]:
        """Return it as one row of a data frame."""
        low, high = self.held_out_interval
        names = self.inputs if len(self.inputs) != 1 else self.inputs[0]
        row = {"target": self.target, "inputs": names, "kind": self.kind, "rows": self.num_rows}
        row |= {"held_out_variance": self.held_out_variance, "low": low, "high": high}
        row |= {"p_value": self.p_value, "adjusted_p": self.adjusted_p, "found": self.is_found}
        row |= {"denoised_bits": self.denoised_bits}
        row |= {"importance": dict(self.importance)}
        row |= {
            "accuracy": None if self.classes is None else self.classes.accuracy,
            "base_rate": None if self.classes is None else self.classes.base_rate,
        }
        return row


@dataclass(frozen=True)
class Scan:
    """Relations in a table, the clearest first; at most 5% of those found are expected false."""

    relations: tuple[Relation, ...]
    names: tuple[str, ...]
    """Columns that were measured, in the order of the table."""
    pairs: bool
    """Whether every relation has one input."""
    num_rows: int
    permutations: int
    draws: int
    seed: int
    notes: tuple[str, ...] = ()
    """What was decided about columns and rows."""
    cautions: tuple[str, ...] = ()
    """What makes the p-values less than they seem."""
    source: str | None = None
    """Path of the file, if there is one."""
    groups: str | None = None
    """Name of the column of groups, if there is one."""

    def __getitem__(self, target: str) -> Relation:
        """Return the relation of a column with the others; of pairs the clearest."""
        return next(one for one in self.relations if one.target == target)

    def discoveries(self) -> list[Relation]:
        """List the relations with an adjusted p-value of at most 0.05."""
        return [one for one in self.relations if one.is_found]

    def rows(self) -> list[dict[str, Any]]:
        """List all relations as rows of a data frame."""
        return [one.row() for one in self.relations]

    def to_frame(self) -> Any:
        """Return ``rows()`` as a pandas data frame; needs the [data] extra."""
        with needs_extra("a data frame", "data"):
            import pandas as pd
        return pd.DataFrame(self.rows())

    def matrix(self) -> np.ndarray:
        """Return held-out variances of pairs: row i, column j says what i tells about j."""
        place = {name: index for index, name in enumerate(self.names)}
        values = np.full((len(place), len(place)), np.nan)
        for one in self.relations if self.pairs else ():
            values[place[one.inputs[0]], place[one.target]] = one.held_out_variance
        return values

    def clustered(self) -> list[int]:
        """Return the order of columns that puts related ones side by side, by average linkage."""
        values = np.nan_to_num(self.matrix())
        apart = 1 - np.maximum(values, values.T)
        if len(apart) < 3:
            return list(range(len(apart)))
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
        return leaves_list(tree).tolist()

    def next_step(self, relation: Relation) -> str:
        """Return what to type to look at one relation."""
        chosen = list(relation.inputs) if self.pairs else relation.used
        groups = [] if self.groups is None else [self.groups]
        if self.source is None:
            some = f"[{[*chosen, relation.target, *groups]!r}]" if chosen else ""
            said = "".join(f", groups={name!r}" for name in groups)
            return f"ln.score(data{some}, {relation.target!r}{said})"
        inputs = as_option("--inputs", chosen) if chosen else []
        targets = as_option("--targets", [relation.target])
        said = [f"--groups={name}" for name in groups]
        return shlex.join(["novelty", "score", self.source, *targets, *inputs, *said])

    @property
    def title(self) -> str:
        """Say in a sentence what was found."""
        discovered, tests = len(self.discoveries()), len(self.relations)
        what = (
            "pairs of columns are related" if self.pairs else "columns can be learned from the rest"
        )
        if not discovered:
            said = f"none of {tests} {what} (5% level, adjusted for {tests} tests)"
        else:
            said = f"{discovered} of {tests} {what} (at most 5% of them are expected to be false)"
        return said + self._dependent

    @property
    def _dependent(self) -> str:
        """Say which columns were tested by blocks or groups of rows, and which could not be."""
        refused = [one.refusal for one in self.relations if one.refusal is not None]
        others = [one.tested_by for one in self.relations if one.tested_by and not one.refusal]
        said = f"; {len(others)} are tested: {others[0]}" if others else ""
        return said + (f"; {len(refused)} are not tested: {refused[0]}" if refused else "")

    def lines(self, most: int = 40) -> Iterator[str]:
        """Yield the table of relations."""
        width = min(40, max(map(len, map(_shown, self.relations)), default=6))
        yield f"  {'column':<{width}}  {'held-out variance':<20}{'p, adjusted':>12}  " + (
            "" if self.pairs else f"{'bits':>6}  most important inputs"
        )
        shown = self.discoveries() if self.pairs else list(self.relations)
        for one in shown[:most]:
            p = "-" if one.adjusted_p is None else p_words(one.adjusted_p)
            mark = " " if one.is_found else "."
            line = f"{mark} {_shown(one):<{width}.{width}}  {_share(one):<20}{p:>12}  "
            bits = "-" if one.denoised_bits is None else plain(one.denoised_bits)
            yield line + _classes(one) if self.pairs else f"{line}{bits:>6}  {_reasons(one)}"
        left = len(self.relations) - len(shown[:most])
        if left:
            yield f"  ... and {left} more: see rows() or to_frame()"

    def __str__(self) -> str:
        lines = [f"Scan: {self.title}.", *self.lines()]
        if not self.pairs and any(not one.is_found for one in self.relations):
            lines.append("  lines that begin with a dot were not found to be related")
        lines += [f"  note: {printable(note)}" for note in self.notes]
        lines += [f"  caution: {caution}" for caution in self.cautions]
        discoveries = self.discoveries()
        if discoveries:
            lines.append(f"  next: {printable(self.next_step(discoveries[0]))}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values that JSON can hold."""
        values = asdict(self) | {"title": self.title}
        relations = [
            asdict(one) | {"found": one.is_found, "next": self.next_step(one)}
            for one in self.relations
        ]
        values["relations"] = relations
        if self.pairs:
            values["clustered"] = [self.names[index] for index in self.clustered()]
        return jsonable(values)

    def to_html(self) -> str:
        """Return a page with the table of relations, and of pairs the heat map."""
        from learnable_novelty.measure.scan_page import page

        return page(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, path: str | Path | None = None, ax: Any = None) -> Any:
        """Draw what is explained of every column, or the heat map of pairs; needs the [plot] extra.

        Args:
            path: where to save the picture; not saved by default. A path that ends in .html saves
                the page of ``to_html``, which needs no extra.
            ax: matplotlib axes to draw into.

        Returns:
            The matplotlib figure, or the path of the page.
        """
        if path is not None and Path(path).suffix.lower() in (".html", ".htm"):
            write_whole(Path(path), self.to_html().encode())
            return Path(path)
        with needs_extra("a plot", "plot"):
            from learnable_novelty.measure.plot import draw_scan
        return draw_scan(self, path, ax)


def _shown(one: Relation) -> str:
    names = one.target if len(one.inputs) != 1 else f"{one.inputs[0]} -> {one.target}"
    return printable(names)


def _share(one: Relation) -> str:
    if one.refusal is not None:
        return "not tested"
    return share_words(one.held_out_variance, one.held_out_interval)


def _classes(one: Relation) -> str:
    if one.classes is None or not one.is_found:
        return ""
    right, base = percent(one.classes.accuracy), percent(one.classes.base_rate)
    return f"{right} of classes right (base rate {base})"


def _reasons(one: Relation) -> str:
    best = ", ".join(f"{printable(name)} {percent(share)}" for name, share in one.importance[:3])
    classes = _classes(one)
    return f"{best}; {classes}" if best and classes else best or classes

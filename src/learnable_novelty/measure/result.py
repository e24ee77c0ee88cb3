"""What a measurement reports: bits, the floor under them, and a test."""

from __future__ import annotations

import html
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.errors import needs_extra
from learnable_novelty.measure.classes import Classes
from learnable_novelty.measure.held_out import HeldOut
from learnable_novelty.measure.importance import Importance
from learnable_novelty.measure.null import HYPOTHESES
from learnable_novelty.measure.words import jsonable, p_words, percent, plain
from learnable_novelty.rearrange import Labels
from learnable_novelty.text import printable

if TYPE_CHECKING:
    from learnable_novelty.observer.growing.growth import Step

Array = NDArray[np.float64]
TOO_FEW = "too few samples"
"""Said where the spread over the data cannot be told."""
NEXT_DEPENDENCE = "ln.dependence tests every kind of it"
CLEAR = 0.1
"""Held-out share from which on a relation is called clear."""


@dataclass(frozen=True)
class Predictions:
    """Every sample, observed and predicted by readouts that have not seen it."""

    input: Array | None
    """The input, where there is one column of it, (num_samples,)."""
    observed: Array
    """(num_samples, target_dim)"""
    predicted: Array
    draw_variance: Array | None
    """Of the mean over reservoirs, (num_samples,); None of one reservoir."""
    held_out: HeldOut
    """Squared errors of every sample."""
    units: int | Labels
    """How many blocks of samples are independent of each other, or the group of each sample."""
    in_deviations: bool
    """Whether targets are in units of their deviations, as several targets are."""


@dataclass(frozen=True)
class Score:
    """Learnable structure in bits, with a permutation test.

    ``denoised_bits`` is the number to report: noise has none of them. ``bits`` is the paper's own
    number, which a ridge fixed in advance makes large for pure noise too; ``floor_bits`` says how
    large. ``p_value`` says whether the targets depend on the inputs at all.
    """

    denoised_bits: float
    """The bits of the readout without the part that noise explains, mean over draws: the
    number to report. Noise has none, and added noise does not change it, until it drowns the
    signal. 0 where the p-value is above 0.01 (or above the smallest that it can be)."""
    denoised_interval: tuple[float, float]
    """95% interval of the denoised bits that such data have at this n: a jackknife over the ten
    folds. NaN where nothing was found, by chunks, and with more than 64 targets."""
    directions: float
    """How many directions of the targets can be learned: mean over draws. Like all denoised numbers
    NaN with more than 1,024 targets, and where two series cannot be tested (``refusal``)."""
    root_p_value: float
    """Instant p-value of the largest root, from a law and 16 rearrangements of the residuals; draws
    are combined by the rule of Liu and Xie (2020)."""
    bits: float
    """The paper's S, mean over reservoir draws."""
    bits_sd: float
    """Standard deviation over reservoir draws."""
    floor_bits: float
    """The score of the readout's own residuals, rearranged: what noise of that size scores."""
    floor_sd: float
    """Standard deviation of the floor over rearrangements."""
    excess_bits: float
    """bits - floor_bits."""
    p_value: float | None
    """Of a mean that can be learned: the largest of ``dependence_p_value`` and two more, by random
    signs and with skewed weights of the targets, which keep whatever the inputs tell of their size
    (the wild bootstrap). None without a test; with ``null="linear"`` and by chunks the
    rearrangements decide alone."""
    dependence_p_value: float | None
    """Of any dependence, by rearrangement. Where it is small and ``p_value`` is not, the inputs may
    tell the size of the targets instead of their mean, as in GARCH."""
    explained_variance: float
    """Share of target variance that the readout explains, mean over draws."""
    tested_variance: float
    """What the test compares: ``explained_variance``, or with ``null="linear"`` the share that is
    explained of what a linear fit leaves."""
    null_explained_variance: tuple[float, ...] = field(repr=False)
    """The same for every rearrangement."""
    held_out_variance: float
    """Share of target variance explained in samples that the readout has not seen (ten folds, mean
    over draws), cut at 0; NaN with too few samples."""
    held_out_interval: tuple[float, float]
    """95% interval of what the same readouts explain of new samples, cut at 0."""
    spectrum: tuple[float, ...] = field(repr=False)
    """Singular values of the readout, descending, mean over draws."""
    num_samples: int
    num_rows: int
    """Regression rows: samples, times sites for a lattice."""
    target_dim: int
    draws: int
    null_count: int
    rearranged: str
    """What the null moves."""
    hypothesis: str
    """What the null claims."""
    observer: str
    """The observer used."""
    standardization: str
    """What was done to inputs and targets before."""
    seed: int
    cautions: tuple[str, ...] = ()
    """What in the data makes the p-value less than it seems, and what to do about it."""
    refusal: str | None = None
    """Why there is no p-value, and what to do about it."""
    tested_by: str = ""
    """Which rows were tested and held out together, and why; empty where all are independent."""
    decisions: tuple[str, ...] = ()
    """What was decided while a table was read."""
    importance: Importance | None = None
    """Inputs with their shares of what changes the prediction, largest first; empty where
    nothing was learned, None for lattices and for data that is read by chunks. Names are known of
    tables and frames."""
    linear_variance: float = math.nan
    """Share of target variance that a straight line of the inputs explains on the same folds: a
    ridge by evidence; NaN for lattices and by chunks."""
    linear_interval: tuple[float, float] = (math.nan, math.nan)
    """Its 95% interval."""
    bend_variance: float = math.nan
    """``held_out_variance`` less ``linear_variance``, not cut at 0; below 0 the readout pays more
    for its width than it gains."""
    bend_interval: tuple[float, float] = (math.nan, math.nan)
    """Its 95% interval, over pairs of errors on the same samples."""
    bend_p_value: float | None = None
    """Of a straight line: 199 signs and as many weights of what it leaves, as for ``p_value``. None
    where it has more than half as many coefficients as there are rows, and without a test."""
    line_bits: float = math.nan
    """Denoised bits that a straight line as strong as the signal has on these inputs, with these
    rows and this noise, mean over draws."""
    detectable_share: float | None = None
    """Where nothing was found: the share of variance that a straight line of the inputs would need
    to be found 9 times in 10; NaN where no share would do, None where that is not known."""
    classes: Classes | None = None
    """Held-out accuracy beside the base rate, for targets that are classes."""
    subject: str = "the inputs"
    """What explains, in words."""
    target_text: str = "the targets"
    """What is explained, in words."""
    profile: tuple[Step, ...] | None = field(default=None, repr=False)
    """Of an observer that grows: every step that was tried, with the bits of its model and of what
    that leaves unexplained; the data's structure function."""
    focus: Importance | None = None
    """Inputs with their shares of the grown observer's squared gradient (the diagonal of M),
    largest first; None where it has no focus. It says nothing about inputs of two values, whose
    gradient lies between them: see ``importance``."""
    predictions: Predictions | None = field(default=None, repr=False, compare=False)
    """Held-out predictions of every sample, for ``plot`` and ``difference``."""

    @property
    def p_text(self) -> str:
        """The p-value in words; a permutation test has a smallest one."""
        if self.p_value is None:
            return "no p-value"
        smallest = self.p_value * (1 + self.null_count) <= 1
        return f"p {'<=' if smallest else '='} {p_words(self.p_value)}"

    @property
    def _tested(self) -> str:
        """The p-value, and what was tested together."""
        return f"{self.p_text}, {self.tested_by}" if self.tested_by else self.p_text

    @property
    def verdict(self) -> str:
        """Say in a sentence what was found."""
        if self.refusal is not None:
            return f"no p-value: {self.refusal}"
        if self.p_value is None:
            return f"not tested against chance: {self._explains}"
        is_linear = self.hypothesis == HYPOTHESES["linear"][1]
        if self.p_value > 0.05 >= (self.dependence_p_value or 0.0) > 0:
            return (
                f"some dependence of {self.target_text} on {self.subject} (p = "
                f"{p_words(self.dependence_p_value or 0.0)}), but no mean that can be learned (p = "
                f"{p_words(self.p_value)}): perhaps of size only, as in GARCH; {NEXT_DEPENDENCE}"
            )
        if self.p_value > 0.05:
            nothing = "no sign of more than a linear process" if is_linear else "no relation found"
            return f"{nothing} ({self._tested}{self._power})"
        if is_linear:
            return f"more than a linear process ({self.p_text}): {self._explains}"
        if math.isnan(self.held_out_variance):
            return f"relation found ({self._tested}); {TOO_FEW} to hold some out"
        strength = "clear" if self.held_out_variance >= CLEAR else "weak"
        line = ""
        if not math.isnan(self.linear_variance):
            line = f"; a straight line explains {percent(self.linear_variance)}{self._bend}"
        return f"{strength} relation: {self._explains} ({self._tested}){line}"

    @property
    def _explains(self) -> str:
        if math.isnan(self.held_out_variance):
            return f"{TOO_FEW} to hold some out"
        verb = "explains" if self.subject.startswith("the past") else "explain"
        share = percent(self.held_out_variance)
        return f"{self.subject} {verb} {share} of {self.target_text} on held-out rows"

    @property
    def _bend(self) -> str:
        p = self.bend_p_value
        if p is None:
            return ""
        if p > 0.05:
            return f": no sign of a bend (p = {p_words(p)})"
        gained = self.bend_variance > 0
        said = "there is more than a line" if gained else "what bends is too weak to predict from"
        return f", and {said} (p = {p_words(p)})"

    @property
    def _beside_line(self) -> str:
        if math.isnan(self.line_bits) or not self.denoised_bits:
            return f"without the part that noise explains{self._reach}"
        line = plain(self.line_bits)
        return f"without noise{self._reach}; a straight line as strong as this has {line} here"

    @property
    def _reach(self) -> str:
        low, high = map(plain, self.denoised_interval)
        return "" if math.isnan(self.denoised_interval[0]) else f"; 95% [{low}, {high}]"

    @property
    def _power(self) -> str:
        share = self.detectable_share
        if share is None:
            return ""
        if math.isnan(share):
            return f"; {self.num_samples} rows are too few to find even a strong one reliably"
        return (
            f"; with {self.num_samples} rows one of {percent(share)} would have been found 9 times "
            "in 10, if it is a straight line"
        )

    def _told(self, value: float, meaning: str) -> tuple[str, str]:
        """Write a denoised number, or say why there is none."""
        if not math.isnan(value):
            return plain(value), meaning
        if self.refusal is not None and self.num_samples >= 4:
            return "-", "not known without a test"
        return "-", "fewer than 4 rows, or more than 1,024 targets"

    def rows(self) -> list[tuple[str, str, str]]:
        """List name, value and meaning of what is reported; two significant digits."""
        share = ("-", TOO_FEW)
        if not math.isnan(self.held_out_variance):
            low, high = map(percent, self.held_out_interval)
            share = percent(self.held_out_variance), f"in rows not seen; 95% [{low}, {high}]"
        p = "-" if self.p_value is None else p_words(self.p_value)
        meaning = f"{self.null_count} rearrangements of {self.rearranged}"
        if self.p_text.startswith("p <="):
            meaning += "; the smallest that they can give"
        size = f"n = {self.num_samples}: compare at equal n only"
        rows = [
            ("held-out variance", *share),
            ("p-value", p, meaning),
            ("denoised bits", *self._told(self.denoised_bits, self._beside_line)),
            ("directions", *self._told(self.directions, "of the targets that can be learned")),
            (
                "raw bits",
                plain(self.bits),
                f"the paper's S, noise included; sd {plain(self.bits_sd)}; {size}",
            ),
            ("floor", plain(self.floor_bits), "the score of the unexplained residuals"),
            ("excess", plain(self.excess_bits), "above the floor"),
            ("explained variance", percent(self.explained_variance), "in the rows that were seen"),
        ]
        if self.classes is not None:
            one = self.classes
            right = f"of {one.count} classes on held-out rows; base rate {percent(one.base_rate)}"
            rows.insert(1, ("accuracy", percent(one.accuracy), right))
            each = self.denoised_bits / one.count
            rows.insert(4, ("  per class", *self._told(each, "denoised bits")))
        if not math.isnan(self.linear_variance):
            low, high = map(percent, self.linear_interval)
            told = f"on the same folds; 95% [{low}, {high}]{self._bend}"
            rows.insert(1, ("  straight line", percent(self.linear_variance), told))
        if self.dependence_p_value is not None and self.dependence_p_value != self.p_value:
            place = next(i for i, row in enumerate(rows) if row[0] == "p-value")
            told = ("  of dependence", p_words(self.dependence_p_value), "in mean or in size")
            rows.insert(place + 1, told)
        if self.importance and (self.p_value is None or self.p_value <= 0.05):
            best = ", ".join(f"{printable(n)} {percent(v)}" for n, v in self.importance[:5])
            place = next(i for i, row in enumerate(rows) if row[0] == "denoised bits")
            told = f"{best}{', ...' if len(self.importance) > 5 else ''}"
            rows.insert(place, ("importance", "", told))
        if self.profile is not None:
            rows.append(("growth", *growth_words(self.profile)))
        return rows

    def __str__(self) -> str:
        lines = [f"Learnable novelty: {self.verdict}."]
        lines += [f"  {name:<19}{value:>10}  {meaning}" for name, value, meaning in self.rows()]
        shape = f"{self.num_samples} samples, {self.num_rows} rows, targets: {self.target_dim}"
        lines += [f"  {shape}; {self.standardization}", f"  {self.observer}"]
        lines += [f"  note: {note}" for note in self.decisions]
        lines += [f"  caution: {caution}" for caution in self.cautions]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:right'>{html.escape(value)}</td>"
            f"<td style='text-align:left'>{html.escape(meaning)}</td></tr>"
            for name, value, meaning in self.rows()
        )
        caption = html.escape(f"Learnable novelty: {self.verdict}.")
        cautions = "".join(f"<p>Caution: {html.escape(text)}</p>" for text in self.cautions)
        return f"<table><caption>{caption}</caption>{cells}</table>{cautions}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values that JSON can hold."""
        values = asdict(replace(self, predictions=None)) | {"verdict": self.verdict}
        del values["predictions"]
        return jsonable(values)

    def plot(self, path: str | Path | None = None, ax: Any = None) -> Any:
        """Draw the relation, the test and the bits; needs the [plot] extra.

        Args:
            path: where to save the picture; not saved by default.
            ax: matplotlib axes to draw the relation alone into.

        Returns:
            The matplotlib figure.
        """
        with needs_extra("a plot", "plot"):
            from learnable_novelty.measure.plot import draw_relation, draw_score
        return draw_score(self, path) if ax is None else draw_relation(ax, self)


def growth_words(profile: tuple[Step, ...]) -> tuple[str, str]:
    """Say what an observer grew to, and what that saved."""
    kept = next(step for step in profile if step.kept)
    if kept.kind == "frozen":
        return "none", f"{len(profile) - 1} steps were tried, and none shortened the description"
    size = f"{kept.width} features"
    size += "" if kept.depth is None else f", {kept.depth} layers"
    size += f", {kept.rounds} rounds of focus" if kept.rounds else ""
    saved = profile[0].total_bits - kept.total_bits
    return kept.kind, f"{size}; its description is {plain(saved)} bits shorter than the frozen one"

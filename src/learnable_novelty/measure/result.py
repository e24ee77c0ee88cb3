"""What a measurement reports: bits, the floor under them, and a test."""

from __future__ import annotations

import html
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from learnable_novelty.measure.held_out import held_out_share
from learnable_novelty.observer.denoise import FALSE_RATE

if TYPE_CHECKING:
    from torch import Tensor

    from learnable_novelty.measure.draw import Draw
    from learnable_novelty.measure.task import Settings
    from learnable_novelty.observer import Denoised, Observer

TOO_FEW = "too few samples"
"""Said where the spread over the data cannot be told."""


@dataclass(frozen=True)
class Score:
    """Learnable structure in bits, with a permutation test.

    ``denoised_bits`` is the number to report: noise has none of them. ``bits`` is the paper's own
    number, which a ridge fixed in advance makes large for pure noise too; ``floor_bits`` says how
    large. ``p_value`` says whether the targets depend on the inputs at all.
    """

    denoised_bits: float
    """The bits of the readout without the part that noise could have made, mean over draws: the
    number to report. Noise has none, and added noise does not change it, until it drowns the
    signal. 0 where the p-value is above 0.01 (or above the smallest that it can be)."""
    directions: float
    """How many directions of the targets can be learned: mean over draws. Like all denoised numbers
    NaN with more than 1,024 targets."""
    denoised_spectrum: tuple[float, ...] = field(repr=False)
    """Singular values of the denoised readout, descending, mean over draws."""
    root_p_value: float
    """Instant p-value of the largest root, from a law and 16 rearrangements of the residuals; draws
    are combined by the rule of Liu and Xie (2020)."""
    effective_rows: float
    """Independent rows that would have as much noise as these rows: fewer where rows depend on
    their neighbours."""
    bits: float
    """The paper's S, mean over reservoir draws."""
    bits_sd: float
    """Standard deviation over reservoir draws."""
    bits_se: float
    """Standard error over the data: jackknife, leaving out one block of samples at a time."""
    floor_bits: float
    """The score of the readout's own residuals, rearranged: what noise of that size scores."""
    floor_sd: float
    """Standard deviation of the floor over rearrangements."""
    excess_bits: float
    """bits - floor_bits."""
    null_bits: float | None
    """The score with the relation destroyed, mean over the null; not a floor: see the docs."""
    p_value: float | None
    """Of explained variance under the null; None without one."""
    mean_p_value: float | None
    """The same with random signs of single targets, which asks for a predictable mean only; None
    where signs are no test. If it is large and ``p_value`` small, the inputs may tell the size of
    the targets instead of their mean, as in GARCH."""
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
    residual_bits: float | None
    """Description length of the residuals at the noise variance that a fixed ridge posits; None
    with the evidence ridge, which posits none."""
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

    @property
    def p_text(self) -> str:
        """The p-value in words; a permutation test has a smallest one."""
        if self.p_value is None:
            return "no p-value"
        if self.p_value * (1 + self.null_count) > 1:
            return f"p = {self.p_value:.3g}"
        return (
            f"p <= {self.p_value:.3g} (the smallest that {self.null_count} permutations can give)"
        )

    @property
    def verdict(self) -> str:
        """Say in a sentence what was found."""
        if self.refusal is not None:
            return f"no p-value: {self.refusal}"
        if self.p_value is None:
            return "no null was drawn, so nothing is said about chance"
        if self.p_value > 0.05:
            return f"no learnable structure beyond chance; {self.p_text}"
        if self.mean_p_value is not None and self.mean_p_value > 0.05:
            return (
                "targets depend on inputs, but perhaps in their size only, as in GARCH: no mean "
                f"that can be learned was found (signs: p = {self.mean_p_value:.2g}); {self.p_text}"
            )
        low, high = self.held_out_interval
        share = ""
        if not math.isnan(low):
            share = (
                f"{self.held_out_variance:.0%} [{low:.0%}, {high:.0%}] of the variance of new "
                "samples; "
            )
        if math.isnan(self.denoised_bits):
            return f"learnable structure; {share}{self.p_text}"
        if self.directions < 0.5:
            return (
                f"a relation is there, too faint in {self.num_samples} samples for its bits to be "
                f"told from noise; {share}{self.p_text}"
            )
        return (
            f"learnable structure: {self.denoised_bits:.2g} bits in {self.directions:.2g} "
            f"direction{'s' if round(self.directions) != 1 else ''}; {share}{self.p_text}"
        )

    def rows(self) -> list[tuple[str, str, str]]:
        """List name, value and meaning of what is reported."""
        low, high = self.held_out_interval
        error = f"{TOO_FEW} for a standard error"
        if not math.isnan(self.bits_se):
            error = f"standard error {self.bits_se:.2f} over the data"
        share = ("-", TOO_FEW)
        if not math.isnan(low):
            value = f"{self.held_out_variance:.4f}"
            share = value, f"share in samples not seen; 95% [{low:.4f}, {high:.4f}]"
        null = "-" if self.null_bits is None else f"{self.null_bits:.2f}"
        p = "-" if self.p_value is None else f"{self.p_value:.3g}"
        size = f"n = {self.num_samples}: compare at equal n only"
        rows = [
            (
                "denoised bits",
                *_told(self.denoised_bits, ".2f", "of what noise could not have made"),
            ),
            ("directions", *_told(self.directions, ".2g", "of the targets that can be learned")),
            (
                "raw bits",
                f"{self.bits:.2f}",
                f"the paper's S, noise included; sd {self.bits_sd:.2f}; {size}",
            ),
            ("floor", f"{self.floor_bits:.2f}", "what its own noise would score"),
            ("excess", f"{self.excess_bits:.2f}", f"above the floor; {error}"),
            ("explained variance", f"{self.explained_variance:.4f}", "share of target variance"),
            ("held-out variance", *share),
            ("p-value", p, f"{self.null_count} rearrangements of {self.rearranged}"),
            ("null bits", null, f"if {self.hypothesis}"),
        ]
        if self.mean_p_value is not None:
            rows.insert(8, ("  of the mean", f"{self.mean_p_value:.3g}", "by random signs"))
        if self.residual_bits is not None:
            meaning = "of the residuals, at the noise that the ridge posits"
            rows.append(("residual bits", f"{self.residual_bits:.4g}", meaning))
        return rows

    def __str__(self) -> str:
        lines = [f"Learnable novelty: {self.verdict}."]
        lines += [f"  {name:<19}{value:>10}  {meaning}" for name, value, meaning in self.rows()]
        shape = f"{self.num_samples} samples, {self.num_rows} rows, {self.target_dim} targets"
        lines += [f"  {shape}; {self.standardization}", f"  {self.observer}"]
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
        values = asdict(self)
        values["verdict"] = self.verdict
        return {key: _plain(value) for key, value in values.items()}

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the score with its floor, the test and the spectrum; needs the [plot] extra.

        Args:
            path: where to save the picture; not saved by default.

        Returns:
            The matplotlib figure.
        """
        from learnable_novelty.measure.plot import draw_score

        return draw_score(self, path)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def summarize(
    draws: list[Draw],
    observer: Observer,
    settings: Settings,
    num_samples: int,
    null: tuple[str, str],
    units: int,
) -> Score:
    """Average over draws first, then compare.

    Args:
        draws: one for each reservoir.
        observer: the first of them.
        settings: what was asked for.
        num_samples: how many samples there were.
        null: what it rearranges, and what it claims.
        units: how many blocks of samples are independent of each other.
    """

    def mean(name: str) -> np.ndarray:
        return np.mean([getattr(draw, name) for draw in draws], axis=0)

    bits = np.array([draw.bits for draw in draws])
    floor, left_out, null_explained = mean("floor"), mean("leave_out_bits"), mean("null_explained")
    tested, count = float(mean("tested")), null_explained.size
    held_out = [draw.held_out for draw in draws if draw.held_out is not None]
    share, interval = math.nan, (math.nan, math.nan)
    if held_out:
        share, interval = held_out_share(held_out, units, draws[0].num_rows)
    bits_se, floor_sd = _jackknife_error(left_out), _deviation(floor)
    p_value = _p_value(null_explained, tested)
    # Heavy tails can lift a root above the edge; a permutation test does not mind them.
    chance = p_value is not None and p_value > max(FALSE_RATE, 1 / (1 + count))
    denoised = [_nothing(draw.denoised) if chance else draw.denoised for draw in draws]
    return Score(
        denoised_bits=float(np.mean([one.bits for one in denoised])),
        directions=float(np.mean([one.directions for one in denoised])),
        denoised_spectrum=_mean_spectrum([one.spectrum for one in denoised]),
        root_p_value=_combined([draw.denoised.p_value for draw in draws]),
        effective_rows=float(mean("effective_rows")),
        bits=float(bits.mean()),
        bits_sd=_deviation(bits),
        bits_se=bits_se,
        floor_bits=float(floor.mean()),
        floor_sd=floor_sd,
        excess_bits=float(bits.mean() - floor.mean()),
        null_bits=float(mean("null_bits").mean()) if count else None,
        p_value=p_value,
        mean_p_value=_p_value(mean("mean_null"), tested),
        explained_variance=float(mean("explained")),
        tested_variance=tested,
        held_out_variance=share,
        held_out_interval=interval,
        null_explained_variance=tuple(null_explained.tolist()),
        residual_bits=None if draws[0].residual_bits is None else float(mean("residual_bits")),
        spectrum=tuple(mean("spectrum").tolist()),
        num_samples=num_samples,
        num_rows=draws[0].num_rows,
        target_dim=draws[0].target_dim,
        draws=len(draws),
        null_count=count,
        rearranged=null[0],
        hypothesis=null[1],
        # The seed of the first draw would say nothing of the others.
        observer=repr(observer).replace(f", seed={observer.reservoir.seed}", ""),
        standardization=settings.standardization,
        seed=settings.seed,
    )


def _told(value: float, form: str, meaning: str) -> tuple[str, str]:
    """Write a denoised number, or say why there is none."""
    if math.isnan(value):
        return "-", "fewer than 4 rows, or more than 1,024 targets"
    return f"{value:{form}}", meaning


def _nothing(denoised: Denoised) -> Denoised:
    """Return the readout of data that have no relation; what is NaN stays so."""
    zero = 0 * denoised.bits
    return replace(denoised, bits=zero, directions=zero, spectrum=denoised.spectrum[:0])


def _mean_spectrum(tensors: list[Tensor]) -> tuple[float, ...]:
    """Average spectra of different lengths: what is missing is zero."""
    spectra = [tensor.cpu().numpy() for tensor in tensors]
    longest = max(map(len, spectra))
    return tuple(np.mean([np.pad(s, (0, longest - len(s))) for s in spectra], axis=0).tolist())


def _combined(p_values: list[float]) -> float:
    """Combine p-values of the same hypothesis, however dependent, by Cauchy variables."""
    heights = [math.tan((0.5 - min(max(p, 1e-15), 1 - 1e-15)) * math.pi) for p in p_values]
    return 0.5 - math.atan(sum(heights) / len(heights)) / math.pi


def _p_value(null: np.ndarray, observed: float) -> float | None:
    """Return (1 + number of null values at least as large) / (1 + number of null values)."""
    # Rounding must not decide a tie, such as constant targets give.
    beaten = int((null >= observed - 1e-10).sum())
    return (1 + beaten) / (1 + null.size) if null.size else None


def _jackknife_error(left_out: np.ndarray) -> float:
    """Return sqrt((B - 1)/B sum (S_b - mean)^2) over B blocks left out."""
    blocks = left_out.size
    return math.sqrt((blocks - 1) / blocks * float(((left_out - left_out.mean()) ** 2).sum()))


def _deviation(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0

"""The same data by learnable novelty and by its rivals, each with its unit and its cost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from learnable_novelty.compare.compression import gzip_rate
from learnable_novelty.compare.entropies import load_antropy, permutation_entropy, sample_entropy
from learnable_novelty.compare.lempel_ziv import lempel_ziv_rate
from learnable_novelty.compare.predictive import predictive_information
from learnable_novelty.compare.prequential import prequential_code
from learnable_novelty.errors import UserError
from learnable_novelty.measure.data import as_tensor
from learnable_novelty.measure.plan import make_plan
from learnable_novelty.measure.rearrange import Null
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import Progress, score
from learnable_novelty.observer.penalty import RidgePenalty

Found = TypeVar("Found")
NOT_TIME = "the rows are not time"


@dataclass(frozen=True)
class Reading:
    """One number of one measure."""

    key: str
    """A name for programs."""
    measure: str
    """A name for readers."""
    value: float | None
    """None where it cannot be had; ``note`` says why."""
    unit: str
    seconds: float | None
    """CPU time; None where the number came with the one above it."""
    note: str = ""

    def shown(self) -> str:
        """Write the value with four digits."""
        return "-" if self.value is None else f"{self.value:.4g}"


@dataclass(frozen=True)
class Comparison:
    """What every measure says of the same data."""

    readings: tuple[Reading, ...]
    score: Score = field(repr=False)
    """The whole of what ``score`` found."""

    def __getitem__(self, key: str) -> Reading:
        return next(reading for reading in self.readings if reading.key == key)

    def __str__(self) -> str:
        head = ("measure", "value", "unit", "CPU s", "")
        lines = [f"{head[0]:<28}{head[1]:>11}  {head[2]:<16}{head[3]:>9}"]
        for reading in self.readings:
            seconds = "" if reading.seconds is None else f"{reading.seconds:.3f}"
            line = f"{reading.measure:<28}{reading.shown():>11}  {reading.unit:<16}{seconds:>9}"
            lines.append(f"{line}  {reading.note}".rstrip())
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; an infinite value is the text "inf"."""
        rows = [asdict(reading) for reading in self.readings]
        for row in rows:
            row["value"] = plain(row["value"])
        return {"readings": rows, "score": self.score.to_dict()}


def compare(
    inputs: Any,
    targets: Any = None,
    *,
    window: int | None = None,
    history: int = 1,
    leads: Sequence[int] | None = None,
    ridge_penalty: RidgePenalty | None = None,
    draws: int = 8,
    null: int | str = 99,
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Measure the same data by learnable novelty and by its rivals.

    Learnable novelty, the prequential code and predictive information see the same pairs, what
    ``score`` makes of the data. The other rivals see columns through time: the series, or the
    targets if any were named.

    Args:
        inputs: (num_samples, columns), or a series (time, columns) with ``window`` or ``leads``.
        targets: as for ``score``.
        window: predict the next ``window`` steps of a series.
        history: how many past values of a series make an input.
        leads: predict these lead times instead of ``window``.
        ridge_penalty: lambda of the observer; "evidence" unless given.
        draws: how many reservoirs to average over.
        null: as for ``score``.
        seed: of reservoirs, rearrangements and the trained network.
        progress: called with the number of measures done and to do.

    Returns:
        A ``Comparison``; the [compare] extra is needed.
    """
    load_antropy()
    options: dict[str, Any] = {"window": window, "history": history, "leads": leads}
    series = as_tensor(inputs if targets is None else targets, "the data").double().numpy()
    if series.ndim != 2 or as_tensor(inputs, "inputs").ndim != 2:
        raise UserError(f"expected a table (rows, columns) to compare on, got {series.shape}")
    plan = make_plan(
        inputs,
        targets,
        **options,
        null=Null.of(null),
        seed=seed,
        standardize_inputs=True,
        target_unit="sd",
        column_axis=1,
    )
    steps: list[Callable[[], Any]] = [
        lambda: score(
            inputs,
            targets,
            **options,
            ridge_penalty=ridge_penalty,
            draws=draws,
            null=null,
            seed=seed,
        ),
        lambda: read_pairs(plan.inputs.numpy(), plan.targets.numpy(), seed),
        lambda: read_series(series, is_time=plan.windows is not None),
    ]
    found: list[tuple[Any, float]] = []
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        found.append(timed(step))
    if progress is not None:
        progress(len(steps), len(steps))
    scored, seconds = found[0]
    readings = (*read_score(scored, seconds), *found[1][0], *found[2][0])
    return Comparison(readings, scored)


def read_score(scored: Score, seconds: float) -> list[Reading]:
    """List what learnable novelty says."""
    name = "learnable novelty"
    draws = f"mean of {scored.draws} reservoirs"
    null = f"{scored.null_count} rearrangements of {scored.rearranged}"
    return [
        Reading("bits", name, scored.bits, "bits", seconds, draws),
        Reading("floor", "  its floor", scored.floor_bits, "bits", None),
        Reading("excess", "  its excess", scored.excess_bits, "bits", None, "bits less floor"),
        Reading("p_value", "  its p-value", scored.p_value, "", None, null),
    ]


def read_pairs(
    inputs: NDArray[np.floating], targets: NDArray[np.floating], seed: int
) -> list[Reading]:
    """List what the rivals say that see the same pairs of inputs and targets."""
    code, code_seconds = timed(lambda: prequential_code(inputs, targets, seed=seed))
    linear, linear_seconds = timed(lambda: predictive_information(inputs, targets))
    bias = inputs.shape[1] * targets.shape[1] / (2 * inputs.shape[0] * math.log(2))
    about = f"noise of this shape has about {bias:.2g}"
    if linear is None:
        about = "needs more samples than columns"
    per_value = f"{code.bits_per_value:.3g} bits per value"
    return [
        Reading(
            "prequential_structure",
            "trained network, structure",
            code.structure_bits,
            "bits",
            code_seconds,
            "area under its learning curve above the end",
        ),
        Reading(
            "prequential_total",
            "  its prequential code",
            code.total_bits,
            "bits",
            None,
            per_value,
        ),
        Reading(
            "predictive_information",
            "predictive information",
            linear,
            "bits",
            linear_seconds,
            f"Gaussian; {about}",
        ),
    ]


def read_series(series: NDArray[np.floating], *, is_time: bool = True) -> list[Reading]:
    """List what the rivals say that see columns through time, (time, columns)."""
    unordered = "" if is_time else "rows as they come"
    readings = [
        Reading("gzip", "gzip", *timed_as(gzip_rate, series, "bits per value"), unordered),
        Reading(
            "lempel_ziv",
            "Lempel-Ziv 1976",
            *timed_as(lempel_ziv_rate, series, "bits per symbol"),
            unordered or "above or below the median",
        ),
    ]
    for key, measure, function, unit in (
        ("permutation_entropy", "permutation entropy", permutation_entropy, "of its most"),
        ("sample_entropy", "sample entropy", sample_entropy, "bits per step"),
    ):
        if not is_time:
            readings.append(Reading(key, measure, None, unit, None, NOT_TIME))
            continue
        value, unit, seconds = timed_as(function, series, unit)
        note = "no two stretches are alike" if value is None else ""
        readings.append(Reading(key, measure, value, unit, seconds, note))
    return readings


def timed(function: Callable[[], Found]) -> tuple[Found, float]:
    """Return a result and the CPU time it took."""
    started = time.process_time()
    found = function()
    return found, time.process_time() - started


def timed_as(
    function: Callable[[Any], float | None], series: NDArray[np.floating], unit: str
) -> tuple[float | None, str, float]:
    """Return a value, its unit and its CPU time."""
    value, seconds = timed(lambda: function(series))
    return value, unit, seconds


def plain(value: float | None) -> float | str | None:
    """Return a number as JSON can hold it: infinity as text."""
    return "inf" if value == math.inf else value

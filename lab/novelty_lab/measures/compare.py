"""The same data by learnable novelty and by other measures, each with its unit and its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from learnable_novelty.data.open import open_source
from learnable_novelty.data.source import Source
from learnable_novelty.engine import Report
from learnable_novelty.errors import UserError
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.prepare import prepare_rows
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score_source
from learnable_novelty.measure.task import Settings, Task, choose_windows
from learnable_novelty.observer.evidence import RidgePenalty
from learnable_novelty.seeds import check_seed
from novelty_lab.measures import predictive, prequential
from novelty_lab.measures.registry import ComparedData, Measure, Reading, plain, timed
from novelty_lab.measures.series import GZIP, PERMUTATION_ENTROPY

MEASURES: tuple[Measure, ...] = (
    prequential.MEASURE,
    predictive.MEASURE,
    GZIP,
    PERMUTATION_ENTROPY,
)
"""In the order of the table."""


@dataclass(frozen=True)
class Comparison:
    """What every measure says of the same data."""

    readings: tuple[Reading, ...]
    score: Score = field(repr=False)
    """The whole result of ``score``."""

    def __getitem__(self, key: str) -> Reading:
        return next(reading for reading in self.readings if reading.key == key)

    def __str__(self) -> str:
        rows = [("measure", "value", "unit", "CPU s", "")]
        for reading in self.readings:
            seconds = "" if reading.seconds is None else f"{reading.seconds:.3f}"
            rows.append((reading.measure, reading.shown(), reading.unit, seconds, reading.note))
        return "\n".join(f"{a:<28}{b:>11}  {c:<16}{d:>9}  {e}".rstrip() for a, b, c, d, e in rows)

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
    resolution: float | None = None,
    draws: int = 8,
    null: int | str = "auto",
    rank: bool = False,
    seed: int = 0,
    progress: Report | None = None,
) -> Comparison:
    """Measure the same data by learnable novelty and by other measures.

    Learnable novelty, the prequential code and predictive information see the same pairs, what
    ``ln.score`` makes of the data, and its arguments are those of this function. The others see
    columns through time: the series, or the targets if any were named. ``progress`` is called with
    the number of measures done and to do.
    """
    settings = Settings(
        windows=choose_windows(window, history, leads),
        draws=draws,
        null=Null.of(null),
        seed=check_seed(seed),
        ridge_penalty=ridge_penalty,
        resolution=resolution,
        rank=rank,
    )
    source = open_source(inputs, targets, is_series=settings.windows is not None)
    data = _compared_data(source, settings)
    report = progress or (lambda done, total: None)
    report(0, len(MEASURES) + 1)
    scored, seconds = timed(lambda: score_source(source, settings))
    readings = _read_score(scored, seconds)
    for done, measure in enumerate(MEASURES, start=1):
        report(done, len(MEASURES) + 1)
        readings += measure.read(data)
    report(len(MEASURES) + 1, len(MEASURES) + 1)
    return Comparison(tuple(readings), scored)


def _compared_data(source: Source, settings: Settings) -> ComparedData:
    """Cut pairs as ``score`` does, and take the columns through time."""
    rows = source.rows
    if rows is None:
        raise UserError("expected data in memory to compare on, got data that is read by chunks")
    series = rows.inputs if rows.targets is None else rows.targets
    if rows.inputs.ndim != 2 or series.ndim != 2:
        shape = tuple(rows.inputs.shape)
        raise UserError(f"expected a table (rows, columns) to compare on, got shape {shape}")
    pairs = prepare_rows(rows, Task.of(source.layout(), settings), Null(0, "signs"), settings)
    return ComparedData(
        inputs=pairs.inputs.numpy(),
        targets=pairs.targets.numpy(),
        series=series.double().numpy(),
        is_time=settings.windows is not None,
        seed=settings.seed,
    )


def _read_score(scored: Score, seconds: float) -> list[Reading]:
    """List what learnable novelty says."""
    name = "learnable novelty"
    draws = f"mean of {scored.draws} reservoirs"
    null = f"{scored.null_count} rearrangements of {scored.rearranged}"
    return [
        Reading("denoised_bits", name, scored.denoised_bits, "bits", seconds, f"denoised, {draws}"),
        Reading("bits", "  raw bits", scored.bits, "bits", None, "the paper's S"),
        Reading("floor", "  its floor", scored.floor_bits, "bits", None),
        Reading("excess", "  its excess", scored.excess_bits, "bits", None, "bits less floor"),
        Reading("p_value", "  its p-value", scored.p_value, "", None, null),
    ]

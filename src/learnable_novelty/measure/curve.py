"""Bits against the number of samples, to compare data sets of unequal size at the same n."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable_novelty.data.open import open_source
from learnable_novelty.errors import UserError
from learnable_novelty.measure.prepare import labels_of, number_groups, split_groups
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.score import score
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.seeds import numpy_generator


@dataclass(frozen=True)
class LearningCurve:
    """Scores of subsets of the same data."""

    sizes: tuple[int, ...]
    """Samples, or steps of a series."""
    scores: tuple[tuple[Score, ...], ...]
    """Of the subsets of every size."""

    def at(self, size: int) -> dict[str, float]:
        """Return means over subsets of one size: bits, floor, excess and held-out variance."""
        if size not in self.sizes:
            raise UserError(f"expected one of the sizes {self.sizes}, got {size}")
        some = self.scores[self.sizes.index(size)]
        names = ("denoised_bits", "bits", "floor_bits", "excess_bits", "held_out_variance")
        return {name: float(np.mean([getattr(one, name) for one in some])) for name in names}

    def __str__(self) -> str:
        lines = [f"{'n':>8}{'denoised':>10}{'bits':>10}{'floor':>10}{'excess':>10}{'held out':>10}"]
        for size in self.sizes:
            values = "".join(f"{value:>10.3f}" for value in self.at(size).values())
            lines.append(f"{size:>8}{values}")
        return "\n".join(lines)


def learning_curve(
    inputs: Any,
    targets: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    subsets: int = 4,
    null: int = 0,
    seed: int = 0,
    **settings: Any,
) -> LearningCurve:
    """Score subsets of data in memory: bits depend on n, so compare data sets at the same n.

    Args:
        inputs: as for ``score``.
        targets: as for ``score``.
        sizes: how many samples, or steps of a series; by default from the number of all, which is
            the last, down by factors of two to at least 32.
        subsets: how many of each size: samples drawn without replacement, or consecutive steps.
        null: rearrangements of each; none by default.
        seed: of the subsets and of every score.
        settings: further arguments of ``score``.

    >>> x = np.linspace(-3, 3, 128)
    >>> curve = learning_curve(x, np.sin(x), sizes=[32, 128], draws=1)
    >>> curve.at(32)["bits"] < curve.at(128)["bits"]
    True
    """
    is_series = settings.get("window") is not None or settings.get("leads") is not None
    inputs, groups = split_groups(inputs, settings.pop("groups", None))
    source = open_source(inputs, targets, is_series=is_series)
    rows, labels = source.rows, labels_of(source, groups)
    if rows is None:
        raise UserError("expected data in memory for a learning curve, got data read by chunks")
    if labels is not None:
        labels = number_groups(labels, rows.count)
    whole_number("subsets", subsets, 1)
    if sizes is None:
        sizes = sorted({rows.count, *(rows.count >> k for k in range(8) if rows.count >> k >= 32)})
    for size in sizes:
        if not 2 <= whole_number("a size", size, 2) <= rows.count:
            raise UserError(f"expected sizes from 2 to {rows.count}, the samples, got {size}")
    scores = []
    for size in sizes:
        generator, repeats_scored = numpy_generator(seed, "curve", size), []
        for _ in range(subsets if size < rows.count else 1):
            if is_series:
                first = int(generator.integers(rows.count - size + 1))
                chosen = np.arange(first, first + size)
            else:
                chosen = np.sort(generator.permutation(rows.count)[:size])
            y = None if rows.targets is None else rows.targets[chosen]
            if labels is not None:
                settings["groups"] = labels[chosen]
            repeats_scored.append(score(rows.inputs[chosen], y, null=null, seed=seed, **settings))
        scores.append(tuple(repeats_scored))
    return LearningCurve(tuple(sizes), tuple(scores))

"""A whole score of a hundred rows, against its permutation test alone by fresh fits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from benchmarks.timing import Row, compare
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.p_values import p_value
from learnable_novelty.measure.prepare import column_scale, scaled
from learnable_novelty.measure.score import score
from learnable_novelty.measure.task import Settings
from learnable_novelty.rearrange import row_orders
from learnable_novelty.seeds import split

DRAWS, PERMUTATIONS = 2, 199


def prepare(
    num_rows: int, noise: float, permutations: int = PERMUTATIONS
) -> tuple[Callable[[], float | None], Callable[[], float | None]]:
    """Make both ways to the p-value of a noisy sine."""
    chance = np.random.default_rng(0)
    x = torch.from_numpy(chance.uniform(-3, 3, (num_rows, 1)))
    y = x.sin() + noise * torch.from_numpy(chance.standard_normal((num_rows, 1)))

    def ours() -> float | None:
        return score(x, y, draws=DRAWS, null=permutations).dependence_p_value

    @torch.no_grad()
    def plain() -> float | None:
        settings = Settings(None, DRAWS, Null(permutations), 0)
        inputs, targets = (
            scaled(x, 1, *column_scale(x, 1)),
            scaled(y, 1, 0.0, column_scale(y, 1)[1]),
        )
        shares = []
        for observer in draw_observers(settings, (num_rows, 1)):
            orders = row_orders("rows", num_rows, (1,), permutations, split(0, "null"))
            moved = [targets, *(targets[order] for order in orders)]
            fits = [observer.fit(observer.rows(inputs, some)) for some in moved]
            shares.append([fit.explained_variance() for fit in fits])
        observed, *null = np.mean(shares, axis=0)
        return p_value(np.array(null), float(observed))

    return plain, ours


def run(num_rows: int = 100) -> list[Row]:
    """Time both in turn, where there is much to learn and where there is nothing."""
    rows = []
    for what, noise in (("a noisy sine", 0.3), ("noise", 100.0)):
        plain, ours = prepare(num_rows, noise)
        name = f"score of {num_rows} rows of {what}; {PERMUTATIONS} permutations by fresh fits"
        rows.append(compare(name, plain, ours, at_least=1))
    return rows

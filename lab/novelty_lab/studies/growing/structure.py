"""How much structure an observer learns from data: the area under its learning curve.

Finzi et al. (2026, arXiv 2601.03220) estimate the epiplexity of a trained network by the code that
it needs while it learns, less what the same data cost at the end. With blocks b of n_b rows, each
as large as all before it, and l_b the mean code length of a row by what was learned before b,

    structure = sum_b n_b (l_b - l_B),   B the last block.

Every l_b is measured on the same new rows. Measured on the block itself, as a real code would, the
sampling error of the block is multiplied by the number of all rows, and hides the structure.

Here the learner is a readout that is solved, not trained, with a reservoir that is frozen or grows
on four fifths of the rows that were seen. Targets are zeros and ones. A prediction, cut to [0, 1],
is mixed with a fair coin to be the probability of a one; the last fifth chooses how much.
"""

from __future__ import annotations

import importlib

import numpy as np
import torch
from numpy.typing import NDArray

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.growing.growth import Growing

Array = NDArray[np.float64]
Data = tuple[Array, Array]
WIDTH, DEPTH, FEATURES, ROUNDS = 64, 4, 256, 5
FIRST_BLOCK = 64
"""Rows that are coded as fair coins, before anything is learned."""
HELD_OUT = 5
"""The last one in so many of the seen rows is not learned from."""
COINS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares of a fair coin in a probability."""


def structure(own: Data, new: Data, *, grows: bool, seed: int) -> dict[str, float]:
    """Learn from blocks of one set of rows, and code the rows of another set.

    Returns:
        Structure and total in bits; ``model``, the bits of the last readout and its focus;
        ``left``, the bits of a row in the end.
    """
    (x, y), (new_x, new_y) = own, new
    varies = (y != y[0]).any(0)
    if not varies.any():
        return {"structure": 0.0, "total": 0.0, "model": 0.0, "left": 0.0}
    mean, scale = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0)
    x, new_x, y, new_y = (x - mean) / scale, (new_x - mean) / scale, y[:, varies], new_y[:, varies]
    lengths, sizes, model = [float(y.shape[1])], [min(FIRST_BLOCK, len(x))], 0.0
    start = sizes[0]
    while start < len(x):
        stop = min(2 * start, len(x))
        learned = start - start // HELD_OUT
        later = np.concatenate([x[learned:start], new_x])
        guess, model = _learned(x[:learned], y[:learned], later, grows=grows, seed=seed)
        held_out, of_new = guess[: start - learned], guess[start - learned :]
        coin = min(COINS, key=lambda share: _bits(held_out, y[learned:start], share))
        lengths.append(_bits(of_new, new_y, coin))
        sizes.append(stop - start)
        start = stop
    total = float(np.dot(sizes, lengths))
    return {
        "structure": total - len(x) * lengths[-1],
        "total": total,
        "model": model,
        "left": lengths[-1],
    }


def _bits(guess: Array, y: Array, coin: float) -> float:
    """Return the mean code length of a row of targets."""
    ones = (1 - coin) * np.clip(guess, 0, 1) + coin / 2
    return float(-np.log2(np.where(y > 0.5, ones, 1 - ones)).sum(1).mean())


def _learned(x: Array, y: Array, new: Array, *, grows: bool, seed: int) -> tuple[Array, float]:
    """Return predictions of new rows, and the bits of the readout and of its focus."""
    regressor = importlib.import_module("learnable_novelty.sklearn").EpiplexityRegressor
    reservoir: reservoirs.Reservoir = reservoirs.MLP(
        x.shape[1], min(WIDTH, len(x) // 4), DEPTH, seed=seed
    )
    extra = 0.0
    if grows:
        growing = Growing(reservoir, most_features=FEATURES, rounds=ROUNDS)
        growth = growing.grow(_tensor(x), _tensor(y), seed=seed)
        reservoir, extra = growth.observer.reservoir, growth.kept.model_bits
    with torch.no_grad():
        features, later = (reservoir(_tensor(part)).double().numpy() for part in (x, new))
    try:
        fitted = regressor(floor_repeats=1, target_unit=1.0).fit(features, y)
    except UserError:  # exact fits ask for a ridge that is rounding
        fitted = regressor(floor_repeats=1, target_unit=1.0, ridge_penalty=1e-6).fit(features, y)
    return fitted.predict(later).reshape(len(new), -1), extra if grows else fitted.bits_


def _tensor(values: Array) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()

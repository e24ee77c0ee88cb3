"""The weight of a bonus: a tenth of the task's return, of a random policy (appendix H.3)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Array, Bonus
from learnable_novelty.reward.random_play import RandomPlay

BONUS_SHARE = 0.1
"""Weighted bonus of a random episode, in units of its task return."""
ReturnSize = Literal["mean", "deviation", "mean size"]


def weight_of(play: RandomPlay, bonus: Bonus, size: ReturnSize = "mean") -> tuple[float, float]:
    """Return the weight at which a random episode's bonus is a tenth of its return, and that bonus.

    Args:
        play: random episodes.
        bonus: is paid for them.
        size: of the returns R: "mean" is |mean R|, "deviation" sd R, "mean size" mean |R|.

    Raises:
        ValueError: if either is zero.
    """
    bonus.reset()
    paid = np.stack([bonus.pay(step) for step in play.steps])
    mean_bonus = float((paid * play.counted).sum() / play.episodes)
    returns = returns_of(play)
    measured = {
        "mean": abs(float(returns.mean())),
        "deviation": float(returns.std()),
        "mean size": float(np.abs(returns).mean()),
    }[size]
    if measured == 0.0 or mean_bonus == 0.0:
        what = "have no return" if measured == 0.0 else "earn no bonus"
        raise UserError(f"random episodes {what}, so there is no scale for the weight of the bonus")
    return BONUS_SHARE * measured / abs(mean_bonus), mean_bonus


def returns_of(play: RandomPlay) -> Array:
    """Return the task return of each random episode, (episodes,)."""
    ended = np.stack([step.ended for step in play.steps])
    returns: list[float] = []
    for env in range(play.counted.shape[1]):
        last = np.flatnonzero(ended[:, env])[: play.episodes // play.counted.shape[1]]
        sums = play.rewards[:, env].cumsum()[last]
        returns += np.diff(sums, prepend=0.0).tolist()
    return np.array(returns)

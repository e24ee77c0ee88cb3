"""Drives that differ from learnable novelty in what they pay for, and in nothing else.

They read the learner of ``NoveltyBonus``: the same pairs of the same episode, the same reservoir,
the same ridge readout. With f_t the affine map of features that the first t pairs of an episode
have taught (zero before the first), and errors in bits at the noise sigma^2 of appendix D,

    l_t = |y_t - f_t-1(x_t)|^2 / (2 sigma^2 ln 2),    sigma^2 = lambda / (2 alpha eta),

surprise pays l_t, the prequential code length of eq. (prequential) up to a constant per pair; the
drive of free energy pays -l_t; compression progress pays by how many bits the update shortens
the code of the history that it is an update on.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.stream_sums import problem, scales
from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import BitsConfig, NoveltyConfig
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.random_play import RandomPlay
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed, split
from novelty_lab.rivals.registry import RIVALS, make_rival


def sums_of(online: OnlineObserver) -> Any:
    """Return the ridge regression of each stream so far.

    With A = gram + lambda I and z = scale (h - feature_mean) a stream predicts
    target_mean + cross' A^-1 z.
    """
    m, sums, rule = online.reservoir.feature_dim, online.sums, online.rule()
    rows, varies = scaled = scales(sums, rule)
    a, b = problem(sums, rule, scaled)
    mean = sums.origin + sums.mean * np.where(sums.mean == 0, 0.0, sums.unit)
    return SimpleNamespace(
        count=sums.num_pairs,
        feature_mean=mean[:, :m],
        target_mean=mean[:, m:],
        scale=rows * varies[:, :m] / np.where(sums.unit > 0, sums.unit, 1.0)[:, :m],
        gram=a.numpy() - rule.penalty * np.eye(m),
        cross=b.numpy() * online.target_unit,
    )


class Learner:
    """The learner of a bonus: its pairs, what it predicts, and what it has saved.

    With standardized features z, A = Z'Z + lambda I and B = Z'Y,

        f(x) = mean_y + B' A^-1 z,
        sum |y - mean_y|^2 - sum |y - f(x)|^2 = tr(B'A^-1 B) + lambda tr(B'A^-2 B),

    so that neither needs the readout written out.

    Args:
        bonus: lends its units, windows and observer; it is not paid itself.
    """

    def __init__(self, bonus: NoveltyBonus) -> None:
        self.online, self.windows = bonus.streams, bonus.windows
        online = self.online
        variance = online.ridge_penalty / (2 * online.code_scale * online.resolution)
        self.bits_per_square = 1 / (2 * variance * math.log(2))
        self._refit()

    def push(self, step: Step) -> Mask:
        """Take a step's observations in; return which environments have a new pair."""
        return self.windows.push(step)

    def errors(self) -> Array:
        """Return |y - f(x)|^2 of the newest pairs, which are not learned yet, (num_envs,)."""
        features = self.online.reservoir.forward(torch.from_numpy(self.windows.inputs)).numpy()
        sums = sums_of(self.online)
        standard = sums.scale * (features - sums.feature_mean)
        weights = np.matmul(self._inverse, standard[:, :, None])
        predicted = sums.target_mean + np.matmul(weights.mT, sums.cross)[:, 0]
        return np.square(self.windows.targets - predicted).sum(1)

    def learn(self, ready: Mask) -> Array:
        """Learn the newest pair of each environment that has one.

        Returns:
            By how much the sum of squared errors on all pairs has risen, (num_envs,).
        """
        # Beside the mean of n pairs the sum of squares rises by n/(n + 1) |y - mean|^2 with a
        # pair more, and by |y - mean|^2 beside a mean that is fixed.
        sums, saved = sums_of(self.online), self._saved
        share = sums.count / (sums.count + 1) if self.online.calibration is None else 1.0
        risen = share * np.square(self.windows.targets - sums.target_mean).sum(1)
        active = None if ready.all() else torch.from_numpy(ready)
        inputs, targets = map(torch.from_numpy, (self.windows.inputs, self.windows.targets))
        self.online.update(inputs, targets, active)
        self._refit()
        return risen - (self._saved - saved)

    def forget(self, ended: Mask) -> None:
        """Start new episodes."""
        self.windows.forget(ended)
        self.online.reset(torch.from_numpy(ended))
        self._refit()

    def _refit(self) -> None:
        """Hold A^-1, and what the readout saves over the mean."""
        sums, penalty = sums_of(self.online), self.online.ridge_penalty
        self._inverse = inverse = np.linalg.inv(sums.gram + penalty * np.eye(sums.gram.shape[1]))
        both = inverse + penalty * np.matmul(inverse, inverse)
        self._saved = (sums.cross * np.matmul(both, sums.cross)).sum((1, 2))


class _LearnerDrive(ABC):
    """Pay for a pair when it is learned; the bonus gives the learner, not the payment."""

    def __init__(self, bonus: NoveltyBonus) -> None:
        self.learner = Learner(bonus)

    @abstractmethod
    def _learn(self, ready: Mask) -> Array:
        """Learn the newest pairs; return what they are worth, (num_envs,)."""

    def pay(self, step: Step) -> Array:
        ready = self.learner.push(step)
        paid = np.zeros(len(ready))
        if ready.any():
            paid = np.where(ready, self._learn(ready), 0.0)
        if step.ended.any():
            self.learner.forget(step.ended)
        return paid

    def reset(self) -> None:
        self.learner.forget(np.ones(len(self.learner.windows.seen), dtype=bool))


class Surprise(_LearnerDrive):
    """Pay the surprise l_t, or minus it: novelty search and free energy as section 2 reads them.

    Args:
        bonus: whose learner is surprised.
        sign: 1 seeks surprise, -1 avoids it.
    """

    def __init__(self, bonus: NoveltyBonus, sign: Literal[1, -1] = 1) -> None:
        super().__init__(bonus)
        self.sign = sign

    def _learn(self, ready: Mask) -> Array:
        errors = self.learner.errors()
        self.learner.learn(ready)
        return self.sign * self.learner.bits_per_square * errors


class Progress(_LearnerDrive):
    """Pay compression progress (Schmidhuber, 2009): what an update saves on its own history.

        p_t = bits(y_1..t | f_t-1) - bits(y_1..t | f_t)

    Old and new learner code the same history, all pairs of the episode with the newest one, as
    the definition asks; the sums hold all it takes, so that no replay is drawn. The first of these
    codes is that of the history before and l_t, hence

        p_1 + ... + p_T = (l_1 + ... + l_T) - bits(y_1..T | f_T):

    an episode's progress is its whole surprise less what the final learner leaves unexplained,
    which is the model's share of eq. (mdl), read off the learning curve. With this learner the
    predecessor and the score are two estimates of one quantity.
    """

    def _learn(self, ready: Mask) -> Array:
        errors = self.learner.errors()
        return self.learner.bits_per_square * (errors - self.learner.learn(ready))


LEARNER_DRIVES: dict[str, tuple[str, Callable[[NoveltyBonus], Bonus]]] = {
    "surprise": ("surprise (novelty search)", Surprise),
    "minus surprise": ("minus surprise (free energy)", lambda bonus: Surprise(bonus, sign=-1)),
    "progress": ("compression progress", Progress),
    "epiplexity": ("learnable novelty: raw bits", lambda bonus: bonus),
}
"""Drives that read the online learner and forget an episode at its end: label and maker."""
FORESIGHT = "foresight"
DRIVE_LABELS = {
    **{name: label for name, (label, _) in LEARNER_DRIVES.items() if name != "epiplexity"},
    **{name: rival.title for name, rival in RIVALS.items()},
    "epiplexity": LEARNER_DRIVES["epiplexity"][0],
    FORESIGHT: "learnable novelty: foresight",
}
"""In the order in which they are shown: ours last."""
DRIVES = tuple(DRIVE_LABELS)


def make_drive(
    name: str,
    play: RandomPlay,
    learner: BitsConfig,
    *,
    num_envs: int,
    action_dim: int,
    seed: Seed = 0,
) -> Bonus:
    """Make the drive of a name for environments with discrete actions.

    Args:
        name: one of ``DRIVES``.
        play: random episodes, for units.
        learner: of the drives that have one. Choose the fixed standardization, by the moments of
            random play. With the empirical one, features are divided by their spread so far, which
            is small early in an episode: when the agent then comes to another place, predictions
            are far off.
        num_envs: how many environments run side by side.
        action_dim: how many actions there are.
        seed: of all that is drawn; drives of one seed have the same reservoir.
    """
    if name not in DRIVES:
        raise UserError(f"expected a drive, one of {', '.join(DRIVES)}; got {name!r}")
    if name in RIVALS:
        return make_rival(
            name,
            scale=ObservationScale.of(play.observations, clip=None),
            num_envs=num_envs,
            action_dim=action_dim,
            discrete=True,
            seed=split(seed, name),
        )
    config = NoveltyConfig(bonus=FORESIGHT if name == FORESIGHT else learner)
    bonus = CalibratedNovelty.of(play, config, seed=seed).make(num_envs)
    return LEARNER_DRIVES[name][1](bonus) if isinstance(bonus, NoveltyBonus) else bonus

"""The settings of the novelty reward: one place for fields, defaults, checks and documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_choice, check_number, is_word, whole_number

Standardization = Literal["fixed", "empirical"]
RewardMode = Literal["add", "replace"]
MOST = 10_000
"""Largest width and window: memory grows with their product."""
COEFFICIENT = 0.1
"""Of the bonus in units of running returns; chosen on DoorKey-8x8."""


class _Checked:
    """Keep values as Python's own: a saved file holds no NumPy scalars."""

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class ForesightConfig(_Checked):
    """The settings of the bonus ``Foresight``, chosen on MultiRoom-N4-S5 and DoorKey-8x8.

    Raises:
        ValueError: for a value outside its range.
    """

    directions: int = 64
    """Length of z: observations of more numbers are projected, of fewer are widened by a frozen
    random layer."""
    ridge: float = 1.0
    """Of the episode's matrix C."""
    life: float = 30.0
    """Ridge of the readouts."""
    every: int = 128
    """Steps after which the readouts are solved again."""
    noise_share: float = 0.05
    """A column's unit is its foreseen variance and this share of all of it."""
    gate: float = 3.0
    """After a step whose squared error was this many times the usual one, other readouts forecast:
    a view of noise says nothing of what comes next."""

    def __post_init__(self) -> None:
        self._set(directions=whole_number("directions", self.directions, 1, MOST))
        self._set(every=whole_number("every", self.every, 1))
        for name in ("ridge", "life", "noise_share", "gate"):
            self._set(**{name: check_number(name, getattr(self, name), positive=True)})


@dataclass(frozen=True)
class BitsConfig(_Checked):
    """The settings of the paper's bonus, ``NoveltyBonus``: those of its observer (appendix H).

    Raises:
        ValueError: for a value outside its range.
    """

    window: int | Literal["auto"] = "auto"
    """How many observations ahead the observer predicts. "auto" is twice the time over which the
    state changes appreciably under a random policy, within [8, 48]."""
    width: int = 32
    """Width of the reservoir; a narrow one learns only what is regular."""
    ridge_penalty: float = 0.3
    """lambda."""
    standardization: Standardization = "fixed"
    """Of the features: "fixed" by their moments under a random policy, with which the recursion of
    the paper is exact, or "empirical" by the episode's own moments so far."""
    targets: Literal["raw", "scaled"] = "raw"
    """The paper standardizes what enters the reservoir; "scaled" standardizes targets too."""

    def __post_init__(self) -> None:
        check_choice("standardization", self.standardization, ("fixed", "empirical"))
        check_choice("targets", self.targets, ("raw", "scaled"))
        self._set(standardization=str(self.standardization), targets=str(self.targets))
        self._set(width=whole_number("width", self.width, 1, MOST))
        penalty = check_number("ridge_penalty", self.ridge_penalty, positive=True)
        auto = is_word(self.window, "auto")
        window = "auto" if auto else whole_number("window", self.window, 1, MOST)
        self._set(ridge_penalty=penalty, window=window)


BONUSES: dict[str, type[ForesightConfig | BitsConfig]] = {
    "foresight": ForesightConfig,
    "bits": BitsConfig,
}


@dataclass(frozen=True)
class NoveltyConfig(_Checked):
    """The settings of the novelty reward: its bonus, its units and its weight.

    ``NoveltyReward``, ``NoveltyRewardWrapper`` and ``NoveltyRewardVectorWrapper`` take these fields
    as keyword arguments.

    >>> NoveltyConfig(bonus="bits").bonus.width
    32

    Raises:
        ValueError: for a value outside its range.
    """

    bonus: Any = "foresight"
    """What is paid: "foresight", what a lifelong readout foresees and the episode has not shown, or
    "bits", the paper's, the increments of the episode's score. A ``ForesightConfig`` or a
    ``BitsConfig`` says how."""
    weight: float | Literal["auto"] = "auto"
    """Task reward per unit of the bonus. "auto" divides task reward and bonus, each, by the running
    size of its discounted return (``RunningUnits``); with ``mode="replace"`` it is 1."""
    mode: RewardMode = "add"
    """Whether the bonus is added to the task reward or replaces it."""
    coefficient: float = COEFFICIENT
    """With ``weight="auto"``: what a unit of the bonus counts in units of the task."""
    clip: float | None = 10.0
    """Largest absolute value of a standardized observation, or None for no limit."""
    episodes: int = 64
    """How many random episodes are played to find units and window."""

    def __post_init__(self) -> None:
        if isinstance(self.bonus, str):
            check_choice("bonus", self.bonus, tuple(BONUSES))
            self._set(bonus=BONUSES[self.bonus]())
        if not isinstance(self.bonus, ForesightConfig | BitsConfig):
            raise UserError(
                'bonus must be "foresight", "bits", a ForesightConfig or a BitsConfig, got '
                f"{self.bonus!r}"
            )
        check_choice("mode", self.mode, ("add", "replace"))
        self._set(coefficient=check_number("coefficient", self.coefficient, positive=True))
        self._set(mode=str(self.mode), episodes=whole_number("episodes", self.episodes, 1))
        if self.clip is not None:
            self._set(clip=check_number("clip", self.clip, positive=True))
        auto = is_word(self.weight, "auto")
        self._set(weight="auto" if auto else check_number("weight", self.weight))

"""The settings of the novelty bonus: one place for fields, defaults, checks and documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.checks import (
    check_choice,
    check_count,
    check_fade_steps,
    check_number,
    equals,
)
from learnable_novelty.reward.fading import Fading

Standardization = Literal["empirical", "fixed"]
Floor = Literal["residual"] | None
RewardMode = Literal["add", "replace", "modulate"]
MODES = ("add", "replace", "modulate")
RidgePenalty = float | Literal["evidence"]
BonusName = Literal["auto", "foresight", "bits"]
Weight = float | Literal["auto", "paper"]
MOST = 10_000
"""Largest width and window: memory grows with their product."""

COEFFICIENT = 0.1
"""Of the bonus in units of running returns; chosen on DoorKey-8x8."""

SHARED = {"play": None, "seed": 0, "encoder": None}
"""Keyword arguments of the novelty wrappers that are no settings of the bonus."""
F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True)
class ObserverConfig:
    """What the observer of the bonus is made from.

    Raises:
        ValueError: for a value outside its range.
    """

    window: int | Literal["auto"] = "auto"
    """How many observations ahead the observer predicts. "auto" is twice the time over which the
    state changes appreciably under a random policy, within [8, 48]."""
    width: int = 32
    """Width of the reservoir; a narrow one learns only what is regular."""
    ridge_penalty: RidgePenalty = 0.3
    """lambda, or "evidence" for the penalty of largest evidence, with which noise scores about 0;
    that score is evaluated every 16 steps and at the end of an episode."""
    standardization: Standardization = "empirical"
    """Of the features: "empirical" by the episode's own moments, "fixed" by those of a random
    policy."""
    floor: Floor = None
    """None for the paper's raw bits; "residual" subtracts the score of the observer's own
    prediction errors."""
    resolution: float = 1.0
    """eta."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, str):
                self._set(name, str.__str__(value))  # of a NumPy string or an enum, too
        check_choice("standardization", self.standardization, ("empirical", "fixed"))
        check_choice("floor", self.floor, ("residual", None))
        self._set("width", check_count("width", self.width, MOST))
        self._set("resolution", check_number("resolution", self.resolution, positive=True))
        if not equals(self.window, "auto"):
            self._set("window", check_count("window", self.window, MOST))
        if not equals(self.ridge_penalty, "evidence"):
            penalty = check_number("ridge_penalty", self.ridge_penalty, positive=True)
            self._set("ridge_penalty", penalty)
        elif self.standardization != "empirical" or self.floor is not None:
            raise UserError(
                'ridge_penalty="evidence" estimates the noise level itself: it takes no floor and '
                "no fixed standardization"
            )

    def _set(self, name: str, value: float | str) -> None:
        """Keep a value as Python's own: a saved file holds no NumPy scalars."""
        object.__setattr__(self, name, value)


@dataclass(frozen=True)
class ForesightConfig:
    """The settings of the bonus ``Foresight``, chosen on MultiRoom-N4-S5 and DoorKey-8x8.

    >>> ForesightConfig(form="bits").form
    'bits'

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
    form: Literal["ellipse", "bits"] = "ellipse"
    """"ellipse" pays b; "bits" pays q log2(1 + z'C^-1 z) / 2: where all comes true, an episode's
    payments add up to its score, 1/2 log2 det(I + sum z z' / ridge)."""
    limited: bool = True
    """Whether z'C^-1 z counts as directions / ridge at most; "bits" needs no limit."""

    def __post_init__(self) -> None:
        check_choice("form", self.form, ("ellipse", "bits"))
        if not isinstance(self.limited, bool | np.bool_):
            raise UserError(f"limited must be True or False, got {self.limited!r}")
        checked: dict[str, Any] = {"form": str.__str__(self.form), "limited": bool(self.limited)}
        checked["directions"] = check_count("directions", self.directions, MOST)
        checked["every"] = check_count("every", self.every)
        for name in ("ridge", "life", "noise_share", "gate"):
            checked[name] = check_number(name, getattr(self, name), positive=True)
        for name, value in checked.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class NoveltyConfig(ObserverConfig):
    """The settings of the novelty reward: its observer, its units and its weight.

    ``NoveltyReward``, ``NoveltyRewardWrapper`` and ``NoveltyRewardVectorWrapper`` take these fields
    as keyword arguments.

    >>> NoveltyConfig(window=8, weight=2).weight
    2.0
    """

    clip: float | None = 10.0
    """Largest absolute value of a standardized observation, or None for no limit."""
    weight: Weight = "auto"
    """Task reward per unit of the bonus. "auto" divides task reward and bonus, each, by the running
    size of its discounted return (``RunningUnits``); "paper" makes the bonus of a random episode
    0.1 times the size of its task return. Both are 1 with ``mode="replace"``, and with "modulate"
    "auto" divides what is paid by its running size."""
    mode: RewardMode = "add"
    """Whether the bonus is added to the task reward, replaces it, or is modulated by it: with
    "modulate" the agent is paid for novelty alone, which counts by how well the episode goes
    (``Modulation``)."""
    episodes: int = 64
    """How many random episodes are played to find units, window and weight."""
    bonus: BonusName = "auto"
    """"foresight": what a lifelong readout foresees and the episode has not shown (``Foresight``).
    "bits": the paper's, the increments of the episode's score, by the observer that window, width,
    ridge_penalty, standardization, floor and resolution describe. "auto" is "bits" where one of
    these is not at its default or the weight is "paper", and "foresight" otherwise."""
    coefficient: float = COEFFICIENT
    """With ``weight="auto"``: what a unit of the bonus counts in units of the task."""
    fade_steps: Fading = None
    """Steps, of all environments together, over which the coefficient falls along a line to zero,
    so that in the end the agent is paid by the task alone. "restarts": over 100,000 steps, then
    from its full value over 200,000, 400,000 and so on; it is zero after 100,000, 300,000, 700,000
    and 1,500,000 steps, and a training that ends elsewhere ends with a bonus. None for never."""
    foresight: ForesightConfig = ForesightConfig()
    """The settings of ``bonus="foresight"``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("mode", self.mode, MODES)
        if self.mode == "modulate" and equals(self.weight, "paper"):
            raise UserError('weight="paper" weighs a bonus that is added: mode must be "add"')
        check_choice("bonus", self.bonus, ("auto", "foresight", "bits"))
        self._choose_bonus()
        self._set("coefficient", check_number("coefficient", self.coefficient, positive=True))
        self._set("episodes", check_count("episodes", self.episodes))
        if self.clip is not None:
            self._set("clip", check_number("clip", self.clip, positive=True))
        if self.weight_is_number:
            self._set("weight", check_number("weight", self.weight))
        object.__setattr__(
            self, "fade_steps", check_fading(self.fade_steps, self.weight, self.mode)
        )

    def _choose_bonus(self) -> None:
        """Replace "auto" by the bonus whose settings were given; refuse settings of the other."""
        given = [
            name
            for name, field in ObserverConfig.__dataclass_fields__.items()
            if getattr(self, name) != field.default
        ]
        if equals(self.bonus, "auto"):
            papers = given or equals(self.weight, "paper")
            self._set("bonus", "bits" if papers else "foresight")
        elif self.bonus == "foresight" and given:
            raise UserError(f'{given[0]} is a setting of bonus="bits", and has no use in foresight')
        if not isinstance(self.foresight, ForesightConfig):
            raise UserError(f"foresight must be a ForesightConfig, got {self.foresight!r}")
        if self.bonus == "bits" and self.foresight != ForesightConfig():
            remedy = f"out foresight or {given[0]}" if given else 'it out, or set bonus="foresight"'
            raise UserError(f'foresight has no use in bonus="bits": leave {remedy}')

    @property
    def weight_is_number(self) -> bool:
        """Whether the weight is neither "auto" nor "paper"."""
        return not (equals(self.weight, "auto") or equals(self.weight, "paper"))

    def observer(self) -> dict[str, Any]:
        """Return the fields of ``ObserverConfig``, as keyword arguments."""
        return {name: getattr(self, name) for name in ObserverConfig.__dataclass_fields__}


def takes_config(function: F) -> F:
    """Show ``SHARED`` and the fields of ``NoveltyConfig`` in place of ``**options``."""
    signature, named = inspect.signature(function), inspect.Parameter.KEYWORD_ONLY
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = [inspect.Parameter(name, named, default=value) for name, value in SHARED.items()]
    fields = inspect.signature(NoveltyConfig).parameters.values()
    options = [field.replace(kind=named) for field in fields]
    shown = signature.replace(parameters=[*own, *options, *shared])
    function.__signature__ = shown
    return function


def check_fading(fade_steps: Any, weight: Any, mode: str) -> Fading:
    """Check ``fade_steps``, which needs a coefficient that can fall, and return it."""
    if fade_steps is None:
        return None
    if mode != "add" or not equals(weight, "auto"):
        raise UserError(
            f'fade_steps needs weight="auto" and mode="add", got weight={weight!r}, mode={mode!r}'
        )
    return check_fade_steps(fade_steps)

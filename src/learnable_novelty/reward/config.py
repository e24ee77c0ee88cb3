"""The settings of the novelty bonus: one place for fields, defaults, checks and documentation."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from learnable_novelty.errors import UserError
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
        if not _equals(self.window, "auto"):
            self._set("window", check_count("window", self.window, MOST))
        if not _equals(self.ridge_penalty, "evidence"):
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
    """"foresight": what a lifelong readout foresees and the episode has not shown (``Foresight``,
    at its own settings). "bits": the paper's, the increments of the episode's score, by the
    observer that window, width, ridge_penalty, standardization, floor and resolution describe.
    "auto" is "bits" where one of these is not at its default or the weight is "paper", and
    "foresight" otherwise."""
    coefficient: float = COEFFICIENT
    """With ``weight="auto"``: what a unit of the bonus counts in units of the task."""
    fade_steps: Fading = None
    """Steps, of all environments together, over which the coefficient falls along a line to zero,
    so that in the end the agent is paid by the task alone. "restarts": over 100,000 steps, then
    from its full value over 200,000, 400,000 and so on; it is zero after 100,000, 300,000, 700,000
    and 1,500,000 steps, and a training that ends elsewhere ends with a bonus. None for never."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("mode", self.mode, MODES)
        if self.mode == "modulate" and _equals(self.weight, "paper"):
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
        if _equals(self.bonus, "auto"):
            papers = given or _equals(self.weight, "paper")
            self._set("bonus", "bits" if papers else "foresight")
        elif self.bonus == "foresight" and given:
            raise UserError(f'{given[0]} is a setting of bonus="bits", and has no use in foresight')

    @property
    def weight_is_number(self) -> bool:
        """Whether the weight is neither "auto" nor "paper"."""
        return not (_equals(self.weight, "auto") or _equals(self.weight, "paper"))

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
    if mode != "add" or not _equals(weight, "auto"):
        raise UserError(
            f'fade_steps needs weight="auto" and mode="add", got weight={weight!r}, mode={mode!r}'
        )
    return check_fade_steps(fade_steps)


def check_fade_steps(value: Any) -> Fading:
    """Return a number of steps, "restarts" or None, or raise."""
    if value is None:
        return None
    if _equals(value, "restarts"):
        return "restarts"  # Python's own: a saved file holds no NumPy strings
    try:
        return check_count("fade_steps", value)
    except UserError as error:
        raise UserError(f'{error}; or "restarts", or None for never') from None


def check_choice(name: str, value: Any, known: tuple[Any, ...]) -> None:
    """Raise unless a value is among the known ones."""
    if not any(value is each or _equals(value, each) for each in known):
        raise UserError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")


def check_count(name: str, value: Any, most: float = math.inf) -> int:
    """Return a whole number from 1 to ``most``, or raise."""
    try:
        count = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = 0
    if not 1 <= count <= most:
        limit = f" to {most:,}" if most < math.inf else ""
        raise UserError(f"{name} must be a whole number from 1{limit}, got {value!r}")
    return count


def check_number(name: str, value: Any, *, positive: bool = False) -> float:
    """Return a finite number, or raise."""
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or (positive and number <= 0):
        kind = "positive" if positive else "finite"
        raise UserError(f"{name} must be a {kind} number, got {value!r}")
    return number


def _equals(value: Any, word: Any) -> bool:
    """Compare with a word; an array would compare element by element."""
    return isinstance(value, str) and value == word

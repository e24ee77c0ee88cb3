"""The score as a reward: agents are rewarded for learnable novelty.

The bonuses need the core install only. The wrappers for Gymnasium and for Stable-Baselines3 come
with the extra ``rl``, and are imported when they are first used.

>>> from stable_baselines3.common.env_util import make_vec_env
>>> from learnable_novelty.reward import NoveltyReward
>>> venv = NoveltyReward(make_vec_env("Pendulum-v1", n_envs=2), episodes=4)
>>> venv.weight > 0
True
"""

import importlib
from typing import TYPE_CHECKING, Any

from learnable_novelty.errors import needs_extra
from learnable_novelty.reward.bonus import Bonus, Step
from learnable_novelty.reward.config import BitsConfig, ForesightConfig, NoveltyConfig
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.scale import ObservationScale

if TYPE_CHECKING:
    from learnable_novelty.reward.gym_wrappers import (
        BonusVectorWrapper,
        BonusWrapper,
        NoveltyRewardVectorWrapper,
        NoveltyRewardWrapper,
    )
    from learnable_novelty.reward.sb3 import BonusReward, LogNovelty, NoveltyReward

__all__ = [
    "BitsConfig",
    "Bonus",
    "BonusReward",
    "BonusVectorWrapper",
    "BonusWrapper",
    "Foresight",
    "ForesightConfig",
    "LogNovelty",
    "NoveltyBonus",
    "NoveltyConfig",
    "NoveltyReward",
    "NoveltyRewardVectorWrapper",
    "NoveltyRewardWrapper",
    "ObservationScale",
    "Step",
]

_LAZY = {"BonusReward": "sb3", "LogNovelty": "sb3", "NoveltyReward": "sb3"}
"""Modules that import Stable-Baselines3; the other lazy names are Gymnasium's."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needs_extra(f"{__name__}.{name}", "rl"):
        return getattr(
            importlib.import_module(f"{__name__}.{_LAZY.get(name, 'gym_wrappers')}"), name
        )

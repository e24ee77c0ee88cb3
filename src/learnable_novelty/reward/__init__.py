"""The score as a reward: agents are rewarded for learnable novelty.

The bonus itself needs torch and NumPy only. The wrappers for Gymnasium (``gym_wrappers``) and for
Stable-Baselines3 (``sb3``) are imported when they are asked for.

>>> from stable_baselines3.common.env_util import make_vec_env
>>> from learnable_novelty.reward import NoveltyReward
>>> venv = NoveltyReward(make_vec_env("Pendulum-v1", n_envs=2), episodes=4)
>>> venv.calibrated.config.bonus, venv.weight > 0
('foresight', True)
"""

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from learnable_novelty.errors import needs_extra
from learnable_novelty.reward.accumulator import EPISODE, RewardAccumulator
from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step, Transition
from learnable_novelty.reward.calibrated import CalibratedNovelty
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.config import (
    ForesightConfig,
    NoveltyConfig,
    ObserverConfig,
    RewardMode,
    Standardization,
)
from learnable_novelty.reward.fading import Fading
from learnable_novelty.reward.foresight import Foresight
from learnable_novelty.reward.images import FrozenConvolution
from learnable_novelty.reward.modulation import ModulatedUnits, Modulation
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.running import ReturnSpread, RewardUnits, RunningUnits
from learnable_novelty.reward.scale import ObservationScale

if TYPE_CHECKING:
    from learnable_novelty.reward.adapters import EnvAdapter, ParallelEnvs, VectorEnvAdapter
    from learnable_novelty.reward.gym_wrappers import (
        BonusVectorWrapper,
        BonusWrapper,
        NoveltyRewardVectorWrapper,
        NoveltyRewardWrapper,
    )
    from learnable_novelty.reward.sb3 import BonusReward, LogNovelty, NoveltyReward, VecEnvAdapter
    from learnable_novelty.reward.spaces import action_dim, observation_dim

__all__ = [
    "EPISODE",
    "Array",
    "Bonus",
    "BonusReward",
    "BonusVectorWrapper",
    "BonusWrapper",
    "CalibratedNovelty",
    "EnvAdapter",
    "Fading",
    "Foresight",
    "ForesightConfig",
    "FrozenConvolution",
    "LogNovelty",
    "Mask",
    "ModulatedUnits",
    "Modulation",
    "NoveltyBonus",
    "NoveltyConfig",
    "NoveltyReward",
    "NoveltyRewardVectorWrapper",
    "NoveltyRewardWrapper",
    "ObservationScale",
    "ObserverConfig",
    "ParallelEnvs",
    "RandomPlay",
    "ReturnSpread",
    "RewardAccumulator",
    "RewardMode",
    "RewardUnits",
    "RunningUnits",
    "Standardization",
    "Step",
    "Transition",
    "VecEnvAdapter",
    "VectorEnvAdapter",
    "action_dim",
    "observation_dim",
    "play_randomly",
    "weight_of",
]

_LAZY = ("spaces", "adapters", "gym_wrappers", "sb3")
"""Modules that import Gymnasium, and the last one Stable-Baselines3."""
_RENAMED = {
    "EnvWorld": "EnvAdapter",
    "NoveltySettings": "CalibratedNovelty",
    "ObserverOptions": "NoveltyConfig",
    "VecEnvWorld": "VecEnvAdapter",
    "VectorWorld": "VectorEnvAdapter",
    "WindowBonus": "NoveltyBonus",
}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        new = _RENAMED[name]
        message = f"learnable_novelty.reward.{name} is now called {new}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return globals().get(new) or __getattr__(new)
    with needs_extra(f"{__name__}.{name}", "rl"):
        for module in _LAZY if name in __all__ else ():
            value = getattr(importlib.import_module(f"{__name__}.{module}"), name, None)
            if value is not None:
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

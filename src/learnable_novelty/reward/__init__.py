"""The score as a reward: agents are paid for learnable novelty.

>>> from stable_baselines3.common.env_util import make_vec_env
>>> from learnable_novelty.reward import NoveltyReward
>>> venv = NoveltyReward(make_vec_env("Pendulum-v1", n_envs=2), episodes=4)
>>> 8 <= venv.window <= 48, venv.weight > 0
(True, True)
"""

from learnable_novelty.reward.bonus import Array, Bonus, Mask, Step
from learnable_novelty.reward.calibration import RandomPlay, play_randomly, weight_of
from learnable_novelty.reward.gym_env import NoveltyRewardVectorWrapper, NoveltyRewardWrapper
from learnable_novelty.reward.novelty import NoveltyBonus, Standardization, WindowBonus
from learnable_novelty.reward.options import ObserverOptions
from learnable_novelty.reward.payroll import EPISODE
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.settings import NoveltySettings
from learnable_novelty.reward.spaces import action_dim, observation_dim
from learnable_novelty.reward.vec_env import BonusReward, LogNovelty, NoveltyReward
from learnable_novelty.reward.worlds import EnvWorld, VecEnvWorld, VectorWorld

__all__ = [
    "EPISODE",
    "Array",
    "Bonus",
    "BonusReward",
    "EnvWorld",
    "LogNovelty",
    "Mask",
    "NoveltyBonus",
    "NoveltyReward",
    "NoveltyRewardVectorWrapper",
    "NoveltyRewardWrapper",
    "NoveltySettings",
    "ObservationScale",
    "ObserverOptions",
    "RandomPlay",
    "Standardization",
    "Step",
    "VecEnvWorld",
    "VectorWorld",
    "WindowBonus",
    "action_dim",
    "observation_dim",
    "play_randomly",
    "weight_of",
]

"""The score as a reward: agents are paid for learnable novelty.

>>> from stable_baselines3.common.env_util import make_vec_env
>>> from learnable_novelty.reward import NoveltyReward
>>> venv = NoveltyReward(make_vec_env("Pendulum-v1", n_envs=2), episodes=4)
>>> 8 <= venv.window <= 48, venv.weight > 0
(True, True)
"""

from learnable_novelty.reward.bonus import Bonus, Step
from learnable_novelty.reward.calibration import RandomPlay, play_randomly
from learnable_novelty.reward.gym_env import NoveltyRewardVectorWrapper, NoveltyRewardWrapper
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.reward.tasks import TASKS
from learnable_novelty.reward.vec_env import BonusReward, LogNovelty, NoveltyReward
from learnable_novelty.reward.worlds import EnvWorld, VecEnvWorld, VectorWorld

__all__ = [
    "TASKS",
    "Bonus",
    "BonusReward",
    "EnvWorld",
    "LogNovelty",
    "NoveltyBonus",
    "NoveltyReward",
    "NoveltyRewardVectorWrapper",
    "NoveltyRewardWrapper",
    "ObservationScale",
    "RandomPlay",
    "Step",
    "VecEnvWorld",
    "VectorWorld",
    "play_randomly",
]

"""PPO on a task, rewarded by the task, by a bonus, or by both (table 4 and appendix H.3)."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward import (
    Bonus,
    CalibratedNovelty,
    ForesightConfig,
    NoveltyConfig,
    ObservationScale,
    RandomPlay,
    play_randomly,
    weight_of,
)
from learnable_novelty.seeds import split
from novelty_lab.paper.table1_agents.agents.conditions import REWARDS
from novelty_lab.paper.table1_agents.agents.tasks import task_of
from novelty_lab.rivals import make_rival

TINY = 1e-12
"""A coefficient of the bonus that leaves the task reward alone, in its running units."""
RUNNING: dict[str, dict[str, Any]] = {
    "foresight-limited": {"bonus": "foresight"},
    "foresight": {"foresight": ForesightConfig(limited=False)},
    "restarts": {"bonus": "foresight", "fade_steps": "restarts"},
    "bits": {"bonus": "bits"},
    "task-running": {"bonus": "bits", "coefficient": TINY},
}
"""Options of ``NoveltyReward``, whose weight is in running units, by the name of the reward."""
CURVE_POINTS = 200
"""The most that a learning curve keeps."""


@dataclass(frozen=True)
class PPOSettings:
    """Table 4; what it leaves out is Stable-Baselines3's default."""

    num_envs: int = 8
    n_steps: int = 1024
    batch_size: int = 256
    gamma: float = 0.999
    gae_lambda: float = 0.98
    learning_rate: float = 3e-4
    n_epochs: int = 10
    clip_range: float = 0.2
    ent_coef: float = 0.0
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    use_sde: bool = False
    log_std_init: float = 0.0
    ortho_init: bool = True
    activation: Literal["tanh", "relu"] = "tanh"
    net_arch: tuple[int, ...] = (64, 64)
    normalize: bool = False
    """Whether observations and rewards, the bonus in them, go through ``VecNormalize``."""

    def make_model(self, venv: Any, seed: int) -> Any:
        """Make the untrained agent."""
        from stable_baselines3 import PPO
        from torch import nn

        settings = dataclasses.asdict(self)
        for name in ("num_envs", "normalize"):
            settings.pop(name)
        policy = {name: settings.pop(name) for name in ("log_std_init", "ortho_init")}
        policy["activation_fn"] = nn.Tanh if settings.pop("activation") == "tanh" else nn.ReLU
        policy["net_arch"] = list(settings.pop("net_arch"))
        return PPO("MlpPolicy", venv, seed=seed, device="cpu", policy_kwargs=policy, **settings)


@dataclass(frozen=True)
class Training:
    """One training run."""

    task: str
    reward: str = "task+epiplexity"
    steps: int = 600_000
    ppo: PPOSettings = field(default_factory=PPOSettings)
    width: int = 32
    """Of the reservoir."""
    ridge_penalty: float = 0.3
    standardization: str = "empirical"
    random_episodes: int = 64
    """Episodes of a random policy, for units and weight."""
    evaluation_episodes: int = 100

    def __post_init__(self) -> None:
        task_of(self.task)
        if self.reward not in REWARDS:
            raise UserError(f"expected a reward, one of {', '.join(REWARDS)}; got {self.reward!r}")
        if self.steps < 1:
            raise UserError(f"expected steps of at least 1, got {self.steps}")


def make_vec_env(name: str, num_envs: int) -> Any:
    """Make parallel environments of a task in this process, each under a Monitor."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    task = task_of(name)
    return DummyVecEnv([lambda: Monitor(task.make()) for _ in range(num_envs)])


def train(
    training: Training, *, seed: int, report: Callable[[int, int, float], None] | None = None
) -> tuple[Any, dict[str, Any]]:
    """Train a policy; return the model, and the figures of the run.

    Args:
        training: what to train.
        seed: of everything.
        report: called after every rollout with steps done, steps to do and the latest mean return.
    """
    ppo = training.ppo
    child = split(seed, "training", training.task)
    venv = make_vec_env(training.task, ppo.num_envs)
    figures: dict[str, Any] = {}
    if training.reward != "task":
        venv, figures = add_bonus(venv, training, child)
    if ppo.normalize:
        venv = normalized(venv, ppo)
    model = ppo.make_model(venv, child % 2**31)
    curve = make_curve(training.steps, report)
    with warnings.catch_warnings():
        # Published settings whose minibatch is larger than a rollout are what they are.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model.learn(training.steps, callback=curve)
    venv.close()
    returns = evaluate(model, training, split(child, "evaluation"))
    figures |= {
        "return": float(np.mean(returns)),
        "return_sd": float(np.std(returns)),
        "returns": [_rounded(value) for value in returns],
        "curve": thinned(curve.points),
        "steps_trained": int(model.num_timesteps),
    }
    return model, figures


def normalized(venv: Any, ppo: PPOSettings) -> Any:
    """Divide observations and rewards by their running deviations."""
    from stable_baselines3.common.vec_env import VecNormalize

    return VecNormalize(venv, gamma=ppo.gamma)


def add_bonus(venv: Any, training: Training, seed: int) -> tuple[Any, dict[str, Any]]:
    """Add the bonus to the reward of environments, its weight found on a random policy."""
    from learnable_novelty.reward import BonusReward, NoveltyReward, VecEnvAdapter

    play_venv = make_vec_env(training.task, training.ppo.num_envs)
    play = play_randomly(
        VecEnvAdapter(play_venv),
        episodes=training.random_episodes,
        seed=split(seed, "random episodes"),
    )
    play_venv.close()
    kind = training.reward.removeprefix("task+")
    if kind in RUNNING:
        figures = {"random_return": play.mean_return}
        return NoveltyReward(venv, play=play, seed=seed, **RUNNING[kind]), figures
    bonus = make_bonus(kind, play, venv, training, seed)
    mean_return, mean_bonus = play.mean_return, play.mean_bonus(bonus)
    bonus = make_bonus(kind, play, venv, training, seed)  # a fresh one, which has learned nothing
    alone = training.reward == kind
    weight = 1.0 if alone else weight_of(mean_return, mean_bonus)
    figures = {"random_return": mean_return, "random_bonus": mean_bonus, "weight": weight}
    return BonusReward(venv, bonus, weight=weight, mode="replace" if alone else "add"), figures


def make_bonus(kind: str, play: RandomPlay, venv: Any, training: Training, seed: int) -> Bonus:
    """Make the bonus of a name."""
    from learnable_novelty.reward import action_dim

    if kind in ("epiplexity", "excess", "evidence"):
        config = NoveltyConfig(
            bonus="bits",
            window=task_of(training.task).window,
            width=training.width,
            ridge_penalty="evidence" if kind == "evidence" else training.ridge_penalty,
            standardization=training.standardization,  # pyright: ignore[reportArgumentType]
            floor="residual" if kind == "excess" else None,
        )
        return CalibratedNovelty.of(play, config, seed=seed).make(venv.num_envs)
    return make_rival(
        kind,
        scale=ObservationScale.of(play.observations, clip=None),
        num_envs=venv.num_envs,
        action_dim=action_dim(venv.action_space),
        discrete=not hasattr(venv.action_space, "low"),
        seed=split(seed, kind),
    )


def evaluate(model: Any, training: Training, seed: int) -> list[float]:
    """Return the task returns of evaluation episodes, the policy taking its likeliest actions."""
    from stable_baselines3.common.evaluation import evaluate_policy

    venv = make_vec_env(training.task, training.ppo.num_envs)
    venv.seed(seed % 2**31)
    if training.ppo.normalize:
        units = model.get_vec_normalize_env()
        venv = normalized(venv, training.ppo)
        venv.obs_rms, venv.training, venv.norm_reward = units.obs_rms, False, False
    returns, _ = evaluate_policy(
        model, venv, n_eval_episodes=training.evaluation_episodes, return_episode_rewards=True
    )
    venv.close()
    return [float(value) for value in returns]  # pyright: ignore[reportGeneralTypeIssues]


def make_curve(steps: int, report: Callable[[int, int, float], None] | None) -> Any:
    """Make a callback that keeps the mean task return of recent episodes, once a rollout."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Curve(BaseCallback):
        def __init__(self) -> None:
            super().__init__()
            self.points: list[tuple[int, float]] = []

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            recent = [episode["r"] for episode in self.model.ep_info_buffer or ()]
            if not recent:
                return
            mean = _rounded(float(np.mean(recent)))
            self.points.append((int(self.num_timesteps), mean))
            if report is not None:
                report(min(self.num_timesteps, steps), steps, mean)

    return Curve()


def thinned(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Keep evenly spaced points of a curve, the last one among them.

    >>> thinned([(step, 0.0) for step in range(1, 601)])[:2]
    [(3, 0.0), (6, 0.0)]
    """
    every = -(-len(points) // CURVE_POINTS) or 1
    return list(points[::-1][::every][::-1])


def _rounded(value: float) -> float:
    """Keep five digits: a curve is drawn, not computed with."""
    return float(f"{value:.5g}")

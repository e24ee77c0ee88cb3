"""PPO on a task, rewarded by the task, by a bonus, or by both (table 4 and appendix H.3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.calibration import CalibratedNovelty
from learnable_novelty.reward.config import BitsConfig, NoveltyConfig, Standardization
from learnable_novelty.reward.random_play import RandomPlay, play_randomly
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import split
from novelty_lab.paper.table1_agents.conditions import REWARDS
from novelty_lab.paper.table1_agents.tasks import task_of
from novelty_lab.paper.table1_agents.weight import ReturnSize, weight_of
from novelty_lab.rivals.registry import make_rival
from novelty_lab.settings import Settings

TINY = 1e-12
"""A coefficient of the bonus that leaves the task reward alone, in its running units."""
RUNNING: dict[str, dict[str, Any]] = {"foresight": {}, "task-running": {"coefficient": TINY}}
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
    net_arch: tuple[int, ...] = (64, 64)

    def make_model(self, venv: Any, seed: int) -> Any:
        """Make the untrained agent."""
        from stable_baselines3 import PPO

        settings = dataclasses.asdict(self)
        settings.pop("num_envs")
        policy = {"net_arch": list(settings.pop("net_arch"))}
        return PPO("MlpPolicy", venv, seed=seed, device="cpu", policy_kwargs=policy, **settings)


@dataclass(frozen=True)
class Reading(Settings):
    """How what the text leaves open is read; the defaults are what it says.

    Chosen by the text first, then by the columns "epiplexity only" and "magnitude", never by the
    column that is to be explained. ``results/rl-table/README.md`` has what was measured.
    """

    standardization: Standardization = "fixed"
    """Of the features: "fixed", with which the recursion of appendix F is exact, or "empirical"."""
    clip: float = 0.0
    """Where standardized observations are cut, in deviations; the text cuts them nowhere, 0."""
    targets: Literal["raw", "scaled"] = "raw"
    """The text standardizes "before the reservoir"; "scaled" standardizes the targets too."""
    return_size: ReturnSize = "mean"
    """The "random-policy task-return scale", of which a random episode's bonus is a tenth."""
    random_episodes: int = 64
    """Episodes of a random policy, for units and weight; the text has no number."""
    continuous: bool = False
    """Whether LunarLander takes continuous actions; the text does not say."""


@dataclass(frozen=True)
class Training:
    """One training run."""

    task: str
    reward: str = "task+epiplexity"
    steps: int = 600_000
    ppo: PPOSettings = field(default_factory=PPOSettings)
    reading: Reading = field(default_factory=Reading)
    evaluation_episodes: int = 100

    def __post_init__(self) -> None:
        task_of(self.task)
        if self.reward not in REWARDS:
            raise UserError(f"expected a reward, one of {', '.join(REWARDS)}; got {self.reward!r}")
        if self.steps < 1:
            raise UserError(f"expected steps of at least 1, got {self.steps}")


def make_vec_env(name: str, num_envs: int, *, continuous: bool = False) -> Any:
    """Make parallel environments of a task in this process, each under a Monitor."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    task = task_of(name)
    options = {"continuous": True} if continuous and name == "LunarLander" else {}
    return DummyVecEnv([lambda: Monitor(task.make(**options)) for _ in range(num_envs)])


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
    venv = _environments(training)
    figures: dict[str, Any] = {}
    if training.reward != "task":
        venv, figures = add_bonus(venv, training, child)
    model = ppo.make_model(venv, child % 2**31)
    curve = make_curve(training.steps, report)
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


def _environments(training: Training) -> Any:
    continuous = training.reading.continuous
    return make_vec_env(training.task, training.ppo.num_envs, continuous=continuous)


def add_bonus(venv: Any, training: Training, seed: int) -> tuple[Any, dict[str, Any]]:
    """Add the bonus to the reward of environments, its weight found on a random policy."""
    from learnable_novelty.reward.sb3 import BonusReward, NoveltyReward, VecEnvAdapter

    play_venv, reading = _environments(training), training.reading
    play = play_randomly(
        VecEnvAdapter(play_venv),
        episodes=reading.random_episodes,
        seed=split(seed, "random episodes"),
    )
    play_venv.close()
    kind = training.reward.removeprefix("task+")
    figures = {"random_return": float((play.rewards * play.counted).sum() / play.episodes)}
    if kind in RUNNING:
        return NoveltyReward(venv, play=play, seed=seed, **RUNNING[kind]), figures
    if training.reward == kind:
        bonus = make_bonus(kind, play, venv, training, seed)
        return BonusReward(venv, bonus, weight=1.0, mode="replace"), figures
    priced = make_bonus(kind, play, venv, training, seed)
    weight, random_bonus = weight_of(play, priced, reading.return_size)
    figures |= {"random_bonus": random_bonus, "weight": weight}
    bonus = make_bonus(kind, play, venv, training, seed)  # a fresh one, which has learned nothing
    return BonusReward(venv, bonus, weight=weight), figures


def make_bonus(kind: str, play: RandomPlay, venv: Any, training: Training, seed: int) -> Bonus:
    """Make the bonus of a name."""
    if kind == "epiplexity":
        reading = training.reading
        bits = BitsConfig(
            window=task_of(training.task).window,
            standardization=reading.standardization,
            targets=reading.targets,
        )
        config = NoveltyConfig(bonus=bits, clip=reading.clip or None)
        return CalibratedNovelty.of(play, config, seed=seed).make(venv.num_envs)
    return make_rival(
        kind,
        scale=ObservationScale.of(play.observations, clip=None),
        num_envs=venv.num_envs,
        action_dim=play.steps[0].actions.shape[1],
        discrete=play.discrete,
        seed=split(seed, kind),
    )


def evaluate(model: Any, training: Training, seed: int) -> list[float]:
    """Return the task returns of evaluation episodes, the policy taking its likeliest actions."""
    from stable_baselines3.common.evaluation import evaluate_policy

    venv = _environments(training)
    venv.seed(seed % 2**31)
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

"""The hyperparameters that the RL Baselines3 Zoo publishes for PPO on five of the tasks.

Facts from its hyperparams/ppo.yml (Acrobot-v1, MountainCarContinuous-v0, Hopper-v3, Walker2d-v3,
LunarLander-v2). What it leaves out is Stable-Baselines3's default.
"""

from __future__ import annotations

import dataclasses

from learnable_novelty.errors import UserError
from novelty_lab.agents.training import PPOSettings, Training

TUNED: dict[str, PPOSettings] = {
    "Acrobot": PPOSettings(
        num_envs=16,
        n_steps=256,
        batch_size=64,
        gae_lambda=0.94,
        gamma=0.99,
        n_epochs=4,
        normalize=True,
    ),
    "MountainCarContinuous": PPOSettings(
        num_envs=1,
        n_steps=8,
        batch_size=256,
        gamma=0.9999,
        learning_rate=7.77e-5,
        ent_coef=0.00429,
        clip_range=0.1,
        gae_lambda=0.9,
        max_grad_norm=5.0,
        vf_coef=0.19,
        use_sde=True,
        log_std_init=-3.29,
        ortho_init=False,
        normalize=True,
    ),
    "Hopper": PPOSettings(
        num_envs=1,
        n_steps=512,
        batch_size=32,
        gamma=0.999,
        learning_rate=9.80828e-5,
        ent_coef=0.00229519,
        n_epochs=5,
        gae_lambda=0.99,
        max_grad_norm=0.7,
        vf_coef=0.835671,
        log_std_init=-2.0,
        ortho_init=False,
        activation="relu",
        net_arch=(256, 256),
        normalize=True,
    ),
    "Walker2d": PPOSettings(
        num_envs=1,
        n_steps=512,
        batch_size=32,
        gamma=0.99,
        learning_rate=5.05041e-5,
        ent_coef=0.000585045,
        clip_range=0.1,
        n_epochs=20,
        gae_lambda=0.95,
        max_grad_norm=1.0,
        vf_coef=0.871923,
        normalize=True,
    ),
    "LunarLander": PPOSettings(
        num_envs=16,
        n_steps=1024,
        batch_size=64,
        gae_lambda=0.98,
        gamma=0.999,
        n_epochs=4,
        ent_coef=0.01,
    ),
}
"""By task; LunarLander without normalization, as published."""

BUDGETS = {"MountainCarContinuous": 20_000}
"""Steps that the zoo trains for, where that is less than the table's."""


def make_training(task: str, reward: str, steps: int = 600_000, *, tuned: bool = False) -> Training:
    """Return the training of a task, at the paper's settings or at the zoo's."""
    plain = Training(task, reward, steps)
    if not tuned:
        return plain
    if task not in TUNED:
        raise UserError(f"expected a task with published settings, one of {', '.join(TUNED)}")
    return dataclasses.replace(plain, ppo=TUNED[task], steps=min(steps, BUDGETS.get(task, steps)))

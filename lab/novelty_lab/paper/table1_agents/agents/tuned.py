"""The hyperparameters that the RL Baselines3 Zoo publishes for PPO on five of the tasks.

``tuned.json`` holds the facts from its hyperparams/ppo.yml (Acrobot-v1, MountainCarContinuous-v0,
Hopper-v3, Walker2d-v3, LunarLander-v2). What it leaves out is Stable-Baselines3's default.
"""

from __future__ import annotations

import dataclasses
import json
from importlib import resources

from learnable_novelty.errors import UserError
from novelty_lab.paper.table1_agents.agents.training import PPOSettings, Training


def _published() -> dict[str, PPOSettings]:
    data = resources.files("novelty_lab.paper.table1_agents.agents") / "tuned.json"
    entries = json.loads(data.read_text(encoding="utf-8"))
    for entry in entries.values():
        if "net_arch" in entry:
            entry["net_arch"] = tuple(entry["net_arch"])
    return {task: PPOSettings(**entry) for task, entry in entries.items()}


TUNED = _published()
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

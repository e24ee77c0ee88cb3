"""Film one episode of a trained policy, where the machine can render."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from learnable_novelty.reward.tasks import task_of
from learnable_novelty.reward.training import Training, make_vec_env

FRAMES = 1000
"""The most that a film holds."""


def check_video(task: str, path: Path) -> None:
    """Refuse before the training what could not be filmed after it."""
    if path.suffix.lower() != ".gif":
        raise ValueError(f"--video takes a .gif file, got {path}")
    if not path.parent.is_dir():
        raise ValueError(f"--video needs an existing folder, {path.parent} is none")
    _open(task).close()


def film(training: Training, policy: Path, path: Path, *, seed: int = 0) -> None:
    """Write one episode of a saved policy as an animation."""
    import imageio.v3

    model = load_policy(training, policy)
    env = _open(training.task)
    observation, _ = env.reset(seed=seed)
    frames, over = [env.render()], False
    while not over and len(frames) < FRAMES:
        action, _ = model.predict(observation, deterministic=True)
        observation, _, terminated, truncated, _ = env.step(action)
        frames.append(env.render())
        over = terminated or truncated
    env.close()
    imageio.v3.imwrite(path, frames[::2], duration=40, loop=0)


def load_policy(training: Training, policy: Path) -> Any:
    """Read the weights of a saved policy into an agent of these settings.

    Only tensors are read: ``PPO.load`` would unpickle the settings that the file holds beside them.
    """
    venv = make_vec_env(training.task, training.ppo.num_envs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model = training.ppo.make_model(venv, 0)
    venv.close()
    try:
        model.set_parameters(policy, device="cpu")
    except Exception as error:
        raise ValueError(
            f"the policy {policy} is damaged or of other settings; remove it and train again"
        ) from error
    return model


def _open(task: str) -> Any:
    env = task_of(task).make(render_mode="rgb_array")
    try:
        env.reset(seed=0)
        env.render()
    except Exception as error:  # noqa: BLE001 - drivers fail in many ways, all mean the same
        env.close()
        raise ValueError(f"{task} cannot be rendered on this machine: {error}") from None
    return env

"""Film one episode of a trained policy, where the machine can render."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from novelty_lab.agents.policy import load_policy
from novelty_lab.agents.tasks import task_of
from novelty_lab.agents.training import Training

FRAMES = 1000
"""The most that a film holds."""


def check_video(task: str, path: Path) -> None:
    """Refuse before the training what could not be filmed after it."""
    if path.suffix.lower() != ".gif":
        raise UserError(f"--video takes a .gif file, got {path}")
    if not path.parent.is_dir():
        raise UserError(f"--video needs an existing folder, {path.parent} is none")
    _open(task).close()


def film(training: Training, policy: Path, path: Path, *, seed: int = 0) -> None:
    """Write one episode of a saved policy as an animation."""
    import imageio.v3

    agent = load_policy(training, policy)
    env = _open(training.task)
    observation, _ = env.reset(seed=seed)
    frames, over = [env.render()], False
    while not over and len(frames) < FRAMES:
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        frames.append(env.render())
        over = terminated or truncated
    env.close()
    imageio.v3.imwrite(path, frames[::2], duration=40, loop=0)


def _open(task: str) -> Any:
    env = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a driver, on its way to the error
            env = task_of(task).make(render_mode="rgb_array")
            env.reset(seed=0)
            env.render()
    except Exception as error:  # noqa: BLE001 - drivers fail in many ways, all mean the same
        if env is not None:
            env.close()
        raise UserError(
            f"{task} cannot be rendered on this machine (without a display MUJOCO_GL=egl may "
            f"help): {' '.join(str(error).split())}"
        ) from None
    return env

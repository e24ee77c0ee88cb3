"""Film one episode of a trained policy, where the machine can render."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.storage import writing
from novelty_lab.paper.table1_agents.policy import load_policy
from novelty_lab.paper.table1_agents.tasks import task_of
from novelty_lab.paper.table1_agents.training import Training

FRAMES = 1000
"""The most frames of a video."""


def check_video(task: str, path: Path) -> None:
    """Raise before the training for a video that could not be made after it."""
    if path.suffix.lower() != ".gif":
        raise UserError(f"a video takes a .gif file, got {path}")
    if not path.parent.is_dir():
        raise UserError(f"a video needs an existing folder, got {path.parent}")
    _open(task).close()


def film(training: Training, policy: Path, path: Path, *, seed: int = 0) -> None:
    """Write one episode of a saved policy as an animation."""
    from PIL import Image

    agent = load_policy(training, policy)
    env = _open(training.task)
    observation, _ = env.reset(seed=seed)
    frames, over = [env.render()], False
    while not over and len(frames) < FRAMES:
        observation, _, terminated, truncated, _ = env.step(
            agent.predict(observation, deterministic=True)[0]
        )
        frames.append(env.render())
        over = terminated or truncated
    env.close()
    first, *others = [Image.fromarray(frame) for frame in frames[::2]]
    with writing(path) as file:
        first.save(file, "GIF", save_all=True, append_images=others, duration=40, loop=0)


def _open(task: str) -> Any:
    env = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a driver, on its way to the error
            env = task_of(task).make(render_mode="rgb_array")
            env.reset(seed=0)
            env.render()
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - drivers fail in many ways, all mean the same
        if env is not None:
            env.close()
        raise UserError(
            f"{task} cannot be rendered on this machine (without a display MUJOCO_GL=egl may "
            f"help): {' '.join(str(error).split())}"
        ) from None
    return env

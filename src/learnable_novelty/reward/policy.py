"""A trained policy as a file: its weights, and the units in which it reads observations."""

from __future__ import annotations

import io
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable_novelty.reward.bonus import Array
from learnable_novelty.reward.training import Training, make_vec_env

UNITS = "observation_units.npz"
"""Member of the file beside those of Stable-Baselines3, where observations were normalized."""
MOST_BYTES = 2**24
"""Of that member."""


@dataclass(frozen=True)
class Policy:
    """A trained agent that acts on observations as the task returns them."""

    model: Any
    units: dict[str, Array] | None = None
    """Mean, variance, epsilon and clip of ``VecNormalize``, if the agent learned through one."""

    def act(self, observation: Array) -> Array:
        """Return the likeliest action."""
        if self.units is not None:
            mean, variance, epsilon, clip = self.units.values()
            observation = np.clip((observation - mean) / np.sqrt(variance + epsilon), -clip, clip)
        return self.model.predict(observation.astype(np.float32), deterministic=True)[0]


def to_bytes(model: Any) -> bytes:
    """Return the file of a trained model."""
    content = io.BytesIO()
    model.save(content)
    normalizer = model.get_vec_normalize_env()
    if normalizer is not None:
        units = io.BytesIO()
        np.savez(
            units,
            mean=normalizer.obs_rms.mean,
            variance=normalizer.obs_rms.var,
            epsilon=normalizer.epsilon,
            clip=normalizer.clip_obs,
        )
        with zipfile.ZipFile(content, "a") as archive:
            archive.writestr(UNITS, units.getvalue())
    return content.getvalue()


def load_policy(training: Training, path: Path) -> Policy:
    """Read a saved policy into an agent of these settings.

    Only tensors are read: ``PPO.load`` would unpickle the settings that the file holds beside them.
    """
    venv = make_vec_env(training.task, training.ppo.num_envs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model = training.ppo.make_model(venv, 0)
    venv.close()
    try:
        model.set_parameters(path, device="cpu")
        return Policy(model, _read_units(path) if training.ppo.normalize else None)
    except Exception as error:
        raise ValueError(
            f"the policy {path} is damaged or of other settings; remove it and train again"
        ) from error


def _read_units(path: Path) -> dict[str, Array]:
    with zipfile.ZipFile(path) as archive:
        if archive.getinfo(UNITS).file_size > MOST_BYTES:
            raise ValueError("larger than the units of any task")
        held = np.load(io.BytesIO(archive.read(UNITS)), allow_pickle=False)
    return {name: held[name] for name in ("mean", "variance", "epsilon", "clip")}

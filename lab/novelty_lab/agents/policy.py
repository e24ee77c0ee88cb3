"""A trained policy as a file: its weights, and the units in which it reads observations."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable_novelty.errors import UserError
from learnable_novelty.reward import Array, observation_dim
from novelty_lab.agents.training import Training, make_vec_env

UNITS = "observation_units.json"
"""Member of the file beside those of Stable-Baselines3, where observations were normalized."""
MOST_BYTES = 2**20
"""Of that member."""


class Units(NamedTuple):
    """What ``VecNormalize`` does to observations: (o - mean) / sqrt(variance + epsilon), cut."""

    mean: Array
    variance: Array
    epsilon: Array
    clip: Array


@dataclass(frozen=True)
class Policy:
    """A trained agent that acts on observations as the task returns them."""

    model: Any
    units: Units | None = None
    """Those of the observations, if the agent learned through ``VecNormalize``."""

    def act(self, observation: Array) -> Array:
        """Return the likeliest action."""
        if self.units is not None:
            mean, variance, epsilon, clip = self.units
            observation = np.clip((observation - mean) / np.sqrt(variance + epsilon), -clip, clip)
        return self.model.predict(observation.astype(np.float32), deterministic=True)[0]


def to_bytes(model: Any) -> bytes:
    """Return the file of a trained model."""
    content = io.BytesIO()
    model.save(content)
    normalizer = model.get_vec_normalize_env()
    if normalizer is not None:
        units = {
            "mean": normalizer.obs_rms.mean.tolist(),
            "variance": normalizer.obs_rms.var.tolist(),
            "epsilon": normalizer.epsilon,
            "clip": normalizer.clip_obs,
        }
        with zipfile.ZipFile(content, "a") as archive:
            archive.writestr(UNITS, json.dumps(units))
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
        dim = observation_dim(venv.observation_space)
        return Policy(model, _read_units(path, dim) if training.ppo.normalize else None)
    except Exception as error:
        raise UserError(
            f"the policy {path} is damaged or of other settings; remove it and train again"
        ) from error


def _read_units(path: Path, dim: int) -> Units:
    with zipfile.ZipFile(path) as archive, archive.open(UNITS) as member:
        held = json.loads(member.read(MOST_BYTES))
    units = Units(*(np.asarray(held[name], dtype=np.float64) for name in Units._fields))
    sound = [unit.shape for unit in units] == [(dim,), (dim,), (), ()]
    sound = sound and all(np.isfinite(unit).all() for unit in units)
    if not sound or (units.variance < 0).any() or min(units.epsilon, units.clip) <= 0:
        raise UserError("units that no agent had")
    return units

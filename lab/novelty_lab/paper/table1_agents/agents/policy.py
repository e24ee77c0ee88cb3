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
import torch

from learnable_novelty.errors import UserError
from learnable_novelty.reward import Array, observation_dim
from novelty_lab.paper.table1_agents.agents.training import Training, make_vec_env

UNITS = "observation_units.json"
"""Member of the file beside those of Stable-Baselines3, where observations were normalized."""
WEIGHTS = "policy.pth"
"""Member of the file with the weights, as Stable-Baselines3 names it."""
OVERHEAD_BYTES = 2**20
"""What a member may take besides the weights themselves."""


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
    Nothing is unpacked that is larger than the weights of such an agent.
    """
    venv = make_vec_env(training.task, training.ppo.num_envs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model = training.ppo.make_model(venv, 0)
    venv.close()
    try:
        with zipfile.ZipFile(path) as archive:
            model.policy.load_state_dict(_read_weights(archive, model.policy))
            if not training.ppo.normalize:
                return Policy(model)
            return Policy(model, _read_units(archive, observation_dim(venv.observation_space)))
    except Exception as error:
        raise UserError(
            f"the policy {path} is damaged or of other settings; remove it and train again"
        ) from error


def _read_weights(archive: zipfile.ZipFile, policy: torch.nn.Module) -> Any:
    own = sum(weights.nbytes for weights in policy.state_dict().values())
    content = _read(archive, WEIGHTS, own + OVERHEAD_BYTES)
    # A file of torch.save is itself an archive, which could unpack to much more than it holds.
    with zipfile.ZipFile(io.BytesIO(content)) as inner:
        _check_size(sum(member.file_size for member in inner.infolist()), own + OVERHEAD_BYTES)
        if inner.testzip() is not None:  # torch.load does not look at the checksums
            raise UserError("the weights are damaged")
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)


def _read_units(archive: zipfile.ZipFile, dim: int) -> Units:
    saved = json.loads(_read(archive, UNITS, OVERHEAD_BYTES))
    units = Units(*(np.asarray(saved[name], dtype=np.float64) for name in Units._fields))
    valid = [unit.shape for unit in units] == [(dim,), (dim,), (), ()]
    valid = valid and all(np.isfinite(unit).all() for unit in units)
    if not valid or (units.variance < 0).any() or min(units.epsilon, units.clip) <= 0:
        raise UserError("the observation units are not those of an agent")
    return units


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member's content; raise before memory is taken for one that is too large."""
    _check_size(archive.getinfo(name).file_size, most)
    with archive.open(name) as member:
        return member.read(most)  # with a limit: the size that a member claims may be false


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise UserError(f"expected at most {most:,} bytes, got {size:,}")

"""A trained policy as a file, of which only the weights are read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import torch

from learnable_novelty.errors import UserError
from novelty_lab.paper.table1_agents.training import Training, make_vec_env

WEIGHTS = "policy.pth"
"""Member of the file with the weights, as Stable-Baselines3 names it."""
OVERHEAD_BYTES = 2**20
"""What a member may take besides the weights themselves."""


def to_bytes(model: Any) -> bytes:
    """Return the file of a trained model."""
    content = io.BytesIO()
    model.save(content)
    return content.getvalue()


def load_policy(training: Training, path: Path) -> Any:
    """Read a saved policy into an agent of these settings.

    Only tensors are read: ``PPO.load`` would unpickle the settings that the file holds beside them.
    Nothing is unpacked that is larger than the weights of such an agent.
    """
    venv = make_vec_env(training.task, 1, continuous=training.reading.continuous)
    model = training.ppo.make_model(venv, 0)
    venv.close()
    try:
        with zipfile.ZipFile(path) as archive:
            model.policy.load_state_dict(_read_weights(archive, model.policy))
            return model
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


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member's content; raise before memory is taken for one that is too large."""
    _check_size(archive.getinfo(name).file_size, most)
    with archive.open(name) as member:
        return member.read(most)  # with a limit: the size that a member claims may be false


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise UserError(f"expected at most {most:,} bytes, got {size:,}")

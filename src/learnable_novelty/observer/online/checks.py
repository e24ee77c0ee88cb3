"""Checks of the pairs that a stream is given, and of the backend that is asked for."""

from __future__ import annotations

import importlib.util
from typing import Literal

import torch
from torch import Tensor

from learnable_novelty.errors import UserError, UserTypeError


def check_pair(inputs: Tensor, targets: Tensor, num_streams: int, target_dim: int) -> None:
    """Raise unless both are floating tensors with a row per stream."""
    for name, values in (("inputs", inputs), ("targets", targets)):
        if not isinstance(values, Tensor):
            raise UserTypeError(f"{name} must be a torch.Tensor, got {type(values).__name__}")
        if not values.is_floating_point():
            raise UserTypeError(f"{name} must be of a floating dtype, got {values.dtype}")
    if targets.shape != (num_streams, target_dim):
        raise UserError(
            f"expected targets (num_streams={num_streams}, target_dim={target_dim}), "
            f"got shape {tuple(targets.shape)}"
        )
    if inputs.ndim < 2 or inputs.shape[0] != num_streams:
        raise UserError(
            f"expected inputs (num_streams={num_streams}, input_dim), "
            f"got shape {tuple(inputs.shape)}"
        )


def check_active(active: Tensor, num_streams: int) -> None:
    """Raise unless this is a boolean per stream."""
    if not isinstance(active, Tensor) or active.dtype is not torch.bool:
        raise UserTypeError(f"active must be a tensor of booleans, got {active!r}")
    if active.shape != (num_streams,):
        raise UserError(f"expected active (num_streams={num_streams},), got {tuple(active.shape)}")


def resolve_backend(
    backend: Literal["auto", "numpy", "numba"], device: torch.device | str
) -> Literal["numpy", "numba"]:
    """Return what the name stands for on this machine, or say what is missing."""
    if backend not in ("auto", "numpy", "numba"):
        raise UserError(f"backend must be auto, numpy or numba, got {backend!r}")
    on_cpu = torch.device(device).type == "cpu"
    installed = importlib.util.find_spec("numba") is not None
    if backend == "auto":
        return "numba" if on_cpu and installed else "numpy"
    if backend == "numba" and not on_cpu:
        raise UserError(f'backend="numba" runs on the CPU, not on {device}')
    if backend == "numba" and not installed:
        raise ImportError('backend="numba" needs numba: pip install "learnable-novelty[rl]"')
    return backend

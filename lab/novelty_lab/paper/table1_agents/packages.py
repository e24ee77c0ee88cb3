"""The packages that agents are trained with."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util

from learnable_novelty.errors import UserError

PACKAGES = ("stable-baselines3", "gymnasium", "mujoco", "gymnasium-robotics", "box2d")


def package_versions(*more: str) -> dict[str, str]:
    """Return the versions of the simulators and of the trainer."""
    versions: dict[str, str] = {}
    for name in (*PACKAGES, *more):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def need_rl() -> None:
    """Say which extra is missing, before any work."""
    for module in ("stable_baselines3", "gymnasium"):
        if importlib.util.find_spec(module) is None:
            raise UserError(
                f"agents need the [rl] extra ({module} is not installed): "
                "pip install 'learnable-novelty[rl]'"
            )

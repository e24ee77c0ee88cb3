"""All rivals: every file of this folder that has a ``RIVAL``."""

from __future__ import annotations

import importlib
import pkgutil

import novelty_lab.rivals
from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed
from novelty_lab.rivals.rival import Rival


def _found() -> list[Rival]:
    names = [module.name for module in pkgutil.iter_modules(novelty_lab.rivals.__path__)]
    modules = [
        importlib.import_module(f"novelty_lab.rivals.{name}")
        for name in names
        if name != "registry"
    ]
    return [module.RIVAL for module in modules if hasattr(module, "RIVAL")]


RIVALS = {rival.name: rival for rival in sorted(_found(), key=lambda rival: rival.order)}
"""By name, in the order of tables and legends."""


def make_rival(
    name: str,
    *,
    scale: ObservationScale,
    num_envs: int,
    action_dim: int,
    discrete: bool,
    seed: Seed,
) -> Bonus:
    """Make a rival with its default settings.

    Args:
        name: one of ``RIVALS``.
        scale: of the observations; ``magnitude`` is meant for one with ``clip=None``.
        num_envs: how many environments run in parallel.
        action_dim: length of a flat action, or how many discrete actions there are.
        discrete: whether actions are one-hot.
        seed: of all that is drawn: weights and shuffles.
    """
    if name not in RIVALS:
        raise UserError(f"name must be one of {', '.join(RIVALS)}, got {name!r}")
    sizes = {"num_envs": num_envs, "action_dim": action_dim, "discrete": discrete}
    return RIVALS[name].make(scale=scale, **sizes, seed=seed)

"""Bonuses of others, to compare with. Each is one file of this folder, found by its ``RIVAL``."""

from __future__ import annotations

import importlib
import pkgutil

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed
from novelty_lab.rivals.counts import Counts, CountsConfig
from novelty_lab.rivals.e3b import E3B, E3BConfig
from novelty_lab.rivals.icm import ICM, ICMConfig
from novelty_lab.rivals.inverse import InverseConfig
from novelty_lab.rivals.learner import LearnerConfig
from novelty_lab.rivals.magnitude import Magnitude
from novelty_lab.rivals.noveld import NovelD, NovelDConfig
from novelty_lab.rivals.registry import Rival
from novelty_lab.rivals.rnd import RND, RNDConfig

__all__ = [
    "E3B",
    "ICM",
    "RIVALS",
    "RND",
    "Counts",
    "CountsConfig",
    "E3BConfig",
    "ICMConfig",
    "InverseConfig",
    "LearnerConfig",
    "Magnitude",
    "NovelD",
    "NovelDConfig",
    "RNDConfig",
    "Rival",
    "make_rival",
]

_MODULES = [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
_FOUND: list[Rival] = [module.RIVAL for module in _MODULES if hasattr(module, "RIVAL")]
RIVALS = {rival.name: rival for rival in sorted(_FOUND, key=lambda rival: rival.order)}
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

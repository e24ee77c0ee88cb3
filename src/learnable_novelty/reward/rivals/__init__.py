"""Bonuses of others, to compare with: what they pay for, and how they are made by name."""

from __future__ import annotations

from learnable_novelty.errors import UserError
from learnable_novelty.reward.bonus import Bonus
from learnable_novelty.reward.rivals.counts import Counts, CountsConfig
from learnable_novelty.reward.rivals.e3b import E3B, E3BConfig
from learnable_novelty.reward.rivals.icm import ICM, ICMConfig
from learnable_novelty.reward.rivals.inverse import InverseConfig
from learnable_novelty.reward.rivals.learner import LearnerConfig
from learnable_novelty.reward.rivals.magnitude import Magnitude
from learnable_novelty.reward.rivals.rnd import RND, RNDConfig
from learnable_novelty.reward.scale import ObservationScale
from learnable_novelty.seeds import Seed

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
    "RNDConfig",
    "make_rival",
]

RIVALS = ("magnitude", "rnd", "icm", "e3b", "counts")
"""The names that ``make_rival`` knows."""


def make_rival(
    name: str,
    *,
    scale: ObservationScale,
    num_envs: int,
    observation_dim: int,
    action_dim: int,
    discrete: bool,
    seed: Seed,
) -> Bonus:
    """Make a rival with its default settings.

    Args:
        name: one of ``RIVALS``.
        scale: of the observations; ``magnitude`` is meant for one with ``clip=None``.
        num_envs: how many environments step in parallel.
        observation_dim: length of a flat observation.
        action_dim: length of a flat action, or how many discrete actions there are.
        discrete: whether actions are one-hot.
        seed: of all that is drawn: weights and shuffles.
    """
    if len(scale.mean) != observation_dim:
        raise UserError(f"expected a scale of {observation_dim} coordinates, got {len(scale.mean)}")
    if name == "magnitude":
        return Magnitude(scale)
    if name == "counts":
        return Counts(scale)
    if name == "rnd":
        return RND(scale, num_envs=num_envs, observation_dim=observation_dim, seed=seed)
    if name not in ("icm", "e3b"):
        raise UserError(f"name must be one of {', '.join(RIVALS)}, got {name!r}")
    return (ICM if name == "icm" else E3B)(
        scale,
        num_envs=num_envs,
        observation_dim=observation_dim,
        action_dim=action_dim,
        discrete=discrete,
        seed=seed,
    )

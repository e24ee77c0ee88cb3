"""What the step of a stream is told: the numbers of the observer, for every backend."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from learnable_novelty.observer.standardize import constant_ratio

DETERMINANT_ROUNDOFF = 3e-10
"""Largest eps times diagonal over pivot for which the determinants of ``plain`` are used."""
READOUT_ROUNDOFF = 1e-8
"""Largest error of the determinant that is taken from the readout, relative."""


class Setting(NamedTuple):
    """The settings of an observer, as the formulas use them. Compiled code reads it too."""

    penalty: float
    """lambda."""
    weight: float
    """eta: targets are in units of u_Y."""
    root_weight: float
    """Its square root."""
    bits: float
    """alpha / log 2."""
    feature_ratio: float
    """Largest ratio of variance to squared mean of a constant feature."""
    target_ratio: float
    """The same of a constant target; 0 with given constants, where no target is constant."""
    determinant_share: float
    """Smallest ratio of pivot to diagonal for which the determinants are used."""
    readout_share: float
    """Smallest ratio of pivot to diagonal for which the product of the readout is used."""
    fixed_scale: Any
    """1/(sd sqrt(m)) of each feature, (feature_dim,); empty where the stream's moments say it."""


def make_setting(
    *,
    penalty: float,
    root_weight: float,
    code_scale: float,
    feature_dim: int,
    dtypes: tuple[torch.dtype, torch.dtype],
    fixed_scale: Any,
) -> Setting:
    """Make the settings for features and targets of these two dtypes.

    Their rounding says what is constant; all sums are float64.
    """
    eps = torch.finfo(torch.float64).eps
    feature_ratio, target_ratio = (constant_ratio(torch.finfo(dtype).eps) for dtype in dtypes)
    return Setting(
        penalty=penalty,
        weight=root_weight * root_weight,
        root_weight=root_weight,
        bits=code_scale / math.log(2),
        feature_ratio=feature_ratio,
        target_ratio=0.0 if len(fixed_scale) else target_ratio,
        determinant_share=eps / DETERMINANT_ROUNDOFF,
        readout_share=feature_dim * eps / READOUT_ROUNDOFF,
        fixed_scale=fixed_scale,
    )


def feature_scale(xp: Any, variance: Any, mean: Any, setting: Setting) -> Any:
    """Return 1/(sd sqrt(m)) per feature, and 0 for one that is constant so far.

    Args:
        xp: NumPy or torch, whose arrays the others are.
        variance: of each feature, (num_streams, feature_dim).
        mean: of each feature, (num_streams, feature_dim).
        setting: of the observer.

    Returns:
        (num_streams, feature_dim), or (1, feature_dim) where it is fixed.
    """
    if len(setting.fixed_scale):
        return setting.fixed_scale[None]
    constant = ~(variance > setting.feature_ratio * (mean * mean))
    variance = variance * variance.shape[-1]
    if not constant.any():
        return 1 / xp.sqrt(variance)
    # Adding one where constant keeps the root away from zero; the quotient is zero there.
    return ~constant / xp.sqrt(variance + constant)

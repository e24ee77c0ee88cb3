"""Denoised bits of one draw: the edge of the noise is measured on rearranged residuals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.measure.task import Settings
from learnable_novelty.observer import Fit
from learnable_novelty.observer.denoise import FALSE_RATE, FEWEST_ROWS, Denoised, Edge
from learnable_novelty.observer.moments import MOST_TARGETS

PENALTY_PER_ROW = 1e-4
"""The ridge of denoised bits where the observer's is chosen by evidence; near the paper's 0.1 for
a thousand rows."""


@dataclass(frozen=True)
class Denoising:
    """How a readout is denoised."""

    false_rate: float
    """How often noise may keep a direction, in one draw."""
    in_signal: bool
    """Whether targets are measured in units of their signal's deviation."""

    @staticmethod
    def of(settings: Settings) -> Denoising:
        """Divide the rate of false directions by the number of draws."""
        return Denoising(FALSE_RATE / settings.draws, settings.target_unit == "sd")


def denoised(
    fit: Fit, noise: Callable[[], Iterable[Tensor]], how: Denoising
) -> tuple[Denoised, float]:
    """Denoise a readout, and return how many independent rows would have as much noise.

    A ridge chosen by evidence grows with the noise, so another one is taken: in proportion to the
    number of rows, so that the bits of more rows of the same kind are the same. Of more than a
    thousand targets no covariance is kept, and all is NaN; so it is with fewer than four rows.

    Args:
        fit: of the observed targets.
        noise: yields products of rearranged residuals with the components.
        how: the rate of false directions, and the units.
    """
    count, by_evidence = fit.axes.count, fit.observer.ridge_penalty == "evidence"
    if fit.axes.cross.shape[1] > MOST_TARGETS or count < FEWEST_ROWS:
        return Denoised(math.nan, fit.axes.eigenvalues[:0], math.nan, math.nan), count
    roots = torch.cat([fit.noise_roots(some) for some in noise()])
    edge = Edge(fit.split.noise.law, how.false_rate, roots)
    penalty = PENALTY_PER_ROW * count if by_evidence else None
    return fit.denoised(edge, penalty=penalty, in_signal=how.in_signal), count / edge.dependence

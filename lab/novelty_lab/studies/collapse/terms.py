"""Terms against collapse: the score, plain and honest, SIGReg and VICReg.

A term is called with inputs and a list of codes, one per view, and is added with a weight to a
squared error between codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.objective import EpiplexityLoss

Term = Callable[[Tensor, Sequence[Tensor]], Tensor]
FARTHEST, KNOTS = 5.0, 17
"""Of the quadrature: frequencies from -5 to 5."""
NAMES = ("none", "plain S", "honest S", "SIGReg", "VICReg")


@dataclass(frozen=True)
class Arm:
    """A term and its settings."""

    term: str = "none"
    weight: float = 0.0
    normed: bool = True
    """Whether the code ends with a batch normalization without scale and offset."""
    features: int = 64
    """Of the score's observer."""

    @property
    def name(self) -> str:
        """All that tells it from others."""
        parts = [self.term, f"{self.weight:g}"]
        parts += ["no batch norm"] * (not self.normed) + [f"{self.features} features"] * (
            self.features != 64
        )
        return ", ".join(parts)


def make_term(arm: Arm, seed: int) -> Term:
    """Return the term of an arm."""
    if arm.term == "SIGReg":
        return lambda inputs, codes: torch.stack([sigreg(each) for each in codes]).mean()
    if arm.term == "VICReg":
        return lambda inputs, codes: torch.stack([vicreg(each) for each in codes]).sum()
    if arm.term == "none":
        return lambda inputs, codes: codes[0].new_zeros(())
    return EpiplexityLoss(features=arm.features, honest=arm.term == "honest S", seed=seed)


def sigreg(codes: Tensor, slices: int = 1024) -> Tensor:
    """Compute SIGReg (LeJEPA): how far codes (num_samples, code_dim) are from a standard Gaussian.

        n int |phi_n(t) - exp(-t^2/2)|^2 exp(-t^2/2) dt,    phi_n the characteristic function

    of the codes along random directions: the mean of Epps and Pulley's statistic. The integrand is
    even, so that half of the trapezoids do.
    """
    directions = torch.randn(codes.shape[1], slices, device=codes.device, dtype=codes.dtype)
    along = codes @ (directions / directions.norm(dim=0))
    t = torch.linspace(0, FARTHEST, KNOTS // 2 + 1, device=codes.device, dtype=codes.dtype)
    gauss = torch.exp(-t.square() / 2)
    angles = along[:, :, None] * t
    error = (angles.cos().mean(0) - gauss).square() + angles.sin().mean(0).square()
    return 2 * len(codes) * torch.trapezoid(error * gauss, t).mean()


def vicreg(codes: Tensor) -> Tensor:
    """Compute variance and covariance terms of VICReg, 25 : 1, over the 25 of its squared error."""
    centred = codes - codes.mean(0)
    covariance = centred.T @ centred / (len(codes) - 1)
    variance = covariance.diagonal()
    short = torch.relu(1 - torch.sqrt(variance + 1e-4)).mean()
    crossed = (covariance.square().sum() - variance.square().sum()) / codes.shape[1]
    return short + crossed / 25

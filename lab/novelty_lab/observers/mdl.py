"""The exact minimizer of the total description length, appendix D.

    J(W) = |Y~ - H~ W|^2 / (2 sigma^2 ln 2) + alpha log2 det(I + eta W W')      eq. (mdl-objective)

with sigma^2 = lambda / (2 alpha eta), so that J and the ridge agree for small readouts. The
log-determinant is concave in W W', so its tangent bounds it from above, and minimizing the bound
is a weighted ridge:

    W_{k+1} = (H~'H~ + lambda M_k)^-1 H~'Y~,   M_k = (I + eta W_k W_k')^-1      eq. (mdl-mm)

Each sweep decreases J. Sweeps are mixed (Anderson) and the mixture is taken only where it
decreases J too, so the sequence stays monotone. J is not convex: where the start matters, so does
the answer (results/mdl/README.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from learnable_novelty.observer.bits import code_length
from learnable_novelty.observer.spectral import Spectral

MEMORY = 8
"""How many past sweeps are mixed."""


@dataclass(frozen=True)
class Minimum:
    """Where the iteration ended."""

    readout: Tensor
    """In the axes it was solved in, (rank, target_dim)."""
    objective: list[float]
    """J in bits at the start and after every sweep; it rises by no more than rounding."""
    stationarity: float
    """How far one more sweep would move the readout, relative to its size: the gradient of J,
    preconditioned by the sweep, so that faint directions count as much as strong ones."""
    converged: bool


def minimize_description_length(
    axes: Spectral,
    penalty: float,
    resolution: float,
    code_scale: float,
    *,
    start: Tensor | None = None,
    tolerance: float = 1e-8,
    max_sweeps: int = 20_000,
) -> Minimum:
    """Run the accelerated majorize-minimize iteration until it is stationary.

    Args:
        axes: the regression in its own axes.
        penalty: lambda; infinity returns the zero readout.
        resolution: eta.
        code_scale: alpha.
        start: the first readout in these axes; the ridge readout by default.
        tolerance: largest ``stationarity`` that counts as converged.
        max_sweeps: when to give up; ``converged`` is then False.
    """
    if math.isinf(penalty):
        return Minimum(axes.cross * 0, [0.0], 0.0, True)
    problem = _Problem(axes, penalty, resolution, code_scale)
    mixer = _Anderson(depth=MEMORY)
    readout = axes.ridge(penalty) if start is None else start
    value, image, drift = problem.sweep(readout)
    objective = [value]
    while drift > tolerance and len(objective) <= max_sweeps:
        guess = mixer.propose(readout, image)
        tried = problem.sweep(guess)
        if not tried[0] <= value:  # the leap went uphill, or nowhere: take the sure step
            mixer.forget()
            guess = image
            tried = problem.sweep(guess)
        readout, (value, image, drift) = guess, tried
        objective.append(value)
    return Minimum(readout, objective, drift, drift <= tolerance)


@dataclass(frozen=True)
class _Problem:
    axes: Spectral
    penalty: float
    resolution: float
    code_scale: float

    def sweep(self, readout: Tensor) -> tuple[float, Tensor, float]:
        """Return J at a readout in bits, the image of one sweep, and how far that moves it."""
        axes, variance = self.axes, self.penalty / (2 * self.code_scale * self.resolution)
        weight = self.penalty * readout_weight(readout, self.resolution)
        residual_bits = axes.residual_power(readout) / (2 * variance * math.log(2))
        value = float(residual_bits + code_length(readout, self.resolution, self.code_scale))
        factor = torch.linalg.cholesky(torch.diag(axes.eigenvalues) + weight)
        image = torch.cholesky_solve(axes.cross, factor)
        size = float(torch.linalg.norm(image))
        return value, image, float(torch.linalg.norm(image - readout)) / size if size > 0 else 0.0


class _Anderson:
    """Anderson's mixing of past sweeps: faint directions otherwise take thousands."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.forget()

    def forget(self) -> None:
        self._points: list[Tensor] = []
        self._images: list[Tensor] = []

    def propose(self, point: Tensor, image: Tensor) -> Tensor:
        self._points = [*self._points[-self.depth :], point.flatten()]
        self._images = [*self._images[-self.depth :], image.flatten()]
        if len(self._points) < 2:
            return image
        images = torch.stack(self._images, dim=1)
        errors = images - torch.stack(self._points, dim=1)
        steps = torch.linalg.pinv(errors.diff(dim=1)) @ errors[:, -1:]
        return (images[:, -1:] - images.diff(dim=1) @ steps).reshape(point.shape)


def readout_weight(readout: Tensor, resolution: float) -> Tensor:
    """Return M = (I + eta W W')^-1, through the smaller of its two sides.

    M = I - eta W (I + eta W'W)^-1 W'.
    """
    rank, targets = readout.shape
    eye = torch.eye(rank, dtype=readout.dtype, device=readout.device)
    if targets >= rank:
        return torch.linalg.inv(eye + resolution * readout @ readout.T)
    small = torch.eye(targets, dtype=readout.dtype, device=readout.device)
    inner = torch.linalg.solve(small + resolution * readout.T @ readout, readout.T)
    return eye - resolution * readout @ inner

"""Where a readout looks: the average outer product of its gradient, less what noise adds to it.

With f(x) = W'phi(x) on rows x_i,

    M = 1/n sum_i sum_j grad f_j(x_i) grad f_j(x_i)'

Noise in the targets moves W by a vector of covariance s^2 K / (K + lambda)^2, K = H~'H~, and so
adds to M, on average, the same sum for readouts drawn with this covariance. It is subtracted, and
what is left of negative eigenvalues is set to zero. Where targets are noise, M is then zero on
average, and has no direction.
"""

from __future__ import annotations

import torch
from torch import Tensor

from learnable_novelty.observer.fit import Fit
from learnable_novelty.observer.reservoirs import Reservoir

NOISE_READOUTS, NOISE_SAMPLES = 8, 1024
"""Readouts of noise that are drawn, and samples that share their gradients."""
BATCH = 4096
"""Samples whose gradients are computed at a time."""


def gradient_product(
    reservoir: Reservoir, inputs: Tensor, weights: Tensor, generator: torch.Generator
) -> Tensor:
    """Return M of the readout, (values read, values read).

    One backward pass serves all targets and sites: each gets a random sign, and products of
    different signs average to zero.

    Args:
        reservoir: phi.
        inputs: as the reservoir takes them.
        weights: W on features, (feature_dim, target_dim).
        generator: draws the signs.
    """
    total, count, readout = 0.0, 0, weights.to(inputs)
    for some in inputs.split(BATCH):
        reads = reservoir.reads(some).detach().requires_grad_()
        with torch.enable_grad():
            outputs = reservoir.rows(reservoir.driven(reads)) @ readout
            signs = torch.randint(0, 2, outputs.shape, generator=generator)
            signed = (outputs * (2 * signs - 1).to(outputs)).sum()
            (gradient,) = torch.autograd.grad(signed, reads)
        rows = gradient.flatten(0, -2).double()
        total, count = total + rows.T @ rows, count + len(outputs)
    return torch.as_tensor(total) / count


def noise_product(
    reservoir: Reservoir, inputs: Tensor, fit: Fit, penalty: float, generator: torch.Generator
) -> Tensor:
    """Return what noise adds to M on average; ``NOISE_READOUTS`` parts of the inputs see one each.

    Args:
        reservoir: phi.
        inputs: that the fit was made from.
        fit: of these inputs.
        penalty: lambda of the readout.
        generator: draws the readouts.
    """
    k = fit.axes.eigenvalues.clamp(min=0)
    variance = fit.residual_power() / fit.residual_freedom()
    drawn = torch.randn(len(k), NOISE_READOUTS, generator=generator, dtype=torch.float64)
    along = drawn.to(k) * (k.sqrt() / (k + penalty))[:, None] * variance**0.5
    readouts = fit.scale[0][:, None] * (fit.axes.basis @ along)
    some = inputs[:: max(1, len(inputs) // NOISE_SAMPLES)]
    products = [
        gradient_product(reservoir, part, readouts[:, j : j + 1], generator)
        for j, part in enumerate(some.tensor_split(min(NOISE_READOUTS, len(some))))
    ]
    return torch.stack(products).mean(0)

"""An echo-state reservoir: features of a sequence that remember its past."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import linear

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_number, check_sizes
from learnable_novelty.observer.reservoirs.base import Reservoir, check_shape
from learnable_novelty.seeds import Seed


class Recurrent(Reservoir):
    """Leaky echo state ``h_t = (1 - leak) h_{t-1} + leak tanh(V x_t + U h_{t-1} + b)``.

    Inputs and targets are (num_sequences, time, columns); time steps are rows, less the first
    ``washout`` of every sequence, in which the state still remembers its start at zero.

    Args:
        input_dim: values per time step.
        width: units, and the number of features.
        spectral_radius: largest absolute eigenvalue of U; below one, the past fades.
        leak: share of the state replaced at each step, in (0, 1].
        input_scale: half-width of the uniform input weights and biases.
        washout: steps at the start of each sequence that make no rows.
        seed: an integer, or a generator that one is drawn from.

    >>> Recurrent(2, width=8, washout=3).rows(torch.zeros(4, 10, 8)).shape
    torch.Size([28, 8])
    """

    column_axis = 2

    def __init__(
        self,
        input_dim: int,
        width: int,
        *,
        spectral_radius: float = 0.9,
        leak: float = 1.0,
        input_scale: float = 1.0,
        washout: int = 0,
        seed: Seed = 0,
    ) -> None:
        super().__init__(seed)
        check_sizes(input_dim=input_dim, width=width)
        check_number("spectral_radius", spectral_radius)
        check_number("input_scale", input_scale)
        if not 0 < leak <= 1:
            raise UserError(f"leak must be in (0, 1], got {leak!r}")
        if not spectral_radius >= 0:
            raise UserError(f"spectral_radius must be at least 0, got {spectral_radius!r}")
        if washout < 0:
            raise UserError(f"washout must be at least 0, got {washout!r}")
        self.input_dim, self.width, self.feature_dim = input_dim, width, width
        self.spectral_radius, self.leak = spectral_radius, leak
        self.input_scale, self.washout = input_scale, washout
        self.redraw(self.seed)

    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        def uniform(*shape: int) -> Tensor:
            return 2 * torch.rand(*shape, generator=generator, dtype=torch.float64) - 1

        recurrent = uniform(self.feature_dim, self.feature_dim)
        radius = torch.linalg.eigvals(recurrent).abs().max()
        return {
            "drive": self.input_scale * uniform(self.feature_dim, self.input_dim),
            "recurrence": recurrent * (self.spectral_radius / radius),
            "bias": self.input_scale * uniform(self.feature_dim),
        }

    def reads(self, inputs: Tensor) -> Tensor:
        check_shape(inputs, ("num_sequences", "time", "input_dim"), 2, self.input_dim)
        return inputs

    def driven(self, reads: Tensor) -> Tensor:
        weights = self.weights_like(reads)
        driven = linear(reads, weights["drive"], weights["bias"])
        state = reads.new_zeros(reads.shape[0], self.feature_dim)
        states: list[Tensor] = []
        for step in driven.unbind(dim=1):
            fresh = torch.tanh(step + state @ weights["recurrence"].T)
            state = (1 - self.leak) * state + self.leak * fresh
            states.append(state)
        return torch.stack(states, dim=1)

    def resized(self, features: int, depth: int | None = None) -> Recurrent:
        return Recurrent(**{**self.settings(), "width": features})

    def rows(self, values: Tensor) -> Tensor:
        if values.shape[1] <= self.washout:
            raise UserError(
                f"expected sequences longer than washout={self.washout}, got time={values.shape[1]}"
            )
        return values[:, self.washout :].reshape(-1, values.shape[-1])

"""A neural cellular automaton: a trainable local rule on a ring of unit vectors.

    x' = normalize(x + g(x))   (residual),      x' = normalize(g(x))   (direct)
    g(x) = P gelu(BN(V gelu(BN(U x))))          table 4

U reads ``radius`` sites to each side, V and P read one; ``normalize`` divides the vector at each
site by its length.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear
from torch.nn.utils import skip_init

from learnable_novelty.errors import UserError
from learnable_novelty.seeds import Seed, torch_generator
from novelty_lab.systems.fused import can_fuse
from novelty_lab.systems.unit import unit_norm

Update = Literal["residual", "direct"]
MOMENTUM, EPSILON = 0.1, 1e-5
"""Of batch normalization: PyTorch's defaults."""


class NormalizedLinear(nn.Module):
    """A linear map followed by batch normalization, computed as one linear map.

    With mean m and covariance C of the inputs, the mean and the variance of w'u are w'm and w'Cw,
    so the normalization folds into the weights and the outputs are written once:

        gamma (w'u - w'm) / sqrt(w'Cw + eps) + beta = a'u + c

    That is batch normalization, exactly; a bias before it would cancel. In training mode the
    moments are those of the batch, in evaluation mode the running mean and variance of the
    outputs are used, as in PyTorch.
    """

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, inputs: int, outputs: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self.weight = nn.Parameter(uniform((outputs, inputs), inputs, generator))
        self.scale = nn.Parameter(torch.ones(outputs))
        self.shift = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("running_mean", torch.zeros(outputs))
        self.register_buffer("running_variance", torch.ones(outputs))

    def folded(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return a, (outputs, inputs), and c, (outputs,)."""
        if not self.training:
            factor = self.scale * (self.running_variance + EPSILON).rsqrt()
            return self.weight * factor[:, None], self.shift - self.running_mean * factor
        count = rows.shape[0]
        mean = rows.mean(0)
        # Centred first: near a uniform state raw products would cancel to rounding, or below zero.
        centred = rows - mean
        covariance = centred.T @ centred / count
        variance = ((self.weight @ covariance) * self.weight).sum(1)
        factor = self.scale * (variance + EPSILON).rsqrt()
        folded = self.weight * factor[:, None]
        self._track(self.weight @ mean, variance * (count / max(1, count - 1)))
        return folded, self.shift - folded @ mean

    @torch.no_grad()
    def _track(self, mean: Tensor, variance: Tensor) -> None:
        self.running_mean.lerp_(mean.to(self.running_mean), MOMENTUM)
        self.running_variance.lerp_(variance.to(self.running_variance), MOMENTUM)

    def forward(self, rows: Tensor) -> Tensor:
        weight, offset = self.folded(rows)
        return linear(rows, weight, offset)


class NeuralCA(nn.Module):
    """The neural automaton of the paper, on rings of any width.

    States are (num_samples, channels, width), a unit vector at every site. In training mode batch
    normalization takes the moments of the present batch, so the rule depends on it; in evaluation
    mode it is a fixed local rule.

    Args:
        update: "residual" (a skip connection around the map) or "direct".
        channels: of the state.
        hidden: channels of the hidden layers.
        radius: sites to each side that the first layer reads.
        hidden_layers: pointwise layers between the first one and the projection.
        seed: of the initial weights.
        hidden_dtype: what the fused GPU kernels round hidden values to; used nowhere else.

    >>> automaton = NeuralCA("direct", hidden=8)
    >>> states = automaton.random_states(4, 16, generator=torch.Generator())
    >>> automaton.window(states, 3).shape
    torch.Size([4, 6, 16])
    """

    def __init__(
        self,
        update: Update = "residual",
        *,
        channels: int = 2,
        hidden: int = 128,
        radius: int = 2,
        hidden_layers: int = 1,
        seed: Seed = 0,
        hidden_dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        if update not in ("residual", "direct"):
            raise UserError(f"update must be residual or direct, got {update!r}")
        sizes = {"channels": (channels, 1), "hidden": (hidden, 1), "radius": (radius, 0)}
        for name, (size, least) in {**sizes, "hidden_layers": (hidden_layers, 0)}.items():
            if size < least:
                raise UserError(f"{name} must be at least {least}, got {size}")
        self.update: Update = update
        self.hidden_dtype = hidden_dtype
        self.channels, self.hidden, self.radius = channels, hidden, radius
        draw = torch_generator(seed, "neural automaton")
        reads = channels * (2 * radius + 1)
        self.lift = NormalizedLinear(reads, hidden, generator=draw)
        self.layers = nn.ModuleList(
            NormalizedLinear(hidden, hidden, generator=draw) for _ in range(hidden_layers)
        )
        self.project = skip_init(nn.Linear, hidden, channels)
        with torch.no_grad():
            for parameter in self.project.parameters():
                parameter.copy_(uniform(tuple(parameter.shape), hidden, draw))

    def random_states(self, num_samples: int, width: int, *, generator: torch.Generator) -> Tensor:
        """Draw a unit vector per site, in every direction alike: (num_samples, channels, width)."""
        shape = (num_samples, width, self.channels)
        like = next(self.project.parameters())
        drawn = torch.randn(shape, generator=generator, device=generator.device, dtype=like.dtype)
        return unit_norm(drawn.to(like.device), -1).mT

    def forward(self, states: Tensor) -> Tensor:
        """Apply the rule once."""
        return self.advance(self._enter(states)).mT

    def run(self, states: Tensor, steps: int) -> Tensor:
        """Return the next states, without gradient: (steps, num_samples, channels, width)."""
        with torch.no_grad():
            return torch.stack([x.mT for x in self._orbit(self._enter(states), steps)])

    def burn_in(self, states: Tensor, steps: int) -> Tensor:
        """Run forward and return the last states; no gradient is tracked."""
        with torch.no_grad():
            values = self._enter(states)
            for _ in range(steps):
                values = self.advance(values)
        return values.mT

    def window(self, states: Tensor, steps: int) -> Tensor:
        """Stack the next states channel by channel: (num_samples, steps * channels, width)."""
        return torch.cat(self._orbit(self._enter(states), steps), -1).mT

    def sample(
        self,
        num_samples: int,
        width: int = 64,
        *,
        burn_in: int = 32,
        noise: float = 0.1,
        window: int = 8,
        seed: Seed = 0,
        generator: torch.Generator | None = None,
        burn_in_statistics: Literal["batch", "running"] = "batch",
        renormalize: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Make inputs and targets: noisy states after a burn-in, and what follows them.

        Without the noise a rule that has settled on a uniform state would show the observer a
        constant, whose score is zero and has no gradient.

        Args:
            num_samples: rings in the batch.
            width: sites of a ring.
            burn_in: steps without gradient from random states.
            noise: deviation of the Gaussian noise added to every component then.
            window: steps to stack into the targets.
            seed: of the states and the noise.
            generator: of these instead of a seed; it is advanced.
            burn_in_statistics: moments that batch normalization takes in the burn-in.
            renormalize: bring the noisy states back to unit length.

        Returns:
            (num_samples, channels, width) and (num_samples, window * channels, width).
        """
        if generator is None:
            generator = torch_generator(seed, "states")
        states = self.random_states(num_samples, width, generator=generator)
        training = self.training
        self.train(training and burn_in_statistics == "batch")
        states = self.burn_in(states, burn_in)
        self.train(training)
        drawn = torch.randn(
            states.shape, generator=generator, device=generator.device, dtype=states.dtype
        )
        inputs = states + noise * drawn.to(states.device)
        if renormalize:
            inputs = unit_norm(inputs, 1)
        return inputs, self.window(inputs, window)

    def advance(self, values: Tensor) -> Tensor:
        """Apply the rule to states with the channels last: (num_samples, width, channels)."""
        if self.training and len(self.layers) == 1 and can_fuse(values, self.hidden, self.radius):
            from novelty_lab.systems.fused.step import Rule, fused_step

            residual = self.update == "residual"
            rule = Rule(self.radius, residual, MOMENTUM, EPSILON, self.hidden_dtype)
            return fused_step(values, rule, self.lift, self.layers[0], self.project)
        rows = self.neighbourhoods(values).flatten(0, 1)
        hidden = gelu(self.lift(rows))
        for layer in self.layers:
            hidden = gelu(layer(hidden))
        change = self.project(hidden).view_as(values)
        return unit_norm(values + change if self.update == "residual" else change, -1)

    def neighbourhoods(self, values: Tensor) -> Tensor:
        """Collect what the first layer reads: (num_samples, width, (2 radius + 1) * channels)."""
        reach = range(-self.radius, self.radius + 1)
        return torch.cat([values.roll(-offset, 1) for offset in reach], -1)

    def _orbit(self, values: Tensor, steps: int) -> list[Tensor]:
        orbit: list[Tensor] = []
        for _ in range(steps):
            values = self.advance(values)
            orbit.append(values)
        return orbit

    def _enter(self, states: Tensor) -> Tensor:
        if states.ndim != 3 or states.shape[1] != self.channels:
            raise UserError(
                f"expected states (num_samples, channels={self.channels}, width), "
                f"got {tuple(states.shape)}"
            )
        return states.mT

    def extra_repr(self) -> str:
        return f"update={self.update!r}, radius={self.radius}"


def uniform(shape: tuple[int, ...], fan_in: int, generator: torch.Generator) -> Tensor:
    """Draw uniformly in +-1/sqrt(fan_in): PyTorch's default for linear and convolution layers."""
    drawn = torch.rand(shape, generator=generator, dtype=torch.float64)
    return ((2 * drawn - 1) * fan_in**-0.5).to(torch.get_default_dtype())

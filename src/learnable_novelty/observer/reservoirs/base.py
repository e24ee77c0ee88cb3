"""The base class of reservoirs: frozen random maps from inputs to features."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor, nn

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.seeds import Seed, split, torch_generator

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "elu": nn.functional.elu,
    "gelu": nn.functional.gelu,
    "tanh": torch.tanh,
    "relu": torch.relu,
}


class Reservoir(nn.Module, ABC):
    """A frozen random feature map phi.

    The weights are drawn on the CPU in float64 and kept so. A call uses a copy rounded to the
    dtype and moved to the device of its inputs, so one seed is one reservoir everywhere;
    ``.to(dtype)`` therefore leaves the weights alone, and ``.to(device)`` moves them.
    """

    feature_dim: int
    input_dim: int
    receptive_radius: int = 0
    has_own_scale: bool = False
    """Whether an observer takes features in their own scale, and does not divide each of them by
    its deviation: how much of it there is says how much is expected of it."""
    column_axis: int = 1
    """Where features and targets hold their columns; the other axes become rows."""

    def __init__(self, seed: Seed) -> None:
        super().__init__()
        self._rounded: dict[tuple[torch.dtype, torch.device], dict[str, Tensor]] = {}
        self.seed = seed if isinstance(seed, int) else split(seed, "reservoir")

    @abstractmethod
    def draw(self, generator: torch.Generator) -> dict[str, Tensor]:
        """Draw the named float64 weights from a generator."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Map inputs to features of the same layout."""
        return self.driven(self.reads(inputs))

    def rows(self, values: Tensor) -> Tensor:
        """Lay features or targets out as regression rows: (num_rows, columns)."""
        return values

    # What an observer that grows needs; a reservoir without it is refused.

    @property
    def layers(self) -> int | None:
        """How many layers there are; None if the number is fixed."""
        return None

    def reads(self, inputs: Tensor) -> Tensor:
        """Lay out what the first layer reads at every place, (..., values): see ``Focused``."""
        raise self._cannot_grow()

    def driven(self, reads: Tensor) -> Tensor:
        """Map what the first layer reads to features: ``forward`` is ``driven(reads(inputs))``."""
        raise self._cannot_grow()

    def resized(self, features: int, depth: int | None = None) -> Reservoir:
        """Return a reservoir of the same kind and seed, of another width and depth."""
        raise self._cannot_grow()

    def _cannot_grow(self) -> UserError:
        name = type(self).__name__
        return UserError(f"expected a reservoir that can grow, such as MLP or Conv1d, got {name}")

    def settings(self) -> dict[str, Any]:
        """Return the arguments that make this reservoir."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.settings().items())

    def redraw(self, seed: Seed) -> Reservoir:
        """Draw all weights anew, in place, from another seed."""
        self.seed = seed if isinstance(seed, int) else split(seed, "reservoir")
        # Weights made in inference mode could never be differentiated through afterwards.
        with torch.inference_mode(False):
            drawn = self.draw(torch_generator(self.seed, "reservoir"))
            for name, value in drawn.items():
                current = getattr(self, name, None)
                self.register_buffer(name, value if current is None else value.to(current.device))
        self._rounded.clear()
        return self

    def copied(self) -> Self:
        """Return a copy, to be drawn anew."""
        return copy.deepcopy(self)

    def weights_like(self, inputs: Tensor) -> dict[str, Tensor]:
        """Return the weights in the dtype and on the device of the inputs."""
        key = (inputs.dtype, inputs.device)
        if key not in self._rounded:
            with torch.inference_mode(False):
                self._rounded[key] = {
                    name: value.to(inputs)
                    for name, value in self._buffers.items()
                    if value is not None
                }
        return self._rounded[key]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Reservoir:
        # Only the device is followed: rounding the stored weights would make
        # reservoir.float() and reservoir.float().double() two different observers.
        self._rounded.clear()
        super()._apply(lambda value: value.to(fn(value).device), recurse)
        return self

    def _load_from_state_dict(self, *args: object, **kwargs: object) -> None:
        self._rounded.clear()
        super()._load_from_state_dict(*args, **kwargs)


def uniform_layer(generator: torch.Generator, fan_out: int, fan_in: int) -> tuple[Tensor, Tensor]:
    """Draw weight (fan_out, fan_in) and bias (fan_out,), uniform in +-1/sqrt(fan_in)."""
    bound = fan_in**-0.5
    weight = torch.rand(fan_out, fan_in, generator=generator, dtype=torch.float64)
    bias = torch.rand(fan_out, generator=generator, dtype=torch.float64)
    return (2 * weight - 1) * bound, (2 * bias - 1) * bound


def check_activation(name: str) -> Callable[[Tensor], Tensor]:
    """Return the named nonlinearity."""
    if name not in ACTIVATIONS:
        raise UserError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {name!r}")
    return ACTIVATIONS[name]


def check_shape(inputs: Tensor, layout: tuple[str, ...], axis: int, size: int) -> None:
    """Raise unless inputs are floating, have the named axes, and ``size`` along one of them."""
    if inputs.is_floating_point() and inputs.ndim == len(layout) and inputs.shape[axis] == size:
        return
    expected = ", ".join(name if i != axis else f"{name}={size}" for i, name in enumerate(layout))
    if not inputs.is_floating_point():
        raise UserTypeError(f"expected floating inputs ({expected}), got dtype {inputs.dtype}")
    raise UserError(f"expected inputs ({expected}), got shape {tuple(inputs.shape)}")

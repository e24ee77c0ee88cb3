"""Appendix A.3: a pre-activation normalization holds the reservoir at the edge of chaos.

PAPER measures chi, the growth of a perturbation per layer, by exact derivatives: against depth and
architecture, activation and gain, and the scale of the input. The paper takes finite differences
and finds that the plain reservoir's chi rises at depth 32; finite differences in single precision
are therefore recorded too, and the deviation of the plain reservoir's pre-activations.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.reservoirs import ACTIVATIONS
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.context import RunContext, RunResult, deviation
from novelty_lab.observers.criticality import perturbation_norms
from novelty_lab.settings import Settings

ARCHITECTURES = {"MLP": 0, "Conv1d": 1, "Conv2d": 2}
"""Architectures and the number of their lattice axes."""


@dataclass(frozen=True)
class Config(Settings):
    """Which reservoirs are probed, and with what."""

    depths: tuple[int, ...] = (2, 4, 8, 16, 32)
    """Depths of panel a; the deepest gives the survival of panel b."""
    gains: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
    """Factors on the normalized pre-activations in panel c."""
    input_scales: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
    """Deviations of the Gaussian input in panel d."""
    depth: int = 8
    """Depth in panels c and d."""
    width: int = 64
    """Units or channels of every layer."""
    input_dim: int = 8
    """Components or channels of the input."""
    sizes: tuple[int, ...] = (32, 8)
    """Cells along each axis of the ring and of the torus."""
    samples: int = 16
    """Inputs, each with one perturbation."""
    draws: int = 4
    """Reservoirs per point."""
    difference_steps: tuple[float, ...] = (1e-2, 1e-3, 1e-4)
    """Sizes of the perturbation for finite differences in single precision."""


PAPER = Config()
QUICK = dataclasses.replace(
    PAPER,
    depths=(2, 8, 32),
    gains=(0.5, 1.0, 2.0),
    input_scales=(0.01, 1.0, 100.0),
    sizes=(8, 4),
    samples=8,
    draws=2,
    difference_steps=(1e-3,),
)


@dataclass(frozen=True)
class Point:
    """One kind of reservoir and input: beside architecture and scale, arguments of the reservoir.

    Every layer is a hidden one, with its nonlinearity: chi is a property of these.
    """

    architecture: str
    depth: int
    normalize: bool
    activation: str = "elu"
    gain: float = 1.0
    input_scale: float = 1.0


def run(config: Config, *, seed: int, context: RunContext) -> RunResult:
    """Probe every point of the four panels."""
    by_depth, by_gain, by_scale = panels(config)
    points = dict.fromkeys([*by_depth, *by_gain, *by_scale])
    probes = context.map(probe, {str(point): (config, point, seed) for point in points})

    def panel(members: list[Point], *shape: int) -> np.ndarray:
        """Collect mean and deviation over draws, (*shape, 2)."""
        chi = np.array([probes[str(point)]["chi"] for point in members])
        return np.stack([chi.mean(1), deviation(chi, 1)], axis=-1).reshape(*shape, 2)

    deepest = [point for point in by_depth if point.depth == max(config.depths)]
    arrays = {
        "depth": panel(by_depth, len(ARCHITECTURES), 2, len(config.depths)),
        "survival": np.array([probes[str(point)]["survival"] for point in deepest]),
        "gain": panel(by_gain, len(ACTIVATIONS), len(config.gains)),
        "gain_theory": np.array(
            [[mean_field(a, gain, config.width) for gain in config.gains] for a in ACTIVATIONS]
        ),
        "scale": panel(by_scale, 2, len(config.input_scales)),
        "differences": finite_differences(config, seed),
    }
    return RunResult(summary(config, arrays, seed), None, arrays)


def panels(config: Config) -> tuple[list[Point], list[Point], list[Point]]:
    """List the points of panels a (and b), c and d, in the order of their arrays."""
    by_depth = [
        Point(architecture, depth, normalize)
        for architecture in ARCHITECTURES
        for normalize in (False, True)
        for depth in config.depths
    ]
    by_gain = [
        Point("MLP", config.depth, True, activation, gain)
        for activation in ACTIVATIONS
        for gain in config.gains
    ]
    by_scale = [
        Point("MLP", config.depth, normalize, input_scale=scale)
        for normalize in (False, True)
        for scale in config.input_scales
    ]
    return by_depth, by_gain, by_scale


def summary(config: Config, arrays: dict[str, np.ndarray], seed: int) -> dict[str, Any]:
    """Draw together what the paper states."""
    chi, shallow = arrays["depth"][..., 0], [d <= 16 for d in config.depths]
    deepest = arrays["differences"][..., -1]  # (steps, architectures)
    at_one = arrays["gain"][:, config.gains.index(1.0), 0].tolist() if 1.0 in config.gains else []
    return {
        "architectures": list(ARCHITECTURES),
        "activations": list(ACTIVATIONS),
        "plain_to_depth_16": _range(chi[:, 0][:, shallow]),
        "plain_deepest": _range(chi[:, 0, -1]),
        "normalized": _range(chi[:, 1]),
        "gain_one": dict(zip(ACTIVATIONS, at_one, strict=False)),
        "gain_one_mean_field": {name: mean_field(name, 1.0, config.width) for name in ACTIVATIONS},
        "scale_plain": _range(arrays["scale"][0, :, 0]),
        "scale_normalized": _range(arrays["scale"][1, :, 0]),
        "plain_deepest_by_differences": {
            str(step): dict(zip(ARCHITECTURES, grown.tolist(), strict=True))
            for step, grown in zip(config.difference_steps, deepest, strict=True)
        },
        "preactivation_sd": preactivation_sd(config, 1.0, seed).tolist(),
        "preactivation_sd_by_scale": {
            str(scale): float(preactivation_sd(config, scale, seed).mean())
            for scale in config.input_scales
        },
    }


def probe(config: Config, point: Point, seed: int) -> dict[str, list[float]]:
    """Measure chi per draw, and the mean logarithmic survival by layer.

    chi = E |dh(l+1)| / |dh(l)| over hidden layers l >= 1,   survival(l) = |dh(l)| / |dh(1)|
    """
    chi: list[float] = []
    logs: list[Tensor] = []
    for draw in range(config.draws):
        reservoir, inputs = make(config, point, seed, draw)
        norms = perturbation_norms(reservoir, inputs, seed=split(seed, "direction", draw))[1:]
        chi.append(float((norms[1:] / norms[:-1]).mean()))
        logs.append((norms / norms[0]).log().mean(1))
    return {"chi": chi, "survival": torch.stack(logs).mean(0).exp().tolist()}


def make(
    config: Config, point: Point, seed: int, draw: int
) -> tuple[reservoirs.Feedforward, Tensor]:
    """Draw a reservoir and Gaussian inputs for it."""
    options: dict[str, Any] = dataclasses.asdict(point)
    options["seed"] = split(seed, "reservoir", draw)
    architecture, scale = options.pop("architecture"), options.pop("input_scale")
    kind = getattr(reservoirs, architecture)
    reservoir = kind(config.input_dim, config.width, linear_last=False, **options)
    axes = ARCHITECTURES[architecture]
    lattice = (config.sizes[axes - 1],) * axes
    generator = torch_generator(seed, "inputs", draw)
    shape = (config.samples, config.input_dim, *lattice)
    return reservoir, scale * torch.randn(shape, generator=generator, dtype=torch.float64)


def mean_field(activation: str, gain: float, width: int) -> float:
    """Predict chi of a wide normalized reservoir.

    Weights and biases have the variance 1/(3 width), so a pre-activation is normal with variance
    (E phi^2 + 1/width) / 3 and is normalized to z ~ N(0, 1). A perturbation is divided likewise:

        chi^2 = gain^2 E phi'(gain z)^2 / (E phi(gain z)^2 + 1/width).
    """
    z = torch.linspace(-9, 9, 20_000, dtype=torch.float64)  # an even number leaves out the kink
    density = torch.exp(-z.square() / 2)
    density /= density.sum()
    drive = (gain * z).requires_grad_()
    value = ACTIVATIONS[activation](drive)
    (slope,) = torch.autograd.grad(value.sum(), drive)
    growth, power = density @ (gain * slope).square(), density @ value.detach().square()
    return math.sqrt(float(growth / (power + 1 / width)))


def finite_differences(config: Config, seed: int) -> np.ndarray:
    """Measure chi of plain reservoirs as the paper does, in float32.

    Layers where rounding has left no difference at all are skipped.

    Returns:
        (steps, architectures, depths)
    """
    shape = len(config.difference_steps), len(ARCHITECTURES), len(config.depths), config.draws
    chi = [
        difference_chi(config, Point(architecture, depth, False), step, seed, draw)
        for step in config.difference_steps
        for architecture in ARCHITECTURES
        for depth in config.depths
        for draw in range(config.draws)
    ]
    return np.reshape(chi, shape).mean(-1)


def difference_chi(config: Config, point: Point, step: float, seed: int, draw: int) -> float:
    """Follow an input and its neighbour through one plain reservoir in float32."""
    reservoir, inputs = make(config, point, seed, draw)
    hidden = reservoir.enter(inputs.float())
    generator = torch_generator(seed, "difference", draw)
    moved = hidden + step * torch.randn(hidden.shape, generator=generator)
    norms: list[Tensor] = []
    for layer in range(point.depth):
        hidden, moved = reservoir.advance(hidden, layer), reservoir.advance(moved, layer)
        norms.append((moved - hidden).double().flatten(1).norm(dim=1))
    before, after = torch.stack(norms[:-1]), torch.stack(norms[1:])
    return float((after / before)[before > 0].mean())


def preactivation_sd(config: Config, input_scale: float, seed: int) -> np.ndarray:
    """Measure the deviation of the pre-activations of a plain MLP of four layers, (draws, 4)."""
    layers = np.empty((config.draws, 4))
    for draw in range(config.draws):
        point = Point("MLP", 4, False, input_scale=input_scale)
        reservoir, inputs = make(config, point, seed, draw)
        hidden = reservoir.enter(inputs)
        for layer in range(4):
            layers[draw, layer] = float(reservoir.preactivation(hidden, layer).std())
            hidden = reservoir.advance(hidden, layer)
    return layers


def _range(values: np.ndarray) -> list[float]:
    return [float(values.min()), float(values.max())]

"""The trained learner: the prequential code of a small network.

Dawid, Present position and potential developments: the prequential approach, J. R. Stat. Soc. A 147
(1984); Blier and Ollivier, The description length of deep learning models, NeurIPS (2018).
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast

import torch
from torch import Tensor, nn

from learnable_novelty.data.memory import as_tensor
from learnable_novelty.errors import UserError
from learnable_novelty.seeds import numpy_generator, split
from novelty_lab.measures.registry import Answer, ComparedData, Measure, Reading
from novelty_lab.measures.series import in_own_units

FIRST_BLOCK = 32
"""Samples coded before anything is learned; the next blocks double the samples seen."""
WIDTH, LAYERS = 64, 2
"""Hidden units per layer, and hidden layers."""
LEARNING_RATE, BATCH = 1e-2, 128
"""Of 3e-3 and 1e-2 this rate gave the shorter code of Lorenz; no other was tried."""
STEPS, CHECK_EVERY, PATIENCE = 600, 20, 5
"""Most steps of Adam after each block; how often the held-out loss is looked at; how many looks
without a new best end the training."""
HELD_OUT = 5
"""The last one in so many of the seen samples is not trained on."""
PRECISION = 0.01
"""To what part of a column's deviation real targets are coded."""


@dataclass(frozen=True)
class Prequential:
    """What it costs to send the targets to someone who has the inputs and learns along."""

    total_bits: float
    """sum_b n_b l_b over blocks b of n_b samples, l_b the mean code length in block b."""
    structure_bits: float
    """sum_b n_b (l_b - l_B), B the last block: the area under the learning curve above its end."""
    values: int
    """Target values coded, constant columns left out."""

    @property
    def bits_per_value(self) -> float:
        """total_bits / values, and 0 where there was nothing to send."""
        return self.total_bits / self.values if self.values else 0.0


def prequential_code(inputs: Any, targets: Any, *, seed: int = 0) -> Prequential:
    """Code targets block by block with a network trained on the blocks before.

    Samples are sent in a random order that both sides know. A ridge, too, takes them as a set; in
    the order of time a curve would mix what is learned with what changes.

    The first 32 are coded by a standard normal, or fair coins; every further block holds as
    many samples as were seen, and is coded by a network (two hidden layers of 64 tanh units, output
    zero at first, Adam) that was trained from scratch on four fifths of those seen, until its loss
    on the last fifth stops falling. Real targets are coded to a hundredth of their deviation, by
    Student's density about the network's output with the scale of the held-out errors; if no target
    column has more than two values, all are coded as Bernoulli variables. Means and deviations of
    the columns are taken from all data and not charged for.

    Args:
        inputs: (num_samples, columns).
        targets: (num_samples, columns).
        seed: of order, weights and batches.

    Returns:
        Total code length and structure, in bits.
    """
    x, y = _checked(inputs, targets)
    order = numpy_generator(seed, "prequential", "order").permutation(len(x))
    varies = (y != y[0]).any(0)
    if not varies.any():
        return Prequential(0.0, 0.0, 0)
    y = y[:, varies].double()
    code: _Code = _Bernoulli() if _is_binary(y) else _Gaussian()
    y = code.prepare(y)
    x, y = x[order], y[order]
    bits, sizes = [], []
    for index, (start, stop) in enumerate(blocks(x.shape[0])):
        trained = start - start // HELD_OUT
        child = split(seed, "prequential", index)
        network = _train(x[:start], y[:start], trained, code, child)
        held_out = _outputs(network, x[trained:start]), y[trained:start]
        sent = code.bits(_outputs(network, x[start:stop]), y[start:stop], held_out)
        bits.append(float(sent) / (stop - start))
        sizes.append(stop - start)
    total = sum(n * length for n, length in zip(sizes, bits, strict=True))
    structure = total - x.shape[0] * bits[-1]
    return Prequential(total, structure, y.numel())


def _checked(inputs: Any, targets: Any) -> tuple[Tensor, Tensor]:
    """Return standardized inputs, and targets."""
    x, y = as_tensor(inputs, "inputs"), as_tensor(targets, "targets")
    if x.ndim != 2 or y.ndim != 2 or x.shape[0] != y.shape[0]:
        raise UserError(
            "expected inputs and targets (num_samples, columns) with equally many samples, "
            f"got {tuple(x.shape)} and {tuple(y.shape)}"
        )
    return _standardized(x), y


def blocks(samples: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the blocks: 32, 32, 64, 128, and so on; the last is what is left.

    A rest of less than half a block joins the block before it, so that the last one, to which all
    others are compared, is never small.

    >>> list(blocks(300))
    [(0, 32), (32, 64), (64, 128), (128, 300)]
    """
    bounds = [0]
    while bounds[-1] < samples:
        bounds.append(min(samples, max(FIRST_BLOCK, 2 * bounds[-1])))
    if len(bounds) > 2 and bounds[-1] - bounds[-2] < (bounds[-2] - bounds[-3]) / 2:
        del bounds[-2]
    yield from itertools.pairwise(bounds)


class _Code(Protocol):
    """A probability for targets, given what a network puts out."""

    def prepare(self, targets: Tensor) -> Tensor: ...

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor: ...

    def bits(self, outputs: Tensor, targets: Tensor, held_out: tuple[Tensor, Tensor]) -> Tensor: ...


class _Gaussian:
    """Outputs are means; -log2 of the density times the precision.

    The density is Student's, with the mean square of k held-out errors and k degrees of freedom:
    the normal one averaged over the variances that k errors leave possible.
    """

    def prepare(self, targets: Tensor) -> Tensor:
        return _standardized(targets)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return (outputs - targets).square().mean()

    def bits(self, outputs: Tensor, targets: Tensor, held_out: tuple[Tensor, Tensor]) -> Tensor:
        predicted, observed = held_out
        freedom = observed.shape[0]
        if freedom == 0:
            density = torch.distributions.Normal(outputs, 1.0)
        else:
            # Never sharper than the precision.
            variance = (predicted - observed).square().mean(0) + PRECISION**2
            density = torch.distributions.StudentT(freedom, outputs, variance.sqrt())
        nats = -density.log_prob(targets)
        return (nats / math.log(2) - math.log2(PRECISION)).sum()


class _Bernoulli:
    """Outputs are log-odds, drawn a little towards even ones, so that no surprise is infinite."""

    def prepare(self, targets: Tensor) -> Tensor:
        return (targets == targets.amax(0)).to(targets.dtype)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return nn.functional.binary_cross_entropy_with_logits(outputs, targets)

    def bits(self, outputs: Tensor, targets: Tensor, held_out: tuple[Tensor, Tensor]) -> Tensor:
        doubt = 1.0 / (held_out[1].shape[0] + 2)
        chance = (1 - doubt) * torch.sigmoid(outputs) + doubt / 2
        return -torch.where(targets > 0.5, chance, 1 - chance).log2().sum()


@torch.no_grad()
def _outputs(network: nn.Module, inputs: Tensor) -> Tensor:
    return network(inputs.float()).double()


def _train(inputs: Tensor, targets: Tensor, samples: int, code: _Code, seed: int) -> nn.Module:
    """Train a fresh network on the first ``samples`` of those seen; the others stop it."""
    generator = torch.Generator().manual_seed(seed)
    inputs, targets = inputs.float(), targets.float()
    network = _network(inputs.shape[1], targets.shape[1], generator)
    if samples == 0:
        return network
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, fused=True)
    best, kept, looks = math.inf, network, 0
    for step in range(STEPS + 1):
        if step % CHECK_EVERY == 0:
            with torch.no_grad():
                loss = float(code.loss(network(inputs[samples:]), targets[samples:]))
            looks = 0 if loss < best else looks + 1
            if loss < best:
                best, kept = loss, copy.deepcopy(network)
            if looks == PATIENCE:
                break
        rows = torch.randint(0, samples, (min(BATCH, samples),), generator=generator)
        optimizer.zero_grad()
        code.loss(network(inputs[rows]), targets[rows]).backward()
        optimizer.step()
    return kept


def _network(columns: int, target_dim: int, generator: torch.Generator) -> nn.Sequential:
    """Make a perceptron that puts out zeros: it begins by claiming nothing."""
    sizes = [columns, *([WIDTH] * LAYERS)]
    layers: list[nn.Module] = []
    for fan_in, width in itertools.pairwise(sizes):
        layer = _linear(fan_in, width)
        nn.init.uniform_(layer.weight, -(fan_in**-0.5), fan_in**-0.5, generator=generator)
        nn.init.uniform_(layer.bias, -(fan_in**-0.5), fan_in**-0.5, generator=generator)
        layers += [layer, nn.Tanh()]
    last = _linear(WIDTH, target_dim)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*layers, last)


def _linear(fan_in: int, width: int) -> nn.Linear:
    """Make a layer without drawing from the global stream of random numbers."""
    return cast(nn.Linear, nn.utils.skip_init(nn.Linear, fan_in, width))


def _standardized(values: Tensor) -> Tensor:
    columns = torch.from_numpy(in_own_units(values.double().cpu().numpy()))
    centred = columns - columns.mean(0)
    spread = centred.square().mean(0).sqrt()
    return centred / torch.where(spread > 0, spread, 1.0)


def _is_binary(targets: Tensor) -> bool:
    """Say whether every column has two values."""
    return bool(((targets == targets.amin(0)) | (targets == targets.amax(0))).all())


def _answer(data: ComparedData) -> Answer:
    code = prequential_code(data.inputs, data.targets, seed=data.seed)
    per_value = f"{code.bits_per_value:.3g} bits per value"
    total = Reading(
        "prequential_total", "  its prequential code", code.total_bits, "bits", None, per_value
    )
    note = "area under its learning curve above the end"
    return Answer(code.structure_bits, note, (total,))


MEASURE = Measure("prequential_structure", "trained network, structure", "bits", "pairs", _answer)

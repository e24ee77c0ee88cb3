"""What the experiments with the neural automaton share: table 4, its observer, its training."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.seeds import split
from novelty_lab.ascent.ascent import Ascended, Ascent, AscentConfig
from novelty_lab.context import NO_CHECKPOINTS, TaskContext
from novelty_lab.settings import Settings
from novelty_lab.systems.neural import NeuralCA, Update

Precision = Literal["mixed", "tf32", "float32"]


@dataclass(frozen=True)
class NeuralConfig(Settings):
    """Table 4 and the observer of table 3 (inverse NCA)."""

    width: int = 64
    """Sites of the training lattice."""
    hidden: int = 128
    """Channels of the rule's hidden layers."""
    radius: int = 2
    """Sites to each side that the rule reads."""
    burn_in: int = 32
    """Steps without gradient before the window."""
    burn_in_statistics: Literal["batch", "running"] = "batch"
    """Moments that batch normalization takes in the burn-in: the batch's, as in the window, or
    the running ones. The paper is silent; "batch" applies one and the same rule throughout."""
    noise: float = 0.1
    """Deviation of the noise on the burned-in state."""
    renormalize_noise: bool = False
    """Bring the noisy state back to unit length; the paper does not say that it does."""
    window: int = 8
    """Steps stacked into the targets."""
    batch: int = 2048
    """States per step."""
    steps: int = 2000
    """Gradient steps."""
    learning_rate: float = 1e-4
    """Of AdamW, at the first step."""
    weight_decay: float = 0.01
    """Of AdamW; PyTorch's default, the paper is silent."""
    score_scale: float = 0.01
    """Factor on the score before the gradient step."""
    clip: float = 0.5
    """Largest gradient."""
    clip_by: Literal["norm", "value"] = "norm"
    """Whether ``clip`` bounds the norm of the gradient or each entry."""
    snapshots: int = 10
    """Equal parts that the training is divided into; there is a snapshot at each end."""
    channels: int = 256
    """Of the reservoir."""
    depth: int = 4
    """Of the reservoir."""
    ridge_penalty: float = 0.3
    """Of the observer."""
    linear_last: bool = True
    """Whether the last layer of the observer is linear, as the paper's text has it."""
    target_unit: float = 1.0
    """u_Y, one for all experiments."""
    initial_weights: float = 1.0
    """Factor on the rule's initial weights; 1 is PyTorch's default range, the paper is silent.
    Batch normalization takes it out of the rule, so that only the effective learning rate feels
    it."""
    initial_projection: float = 1.0
    """Factor on the rule's initial projection, which sets how far a first step goes."""
    precision: Precision = "mixed"
    """How a GPU multiplies: "float32", "tf32", or "mixed", where the rule's hidden values are
    rounded to bfloat16 too. A CPU always takes float32."""


def neural_observer(config: NeuralConfig, seed: int, *, denoise: bool = False) -> Observer:
    """Draw the observer of a training seed."""
    reservoir = reservoirs.Conv1d(
        2, config.channels, config.depth, linear_last=config.linear_last, seed=seed
    )
    settings = _fields(config, "ridge_penalty", "target_unit")
    return Observer(reservoir, **settings, denoise=denoise)


def neural_automaton(config: NeuralConfig, update: Update, seed: int) -> NeuralCA:
    """Draw the untrained automaton of a training seed."""
    rounded = config.precision == "mixed"
    automaton = NeuralCA(
        update, hidden=config.hidden, radius=config.radius, seed=seed,
        hidden_dtype=torch.bfloat16 if rounded else torch.float32,
    )  # fmt: skip
    with torch.no_grad():
        for layer in (automaton.lift, *automaton.layers):
            layer.get_parameter("weight").mul_(config.initial_weights)
        for parameter in automaton.project.parameters():
            parameter.mul_(config.initial_projection)
    return automaton


def sample(
    config: NeuralConfig, automaton: NeuralCA, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Make one batch of inputs and targets."""
    shared = _fields(config, "burn_in", "burn_in_statistics", "noise", "window")
    shared |= {"renormalize": config.renormalize_noise, "generator": generator}
    return automaton.sample(config.batch, config.width, **shared)


def _fields(config: NeuralConfig, *names: str) -> dict[str, Any]:
    return {name: getattr(config, name) for name in names}


def snapshot_every(config: NeuralConfig) -> int:
    """Return the steps between snapshots."""
    if config.snapshots < 1:
        raise UserError(f"snapshots must be at least 1, got {config.snapshots}")
    return max(1, config.steps // config.snapshots)


def train(
    config: NeuralConfig,
    update: Update,
    seed: int,
    device: str,
    task: TaskContext = NO_CHECKPOINTS,
    *,
    denoise: bool = False,
) -> tuple[NeuralCA, Ascended]:
    """Train one automaton, going on from its checkpoints where there are any.

    With denoised bits as the objective no CUDA graph is taken: the noise is read on the way.
    """
    automaton = neural_automaton(config, update, split(seed, "automaton")).to(device)
    observer = neural_observer(config, split(seed, "observer"), denoise=denoise)
    optimizer = ("steps", "learning_rate", "weight_decay", "score_scale", "clip", "clip_by")
    climb = AscentConfig(
        **_fields(config, *optimizer), checkpoint_every=snapshot_every(config), graph=not denoise
    )
    ascent = Ascent(
        automaton,
        observer,
        lambda generator: sample(config, automaton, generator),
        climb,
        seed=split(seed, "batches"),
        directory=task.directory,
    )
    with arithmetic(config.precision):
        # Running moments of the untrained rule, so that its snapshot can be looked at too.
        settle = torch.Generator(device).manual_seed(split(seed, "settle"))
        automaton.burn_in(
            automaton.random_states(config.batch, config.width, generator=settle), config.burn_in
        )
        return automaton, ascent.run(resume=task.directory is not None, report=task.report)


@contextmanager
def arithmetic(precision: Precision) -> Iterator[None]:
    """Let a GPU multiply as the configuration says."""
    matmul: Any = torch.backends.cuda.matmul
    cudnn: Any = torch.backends.cudnn
    before = matmul.allow_tf32, cudnn.allow_tf32
    matmul.allow_tf32 = cudnn.allow_tf32 = precision != "float32"
    try:
        yield
    finally:
        matmul.allow_tf32, cudnn.allow_tf32 = before


@torch.no_grad()
def unseen_rows(
    config: NeuralConfig, automaton: NeuralCA, seed: int, draw: int, samples: int
) -> tuple[Observer, Rows]:
    """Make a reservoir and states of a rule, in float64, that training has not seen."""
    device = next(automaton.parameters()).device
    judged = clone_in_double(automaton).to(device)
    generator = torch.Generator(device).manual_seed(split(seed, "evaluation", draw))
    size = dataclasses.replace(config, batch=samples)
    inputs, targets = sample(size, judged, generator)
    observer = neural_observer(config, split(seed, "evaluation reservoir", draw))
    return observer, observer.rows(inputs, targets)


def evaluate(
    config: NeuralConfig, automaton: NeuralCA, seed: int, draw: int, samples: int
) -> dict[str, float]:
    """Score a rule by a reservoir and on states that training has not seen."""
    observer, rows = unseen_rows(config, automaton, seed, draw, samples)
    readout = observer.readout_of(rows)
    return {"bits": readout.model_bits, "explained_variance": readout.explained_variance}


def judge(
    config: NeuralConfig, automaton: NeuralCA, seed: int, draws: int, samples: int
) -> list[float]:
    """Score a rule with several fresh reservoirs on fresh states: bits."""
    return [evaluate(config, automaton, seed, draw, samples)["bits"] for draw in range(draws)]


def final_score(scores: list[float]) -> float:
    """Return the mean score of the last fortieth of a training."""
    return float(np.mean(scores[-max(1, len(scores) // 40) :]))


def space_time(
    automaton: NeuralCA, width: int, steps: int, *, seed: int, burn_in: int = 64
) -> np.ndarray:
    """Roll the fixed rule (running moments) out from one random state: (steps, 2, width)."""
    rule = clone_in_double(automaton).eval()
    generator = torch.Generator().manual_seed(split(seed, "rollout", width))
    states = rule.burn_in(rule.random_states(1, width, generator=generator), burn_in)
    return rule.run(states, steps)[:, 0].numpy()


def clone_in_double(automaton: NeuralCA) -> NeuralCA:
    """Copy a rule to the CPU in float64, in its mode: batch or running moments."""
    return copy.deepcopy(automaton).cpu().double()


def as_vector(state: dict[str, Tensor]) -> np.ndarray:
    """Lay the state of a rule out as one vector, in the order of its names."""
    return torch.cat([value.flatten() for value in state.values()]).numpy()


def from_vector(update: Update, hidden: int, radius: int, vector: np.ndarray) -> NeuralCA:
    """Make a rule from such a vector."""
    automaton = NeuralCA(update, hidden=hidden, radius=radius)
    values = list(automaton.state_dict().values())
    sizes = [value.numel() for value in values]
    if vector.shape != (sum(sizes),):
        raise UserError(f"expected {sum(sizes)} weights in a vector, got shape {vector.shape}")
    parts = torch.from_numpy(vector.astype(np.float32)).split(sizes)
    for value, part in zip(values, parts, strict=True):
        value.copy_(part.view_as(value))
    return automaton


def phase(field: np.ndarray) -> np.ndarray:
    """Return the direction of the unit vectors in 256 steps around the circle, for drawing."""
    angle = np.arctan2(field[..., 1, :], field[..., 0, :])
    return np.round(angle / (2 * np.pi) * 256).astype(int).astype(np.uint8)

"""A training step of the neural automaton on a GPU: plain PyTorch, and the fused recorded step.

Both take TF32 products and the same observer. What lower precision does to the score is shown
beside it: one trained rule's states, scored in each arithmetic.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.timing import Row, faster, interleave
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from novelty_lab import records
from novelty_lab.ascent.ascent import Ascent, AscentConfig
from novelty_lab.paper.fig3_neural.neural import (
    NeuralConfig,
    arithmetic,
    from_vector,
    neural_automaton,
    neural_observer,
    sample,
)

RECORD = Path(__file__).parents[1] / "results" / "nca" / "paper-seed0"


class PlainAutomaton(nn.Module):
    """The rule as one would write it down: convolutions and batch normalization."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            nn.Conv1d(2, hidden, 5, padding=2, padding_mode="circular"),
            nn.BatchNorm1d(hidden),
            nn.GELU(),
            nn.Conv1d(hidden, hidden, 1),
            nn.BatchNorm1d(hidden),
            nn.GELU(),
            nn.Conv1d(hidden, 2, 1),
        )

    def forward(self, states: Tensor) -> Tensor:
        return nn.functional.normalize(states + self.change(states), dim=1)


class PlainReservoir(reservoirs.Conv1d):
    """The reservoir layer by layer, never fused."""

    def _can_fuse(self, inputs: Tensor) -> bool:
        return False


def plain_step(config: NeuralConfig, device: str) -> Callable[[], Any]:
    """Return a training step in plain PyTorch."""
    automaton = PlainAutomaton(config.hidden).to(device)
    optimizer = torch.optim.AdamW(automaton.parameters(), lr=config.learning_rate)
    reservoir = PlainReservoir(2, config.channels, config.depth, linear_last=config.linear_last)
    observer = Observer(reservoir, ridge_penalty=config.ridge_penalty)

    def step() -> Tensor:
        shape = (config.batch, 2, config.width)
        states = nn.functional.normalize(torch.randn(shape, device=device), dim=1)
        with torch.no_grad():
            for _ in range(config.burn_in):
                states = automaton(states)
        states = states + config.noise * torch.randn_like(states)
        orbit = [states]
        for _ in range(config.window):
            orbit.append(automaton(orbit[-1]))
        score = observer(states, torch.cat(orbit[1:], 1))
        optimizer.zero_grad()
        (-config.score_scale * score).backward()
        nn.utils.clip_grad_norm_(automaton.parameters(), config.clip)
        optimizer.step()
        return score.detach()

    return synchronized(step, device)


def our_step(config: NeuralConfig, device: str) -> Callable[[], Any]:
    """Return a step of the ascent, recorded as a graph where there is a GPU."""
    automaton = neural_automaton(config, "residual", 0).to(device)
    ascent = Ascent(
        automaton,
        neural_observer(config, 0),
        lambda generator: sample(config, automaton, generator),
        AscentConfig(score_scale=config.score_scale, clip=config.clip, graph=True),
    )
    return synchronized(lambda: ascent._step(0), device)


def synchronized(function: Callable[[], Any], device: str) -> Callable[[], Any]:
    """Wait for the device, so that the clock sees all of the work."""

    def call() -> Any:
        result = function()
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        return result

    return call


@torch.no_grad()
def scores_by_precision(
    config: NeuralConfig, automaton: nn.Module, device: str
) -> dict[str, float]:
    """Score one rule on the same start states and noise, in each arithmetic."""
    found: dict[str, float] = {}
    for name in ("mixed", "tf32", "float32", "float64"):
        precision: Any = "float32" if name == "float64" else name
        rule = neural_automaton(replace(config, precision=precision), "residual", 0)
        rule.load_state_dict(automaton.state_dict())
        rule = rule.to(device).to(torch.float64 if name == "float64" else torch.float32)
        draw = torch.Generator().manual_seed(0)  # on the CPU: the same numbers in every dtype
        with arithmetic(precision):
            start = torch.nn.functional.normalize(
                torch.randn(config.batch, 2, config.width, generator=draw), dim=1
            ).to(device, rule.project.weight.dtype)
            noise = torch.randn(start.shape, generator=draw).to(start)
            inputs = rule.burn_in(start, config.burn_in) + config.noise * noise
            targets = rule.window(inputs, config.window)
            found[name] = float(neural_observer(config, 0)(inputs, targets))
    return found


def run(config: NeuralConfig | None = None, device: str = "cuda", repeats: int = 5) -> list[Row]:
    """Time both in turn; there is nothing to time without a GPU."""
    if device == "cuda" and not torch.cuda.is_available():
        return []
    config = config or NeuralConfig()
    with arithmetic("tf32"):
        slow, fast = interleave(
            plain_step(config, device), our_step(config, device), repeats=repeats, calls=(3, 10)
        )
    name = f"neural automaton step, batch {config.batch}, on a GPU"
    rows = [faster(name, statistics.median(slow), statistics.median(fast), 3)]
    return rows + [precision_row(config, seed, device) for seed in range(3) if RECORD.exists()]


def precision_row(config: NeuralConfig, seed: int, device: str) -> Row:
    """Score a committed rule in float64 and in the arithmetic of the fused kernels."""
    record = records.load(RECORD)
    weights = record.arrays[f"final_weights/residual-seed-{seed}"]
    found = scores_by_precision(
        config, from_vector("residual", config.hidden, config.radius, weights), device
    )
    spread = record.results["summary"]["residual"]["final_sd"]
    apart = abs(found["mixed"] - found["float64"])
    return Row(
        f"score of trained rule {seed}: float64, and mixed precision",
        found["float64"],
        found["mixed"],
        apart,
        f"apart by less than the {spread:.2f} bits between seeds",
        apart < spread,
        "bits",
    )

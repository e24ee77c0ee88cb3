"""The life-like automata and their observer: many rules are simulated and scored at once."""

from __future__ import annotations

import dataclasses
import functools
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.engine import available_cores
from learnable_novelty.observer import reservoirs
from learnable_novelty.rearrange import row_orders
from learnable_novelty.seeds import split
from novelty_lab.observers.batched import BatchScore, score_batch
from novelty_lab.observers.binary_torus import NUM_PATTERNS, BinaryTorus, pattern_codes
from novelty_lab.settings import Settings
from novelty_lab.systems.life import LifeRule, soup
from novelty_lab.systems.life_batch import LifeBatch

STATES = {"signed": (-1.0, 1.0), "binary": (0.0, 1.0)}
"""What a dead and a living cell enter the reservoir as."""
FEATURE_BYTES = {"cuda": 4 << 30, "cpu": 64 << 20}
"""Memory for the float64 features of the rules that are scored at once."""
FRAME_BYTES = {"cuda": 8 << 20, "cpu": 256 << 10}
"""Memory for one time step of the rules that are simulated at once: what a cache holds."""

ROWS_A_THREAD = 16


@dataclass(frozen=True)
class LifeConfig(Settings):
    """How life-like automata are sampled and observed."""

    grid: int = 67
    """Height and width of the torus. A prime that 2 generates: on a side of 64 the additive rules,
    such as Replicator, die out within 64 steps."""
    samples: int = 8
    """Tori per rule and draw: about as many rows, 35912, as the elementary automata have."""
    density: float = 0.5
    """Share of living cells at the start; at one half a rule and its complement start alike."""
    burn_in: int = 500
    """Steps before the input is taken."""
    window: int = 16
    """Future steps that make the target, tau."""
    channels: int = 128
    """Reservoir channels, m: twice as many rank rules alike, half as many do not (the study)."""
    depth: int = 3
    """Reservoir layers: two of kernel 3 and one of kernel 1 see 5 x 5 cells, which decide the next
    two steps. Two layers see 3 x 3 cells, which decide one."""
    ridge_penalty: float = 0.03
    """lambda, as for the elementary automata."""
    resolution: float = 1.0
    """eta."""
    linear_last: bool = True
    """Whether the last layer is linear, as for the elementary automata."""
    states: Literal["signed", "binary"] = "signed"
    """As what cells enter: "signed", -1 and +1, so that both count alike, or "binary", 0 and 1."""
    draws: int = 2
    """Independent draws of reservoir and soups."""
    floor_repeats: int = 4
    """Rearrangements of the residuals per draw, for the floor."""
    null_repeats: int = 2
    """Rearrangements of the targets per draw, for the null."""


@dataclass(frozen=True)
class LifeObserver:
    """One draw: a reservoir, the soups that every rule starts from, and the rearrangements."""

    torus: BinaryTorus
    soups: Tensor
    floor_orders: list[Tensor]
    null_orders: list[Tensor]


@functools.lru_cache(maxsize=16)
def life_observer(config: LifeConfig, seed: int, draw: int, device: str) -> LifeObserver:
    """Make one draw on a device; all rules of a draw meet the same reservoir and soups."""
    child = split(seed, "draw", draw)
    reservoir = reservoirs.Conv2d(
        1,
        config.channels,
        config.depth,
        linear_last=config.linear_last,
        seed=split(child, "reservoir"),
    )
    soups = soup(config.samples, config.grid, config.grid, config.density, split(child, "soup"))

    def orders(label: str, count: int) -> list[Tensor]:
        shape = (config.grid, config.grid)
        row_indices = row_orders("translations", config.samples, shape, count, split(child, label))
        return [order.to(device) for order in row_indices]

    return LifeObserver(
        BinaryTorus(reservoir, STATES[config.states], torch.float32, device),
        torch.from_numpy(soups).to(device),
        orders("floor", config.floor_repeats),
        orders("null", config.null_repeats),
    )


MEASURES = (
    "bits",
    "floor",
    "null",
    "explained",
    "density",
    "activity",
    "change_in_two",
    "entropy",
    "compressed",
)
"""What is measured of a rule: learnable bits, the bits of its moved residuals and of its moved
targets, the explained share of variance; the share of living cells, of cells that change in a step
and in two steps; the entropy of 3 x 3 neighbourhoods in bits; and zlib's bits per cell."""


def score_rules(
    config: LifeConfig, codes: Sequence[int], seed: int, draw: int, device: str = "cpu"
) -> dict[str, np.ndarray]:
    """Measure rules in one draw.

    Args:
        config: how to sample and observe.
        codes: the rules' numbers.
        seed: of all chance.
        draw: which draw.
        device: where to compute.

    Returns:
        For each of ``MEASURES`` an array with one entry per rule.
    """
    observer = life_observer(config, seed, draw, device)
    chunks: list[dict[str, Tensor]] = []
    with ThreadPoolExecutor(available_cores()) as threads:
        compressed: list[Future[list[float]]] = []
        for cells in histories(config, codes, observer.soups):
            chunks.append(_measure(config, observer, cells))
            packed = pack_bits(cells[:, 0]).cpu().numpy()
            size = cells[0, 0].numel()
            compressed += [
                threads.submit(compressed_bits, packed[i : i + ROWS_A_THREAD], size)
                for i in range(0, len(packed), ROWS_A_THREAD)
            ]
        lengths = [length for future in compressed for length in future.result()]
    sizes = torch.tensor(lengths, dtype=torch.float64)
    joined = {name: torch.cat([part[name] for part in chunks]) for name in MEASURES[:-1]}
    return {name: values.cpu().numpy() for name, values in (joined | {"compressed": sizes}).items()}


def histories(config: LifeConfig, codes: Sequence[int], soups: Tensor) -> Iterator[Tensor]:
    """Yield the cells of some rules at a time, (rules, samples, window + 1, height, width)."""
    kind = soups.device.type
    words = -(-config.samples // 64) if config.samples >= 64 else config.samples / 64
    together = max(1, int(FRAME_BYTES[kind] / (8 * config.grid**2 * words)))
    at_once = rules_at_once(config, kind)
    for start in range(0, len(codes), together):
        part = codes[start : start + together]
        frames = simulate(config, part, soups)
        for first in range(0, len(part), at_once):
            last = min(len(part), first + at_once)
            yield torch.stack([frame.cells(first, last) for frame in frames], dim=2)


def simulate(config: LifeConfig, codes: Sequence[int], soups: Tensor) -> list[LifeBatch]:
    """Run rules past the burn-in and return the input state and the window after it."""
    batch = LifeBatch.of([LifeRule(code) for code in codes], soups).advance(config.burn_in)
    frames = [batch]
    for _ in range(config.window):
        frames.append(frames[-1].advance(1))
    return frames


def rules_at_once(config: LifeConfig, kind: str) -> int:
    """Return how many rules' features are in memory at a time."""
    size = 8 * config.samples * config.grid**2 * config.channels
    return max(1, FEATURE_BYTES[kind] // size)


def observe(config: LifeConfig, observer: LifeObserver, cells: Tensor) -> BatchScore:
    """Score rules' histories, (rules, samples, window + 1, height, width)."""
    return score_batch(
        *features_and_targets(observer, cells),
        observer.floor_orders,
        observer.null_orders,
        ridge_penalty=config.ridge_penalty,
        resolution=config.resolution,
    )


def features_and_targets(observer: LifeObserver, cells: Tensor) -> tuple[Tensor, Tensor]:
    """Lay histories out as ``score_batch`` takes them: (rules, samples, sites, columns)."""
    features = observer.torus(cells[:, :, 0].flatten(0, 1)).unflatten(0, cells.shape[:2])
    return features.flatten(2, 3), cells[:, :, 1:].movedim(2, -1).flatten(2, 3)


def _measure(config: LifeConfig, observer: LifeObserver, cells: Tensor) -> dict[str, Tensor]:
    score = observe(config, observer, cells)
    codes = pattern_codes(cells[:, :, 0]).flatten(1)
    return {
        "bits": score.bits,
        "floor": score.floor_bits.mean(1),
        "null": score.null_bits.mean(1),
        "explained": score.explained_variance,
        "density": _share(cells),
        "activity": _share(cells[:, :, 1:] ^ cells[:, :, :-1]),
        "change_in_two": _share(cells[:, :, 2:] ^ cells[:, :, :-2]),
        "entropy": pattern_entropy(codes),
    }


def pattern_entropy(codes: Tensor) -> Tensor:
    """Return the entropy in bits of each row of neighbourhood codes."""
    rows = torch.arange(len(codes), device=codes.device)[:, None] * NUM_PATTERNS
    counts = torch.bincount((codes + rows).flatten(), minlength=len(codes) * NUM_PATTERNS)
    share = counts.unflatten(0, (len(codes), NUM_PATTERNS)).double() / codes.shape[1]
    return -torch.special.xlogy(share, share).sum(1) / np.log(2)


def pack_bits(cells: Tensor) -> Tensor:
    """Pack cells of 0 and 1 in reading order, eight to a byte: (rules, bytes)."""
    flat = cells.flatten(1)
    flat = torch.nn.functional.pad(flat, (0, -flat.shape[1] % 8)).unflatten(1, (-1, 8))
    places = torch.arange(8, device=cells.device, dtype=torch.uint8)
    return (flat << places).sum(2, dtype=torch.uint8)


def compressed_bits(packed: np.ndarray, cells: int) -> list[float]:
    """Return the bits per cell that zlib, at its usual level, needs for rows of packed cells."""
    return [8 * len(zlib.compress(row.tobytes(), 6)) / cells for row in packed]


def vary(config: LifeConfig, **changes: object) -> LifeConfig:
    """Return the sampling and observing part of a configuration, with fields changed."""
    settings = {f.name: getattr(config, f.name) for f in dataclasses.fields(LifeConfig)}
    return LifeConfig(**(settings | changes))  # pyright: ignore[reportArgumentType]


def _share(cells: Tensor) -> Tensor:
    return cells.flatten(1).sum(1, dtype=torch.float64) / cells[0].numel()

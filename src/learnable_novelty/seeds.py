"""Randomness by label: every use of chance draws from its own stream, split off one seed."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import torch

from learnable_novelty.errors import UserError, UserTypeError

Seed = int | torch.Generator
EXPECTED = "seed must be a non-negative integer or a torch.Generator"


def check_seed(seed: Any) -> int:
    """Return a seed as an ``int``, or raise unless it is a non-negative integer.

    Numbers such as 1.7 or True, and text such as "3", are rejected: to round or parse them would
    give two different seeds one stream.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise UserTypeError(f"{EXPECTED}, got {seed!r}")
    if seed < 0:
        raise UserError(f"{EXPECTED}, got {seed}")
    return int(seed)


def split(seed: Seed, *labels: str | int) -> int:
    """Derive a child seed from a seed and the labels of its use.

    Equal arguments give equal children; different labels give independent streams. A
    ``torch.Generator`` is advanced by one draw, so two splits of it differ.

    >>> split(0, "reservoir", 1) == split(0, "reservoir", 1) != split(0, "reservoir", 2)
    True
    """
    root = _draw(seed) if isinstance(seed, torch.Generator) else check_seed(seed)
    text = "/".join([str(root), *map(repr, labels)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def numpy_generator(seed: Seed, *labels: str | int) -> np.random.Generator:
    """Make a NumPy generator for one labelled use of a seed."""
    return np.random.default_rng(split(seed, *labels))


def torch_generator(seed: Seed, *labels: str | int) -> torch.Generator:
    """Make a CPU torch generator for one labelled use of a seed."""
    return torch.Generator().manual_seed(split(seed, *labels))


def _draw(generator: torch.Generator) -> int:
    return int(torch.randint(0, 2**62, (), generator=generator, device=generator.device))

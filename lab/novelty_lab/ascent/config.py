"""How an ascent climbs: all its knobs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from learnable_novelty.errors import UserError


@dataclass(frozen=True)
class AscentConfig:
    """How to climb: AdamW with cosine annealing and clipped gradients, as in table 4."""

    steps: int = 2000
    """Gradient steps."""
    learning_rate: float = 1e-4
    """Of AdamW, at the first step."""
    weight_decay: float = 0.01
    """Of AdamW; the paper is silent, this is PyTorch's default."""
    annealing: Literal["cosine", "none"] = "cosine"
    """Learning rate falling to zero along a half cosine, or held."""
    score_scale: float = 1.0
    """Factor on the score before its gradient is taken and clipped."""
    clip: float | None = 0.5
    """Largest gradient, or None for no clipping."""
    clip_by: Literal["norm", "value"] = "norm"
    """Whether ``clip`` bounds the norm of the whole gradient, or each entry."""
    checkpoint_every: int = 200
    """Steps between snapshots; step 0 and the last step always have one."""
    check_every: int = 10
    """Steps between looks at the score: each look waits for the device."""
    patience: int = 20
    """Steps in a row with a score of exactly zero before giving up."""
    graph: bool = False
    """On a GPU, record a step once and replay it: no time between kernels. What the batch and the
    objective do must then be the same work at every step, and not wait for the device."""

    def __post_init__(self) -> None:
        for name in ("steps", "checkpoint_every", "check_every", "patience"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("learning_rate", "score_scale"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise UserError(f"{name} must be positive, got {getattr(self, name)}")
        if self.clip is not None and not self.clip > 0:
            raise UserError(f"clip must be positive or None, got {self.clip}")
        if self.annealing not in ("cosine", "none") or self.clip_by not in ("norm", "value"):
            raise UserError("annealing must be cosine or none, and clip_by norm or value")

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step: eta (1 + cos(pi k / K)) / 2."""
        if self.annealing == "none":
            return self.learning_rate
        return self.learning_rate * (1 + math.cos(math.pi * step / self.steps)) / 2

"""A jury that judges codes without labels.

Raw scores of different observers are different rulers, so a code is not judged by the one it was
trained with. Fresh draws of every kind of observer score each code on images that no training saw,
and the excess over the floor, the part that is not the code's own noise, ranks the codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import split, torch_generator
from novelty_lab.studies.image_codes.training import PER_SAMPLE, image_observer

JURORS: tuple[tuple[Literal["mlp", "conv"], float], ...] = (
    ("mlp", 30.0),
    ("mlp", 300.0),
    ("conv", 30.0),
    ("conv", 300.0),
)
"""Kind of reservoir and resolution of each juror."""
JUROR_NAMES = [f"{kind}, resolution {eta:g}" for kind, eta in JURORS]


def parted(images: Tensor, held_out: int, judged: int) -> tuple[Tensor, Tensor]:
    """Part images into those to train on and those that the jury sees, of the last ``held_out``."""
    if not 0 < judged <= held_out:
        raise UserError(f"judged must be from 1 to held_out={held_out}, got {judged}")
    if held_out >= len(images):
        raise UserError(
            f"held_out must leave some of the {len(images):,} images to train on, got {held_out:,}"
        )
    return images[:-held_out], images[-held_out:][:judged]


def judge(images: Tensor, codes: Tensor, orders: int, seed: int) -> np.ndarray:
    """Return bits, floor and explained variance (columns) of a code by every juror (rows).

    Args:
        images: what the jurors read, (n, side, side).
        codes: of these images, perhaps changed.
        orders: permutations of the residuals that make the floor.
        seed: of jurors and permutations.
    """
    rows: list[tuple[float, float, float]] = []
    for number, (kind, resolution) in enumerate(JURORS):
        draw = split(seed, "juror", number)
        juror = image_observer(kind, images.shape[-1], PER_SAMPLE * len(images), resolution, draw)
        read = images.flatten(1) if kind == "mlp" else images
        rows.append(above_floor(juror, read, codes, orders, draw))
    return np.array(rows)


def above_floor(
    observer: Observer, inputs: Tensor, codes: Tensor, orders: int, seed: int
) -> tuple[float, float, float]:
    """Return the bits of a code, its floor, and the share of its variance that is explained."""
    fit = observer.fit(observer.rows(inputs, codes))
    generator = torch_generator(seed, "floor")
    shuffles = (
        torch.randperm(len(codes), generator=generator).to(codes.device) for _ in range(orders)
    )
    floors, _ = fit.rearranged(fit.noise(), shuffles, same_penalty=True)
    return fit.bits(), float(floors.mean()), fit.explained_variance()


def rank(candidates: Mapping[str, dict[str, Any]]) -> dict[str, float]:
    """Note every juror's rank with the candidates, 1 the best, and return the mean ranks."""
    excess = np.array([candidate["excess"] for candidate in candidates.values()])
    ranks = 1 + np.argsort(np.argsort(-excess, axis=0), axis=0)
    for candidate, places in zip(candidates.values(), ranks.tolist(), strict=True):
        candidate["ranks"] = places
    return {name: float(np.mean(candidate["ranks"])) for name, candidate in candidates.items()}


def best_of(mean_rank: Mapping[str, float]) -> list[str]:
    """Return who has the best mean rank; the shorter training comes first on a tie."""
    best = min(mean_rank.values())
    return [name for name, value in mean_rank.items() if value == best]

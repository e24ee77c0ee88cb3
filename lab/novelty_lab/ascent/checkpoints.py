"""Checkpoints of a run: one file per step, written whole or not at all, read without code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.storage import read_tensors, writing

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """Everything that the next step depends on."""

    step: int
    module: dict[str, Tensor]
    optimizer: dict[str, Any]
    scores: list[float]


class Checkpoints:
    """The checkpoints in a directory: ``step-000200.pt`` and so on.

    Args:
        directory: made when the first checkpoint is saved.
        run: what identifies the run; checkpoints of another one are refused.
    """

    def __init__(self, directory: Path, run: dict[str, Any]) -> None:
        self.directory, self.run = Path(directory), json.dumps(run, sort_keys=True)

    def path(self, step: int) -> Path:
        """Return the file of a step."""
        return self.directory / f"step-{step:06d}.pt"

    def steps(self) -> list[int]:
        """List the steps that have a checkpoint, in order."""
        names = (path.stem[5:] for path in self.directory.glob("step-*.pt"))
        return sorted(int(name) for name in names if name.isdecimal())

    def save(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint; a kill or a full disk leaves no half file under its name."""
        fields = {"format": FORMAT, "run": self.run, **checkpoint.__dict__}
        fields["scores"] = torch.tensor(checkpoint.scores, dtype=torch.float64)
        with writing(self.path(checkpoint.step)) as file:
            torch.save(fields, file)

    def load(self, step: int, device: torch.device) -> Checkpoint:
        """Read a checkpoint, with ``weights_only``: a file can hold data and nothing that runs."""
        path = self.path(step)
        try:
            fields = read_tensors(path, device)
        except ValueError:
            raise UserError(
                f"the checkpoint {path} is damaged; remove it to go on from the one before"
            ) from None
        names = {"format", "run", *Checkpoint.__annotations__}
        if not isinstance(fields, dict) or set(fields) != names or fields["format"] != FORMAT:
            raise UserError(f"expected a checkpoint of format {FORMAT} in {path}")
        if fields.pop("run") != self.run:
            raise UserError(f"the checkpoint {path} is of a run with other settings")
        del fields["format"]
        return Checkpoint(**{**fields, "scores": fields["scores"].tolist()})

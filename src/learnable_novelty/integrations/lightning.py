"""A Lightning callback that watches a layer's code. Needs the extra ``integrations``.

How many bits can an observer learn of the code from the inputs, how many of these would noise of
the size of its errors score as well, and in how many directions does the code vary?
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from lightning.pytorch import Callback, LightningModule, Trainer
from torch import Tensor, nn
from torchmetrics.utilities.distributed import gather_all_tensors

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.score import score
from learnable_novelty.objective import effective_rank
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.checks import whole_number
from learnable_novelty.observer.observer import Observer
from learnable_novelty.seeds import check_seed

LOGGED = ("bits", "floor_bits", "excess_bits", "effective_rank")


class EpiplexityMonitor(Callback):
    """Log the epiplexity of a layer's code with its floor, and its effective rank, per validation.

    Logged are ``{layer}/bits``, ``{layer}/floor_bits``, ``{layer}/excess_bits`` and
    ``{layer}/effective_rank``. The first three are those of ``learnable_novelty.score``, inputs
    flattened and standardized, every column of the code in units of its own deviation; the last is
    the participation ratio of the code's variances. The ranks of a distributed job pool their
    samples and log the same numbers. All are NaN where inputs or code are not finite, and for less
    than two samples: what is watched does not stop the training.

    Args:
        layer: name of a submodule, as ``get_submodule`` takes it; its output, flattened to
            (num_samples, code_dim), is the code.
        observer: chosen by ``score`` by default. One with an ``ImageConv`` reservoir is given the
            inputs as they come, any other one flattened.
        draws: how many reservoirs to average over.
        max_samples: how many samples of a validation epoch are kept, from its start, per rank.
        inputs_of: returns the inputs of a batch; by default the batch, or its first part.
        seed: of reservoirs and rearrangements, the same in every epoch.

    >>> EpiplexityMonitor("encoder", draws=2).layer
    'encoder'
    """

    def __init__(
        self,
        layer: str,
        *,
        observer: Observer | None = None,
        draws: int = 1,
        max_samples: int = 2048,
        inputs_of: Callable[[Any], Tensor] | None = None,
        seed: int = 0,
    ) -> None:
        self.layer, self.observer, self.seed = layer, observer, check_seed(seed)
        self.draws = whole_number("draws", draws, 1)
        self.max_samples = whole_number("max_samples", max_samples, 1)
        self.inputs_of = inputs_of or first_tensor
        self._hook: Any = None
        self._seen: list[Tensor] = []
        self._inputs: list[Tensor] = []
        self._codes: list[Tensor] = []

    def on_validation_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._forget()
        try:
            module = pl_module.get_submodule(self.layer)
        except AttributeError:
            names = ", ".join(name for name, _ in pl_module.named_modules() if name)
            raise UserError(f"expected a layer, one of {names}; got {self.layer!r}") from None
        self._hook = module.register_forward_hook(self._look)

    def _look(self, module: nn.Module, arguments: Any, output: Any) -> None:
        if not isinstance(output, Tensor):
            raise UserTypeError(
                f"expected {self.layer} to return a tensor, got {type(output).__name__}"
            )
        self._seen.append(output.detach())

    def on_validation_batch_end(
        self,
        trainer: Trainer,
        pl_module: LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        seen, self._seen = self._seen, []
        room = self.max_samples - sum(map(len, self._inputs))
        if room <= 0:
            return
        inputs = self.inputs_of(batch).detach()
        if len(seen) != 1 or len(seen[0]) != len(inputs):
            sizes = ", ".join(str(len(code)) for code in seen) or "none"
            raise UserError(
                f"expected one code of {self.layer} per input, {len(inputs)} in a batch, "
                f"got {sizes}"
            )
        self._inputs.append(inputs[:room].cpu())
        self._codes.append(seen[0][:room].flatten(1).float().cpu())

    def on_validation_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        inputs, codes = self._inputs, self._codes
        self._forget()
        if not inputs:
            return
        device = pl_module.device
        measures = self.measure(*(_pooled(torch.cat(part), device) for part in (inputs, codes)))
        pl_module.log_dict({f"{self.layer}/{name}": value for name, value in measures.items()})

    def measure(self, inputs: Tensor, codes: Tensor) -> dict[str, float]:
        """Score codes (num_samples, code_dim) against inputs (num_samples, ...)."""
        if len(codes) < 2 or not all(bool(part.isfinite().all()) for part in (inputs, codes)):
            return dict.fromkeys(LOGGED, math.nan)
        of_images = self.observer is not None and isinstance(
            self.observer.reservoir, reservoirs.ImageConv
        )
        if not of_images:
            inputs = inputs.flatten(1)
        result = score(
            inputs, codes, observer=self.observer, draws=self.draws, null=0, seed=self.seed
        )
        values = (result.bits, result.floor_bits, result.excess_bits, effective_rank(codes))
        return dict(zip(LOGGED, values, strict=True))

    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        self._forget()

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        self._forget()

    def _forget(self) -> None:
        if self._hook is not None:
            self._hook.remove()
        self._hook, self._seen, self._inputs, self._codes = None, [], [], []


def first_tensor(batch: Any) -> Tensor:
    """Return the batch if it is a tensor, else the first part of it that is one."""
    parts = batch.values() if isinstance(batch, dict) else batch
    if isinstance(batch, Tensor):
        return batch
    for part in parts if isinstance(batch, (dict, list, tuple)) else ():
        if isinstance(part, Tensor):
            return part
    raise UserTypeError(
        f"expected a batch that is or holds a tensor, got {type(batch).__name__}; give inputs_of"
    )


def _pooled(values: Tensor, device: torch.device) -> Tensor:
    """Put the samples of all ranks together, in their order, on the CPU."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return values
    return torch.cat(gather_all_tensors(values.to(device))).cpu()


__all__ = ["EpiplexityMonitor"]

"""What the processes of one distributed ascent share: gradients, buffers, and when to stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


class Ranks:
    """The ranks of a process group; without one, this process alone, and nothing is sent."""

    def __init__(self, group: Any = None) -> None:
        self._group = group
        self.rank = 0 if group is None else dist.get_rank(group)
        self.size = 1 if group is None else dist.get_world_size(group)

    @property
    def alone(self) -> bool:
        """Whether there is no other rank to agree with."""
        return self._group is None

    def start_alike(self, module: nn.Module) -> None:
        """Give all ranks the parameters and buffers of the first."""
        if not self.alone:
            for value in module.state_dict().values():
                dist.broadcast(value, dist.get_global_rank(self._group, 0), self._group)

    def add_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Sum gradients over ranks: each holds the part that comes from its own samples."""
        gradients = [p.grad for p in parameters if p.grad is not None]
        if self.alone or not gradients:
            return
        flat = torch.cat([grad.flatten() for grad in gradients])
        dist.all_reduce(flat, dist.ReduceOp.SUM, self._group)
        for grad, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            grad.copy_(part.view_as(grad))

    def average_buffers(self, module: nn.Module) -> None:
        """Average floating buffers, such as the running moments of a normalization."""
        if self.alone:
            return
        for buffer in module.buffers():
            if buffer.is_floating_point():
                dist.all_reduce(buffer, dist.ReduceOp.SUM, self._group)
                buffer /= self.size

    def any(self, asked: bool, device: torch.device) -> bool:
        """Tell whether any rank was asked: all must stop at the same step."""
        if self.alone:
            return asked
        flag: Tensor = torch.tensor(float(asked), device=device)
        dist.all_reduce(flag, dist.ReduceOp.MAX, self._group)
        return bool(flag)

    def wait(self) -> None:
        """Wait until all ranks are here."""
        if not self.alone:
            dist.barrier(self._group)

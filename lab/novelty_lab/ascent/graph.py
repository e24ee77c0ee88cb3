"""A training step recorded once as a CUDA graph and replayed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

WARM_UP = 3
"""Steps before recording: libraries set themselves up and kernels are compiled in these."""


class GraphedStep:
    """Record a step; module and optimizer are as they were before, and change at each replay.

    Args:
        climb: one step, from a generator: returns score and gradient norm.
        module: what is trained.
        optimizer: made with ``capturable=True``.
    """

    def __init__(
        self,
        climb: Callable[[torch.Generator], tuple[Tensor, Tensor]],
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
    ) -> None:
        device = next(module.parameters()).device
        self._generator = torch.Generator(device).manual_seed(0)
        saved = copy.deepcopy(module.state_dict())
        states = copy.deepcopy(optimizer.state_dict()["state"])
        with torch.cuda.device(device):
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(WARM_UP):
                    climb(self._generator)
            torch.cuda.current_stream().wait_stream(stream)
            self._graph = torch.cuda.CUDAGraph()
            self._graph.register_generator_state(self._generator)
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(self._graph):
                self._score, self._norm = climb(self._generator)
        put_back(module, optimizer, saved, states)

    def replay(self, seed: int) -> tuple[Tensor, Tensor]:
        """Take one step with the randomness of a seed."""
        self._generator.manual_seed(seed)
        self._graph.replay()
        return self._score.clone(), self._norm.clone()


@torch.no_grad()
def put_back(
    module: nn.Module, optimizer: torch.optim.Optimizer, saved: dict[str, Tensor], states: Any
) -> None:
    """Undo the warm-up in place: the graph has the addresses of these tensors."""
    for name, value in module.state_dict().items():
        value.copy_(saved[name])
    for index, state in optimizer.state_dict()["state"].items():
        for name, value in state.items():
            value.copy_(states[index][name] if index in states else torch.zeros_like(value))

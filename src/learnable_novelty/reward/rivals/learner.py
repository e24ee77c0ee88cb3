"""How a rival learns: transitions are gathered, then gone through once in shuffled minibatches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from learnable_novelty.errors import UserError
from learnable_novelty.observer.checks import check_positive
from learnable_novelty.seeds import Seed, torch_generator


@dataclass(frozen=True)
class LearnerConfig:
    """When and how a rival learns."""

    train_every: int = 1024
    """Steps of the parallel environments between epochs; all their transitions are learned."""
    batch_size: int = 256
    """Transitions in a minibatch; the last one of an epoch may be smaller."""
    learning_rate: float = 1e-3
    """Of Adam."""

    def __post_init__(self) -> None:
        check_positive(
            train_every=self.train_every,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
        )


class Learner:
    """Gather transitions, and every ``train_every`` steps train one epoch on them with Adam.

    Args:
        parameters: what is trained.
        loss: takes the columns of a minibatch, each (batch, width), and returns a 0-dim loss.
        widths: of the columns that a transition is kept as.
        num_envs: transitions per step.
        seed: of the shuffles.
        config: when and how.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        loss: Callable[..., Tensor],
        *,
        widths: Sequence[int],
        num_envs: int,
        seed: Seed,
        config: LearnerConfig,
    ) -> None:
        self.config, self.loss, self.widths = config, loss, tuple(widths)
        self._optimizer = torch.optim.Adam(parameters, lr=config.learning_rate)
        self._shuffle = torch_generator(seed, "shuffle")
        self._buffer = torch.zeros(config.train_every, num_envs, sum(self.widths))
        self._filled = 0

    def add(self, *columns: Tensor) -> None:
        """Keep a step's transitions, each column (num_envs, width); train when it is time."""
        self._buffer[self._filled] = torch.cat(columns, dim=1)
        self._filled += 1
        if self._filled == self.config.train_every:
            self._train()
            self._filled = 0

    def _train(self) -> None:
        transitions = self._buffer.flatten(0, 1)
        order = torch.randperm(len(transitions), generator=self._shuffle)
        for batch in order.split(self.config.batch_size):
            self._optimizer.zero_grad()
            with torch.enable_grad():
                self.loss(*transitions[batch].split(self.widths, dim=1)).backward()
            self._optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """Return a copy of the transitions waiting, of Adam and of the shuffles' generator."""
        return {
            "transitions": self._buffer[: self._filled].clone(),
            "optimizer": copy.deepcopy(self._optimizer.state_dict()),
            "shuffle": self._shuffle.get_state(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        transitions = state["transitions"]
        expected, given = self._buffer.shape, transitions.shape
        if given[1:] != expected[1:] or len(transitions) >= self.config.train_every:
            raise UserError(
                f"expected fewer than {expected[0]} steps of transitions "
                f"{tuple(expected[1:])}, got shape {tuple(given)}"
            )
        self._filled = len(transitions)
        self._buffer[: self._filled] = transitions
        self._optimizer.load_state_dict(copy.deepcopy(state["optimizer"]))
        self._shuffle.set_state(state["shuffle"])

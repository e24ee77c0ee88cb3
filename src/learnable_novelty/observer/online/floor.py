"""The floor of a stream: the score of targets without structure, as large as the learner's errors.

A readout fitted to noise is not zero, so noise earns bits. The floor earns them too: beside its
targets y a stream is given its own one-step prediction errors with random signs,

    e_t = s_t (y_t - yhat_t),   yhat_t = mean_y + B' D A^-1 D (h_t - mean_h),   s_t = +1 or -1,

as targets of the same features. Means, scale D, A and B are those of the pairs before t, so that
yhat_t is what the readout of these pairs predicts. Where y is noise, e is as large as y and the
difference S - S_floor is about zero; where y can be learned, e becomes small and the difference
about S. The first pair, before which there is no mean, has the error zero; with given constants
("fixed") the mean is theirs from the start.
"""

from __future__ import annotations

from typing import Any

import torch

from learnable_novelty.seeds import Seed, numpy_generator


class RandomSigns:
    """Signs of the errors of all streams, drawn from one generator, those of many steps at once."""

    STEPS = 64

    def __init__(self, num_streams: int, seed: Seed, device: torch.device | str) -> None:
        self._num_streams, self._device = num_streams, torch.device(device)
        self._generator = numpy_generator(seed, "signs of errors")
        self._draw_block()

    def _draw_block(self) -> None:
        self._before = dict(self._generator.bit_generator.state)
        block = 2.0 * self._generator.integers(0, 2, (self.STEPS, self._num_streams)) - 1.0
        self._block = block if self._device.type == "cpu" else torch.tensor(block).to(self._device)
        self._next = 0

    def draw(self) -> Any:
        """Return a sign for every stream: the same ones until they are used."""
        return self._block[self._next]

    def use(self) -> None:
        """Draw other signs next time."""
        self._next += 1
        if self._next == self.STEPS:
            self._draw_block()

    @property
    def state(self) -> dict[str, Any]:
        """Where the generator stood before it drew a block, and how many of its rows are used."""
        return {**self._before, "used": self._next}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        self._generator.bit_generator.state = {k: v for k, v in state.items() if k != "used"}
        self._draw_block()
        self._next = state.get("used", 0)

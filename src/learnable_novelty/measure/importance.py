"""Which inputs a readout uses: how much its prediction changes when one of them is exchanged.

With f(x) = W phi(x), and x' a row whose input J comes from another row, the weight of J is

    mean over rows of |f(x) - f(x')|^2 / 2,

the total effect of J (Jansen 1999): its squared coefficient where f is linear and inputs are
standardized. The levels of a category are exchanged together, so that rows stay possible ones.
Importance is the share of the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from learnable_novelty.observer.fit import Fit
from learnable_novelty.seeds import torch_generator

ROWS, MOST_NAMES = 256, 300
"""Rows over which changes are averaged, and inputs up to which it is done."""
AT_ONCE = 16
"""Inputs that are exchanged in one pass of the reservoir."""
Places = Mapping[str, Sequence[int]]
"""Which columns of the inputs a name stands for."""
Importance = tuple[tuple[str, float], ...]


def place_inputs(
    named: Mapping[str, slice] | None, width: int, history: int
) -> dict[str, list[int]]:
    """Return which inputs a column is; past values lie behind each other, oldest first.

    >>> place_inputs({"a": slice(0, 1), "b": slice(1, 3)}, 3, history=2)
    {'a': [0, 3], 'b': [1, 2, 4, 5]}
    """
    if named is None:
        named = {f"input {k + 1}": slice(k, k + 1) for k in range(width)}
    steps = range(history)
    return {
        name: [step * width + k for step in steps for k in range(place.start, place.stop)]
        for name, place in named.items()
    }


@torch.no_grad()
def exchange_effects(fit: Fit, inputs: Tensor, places: Places) -> np.ndarray | None:
    """Return the weight of every name, (names,); None for many of them.

    Args:
        fit: of W, on features of these inputs.
        inputs: as the observer gets them, (num_samples, columns).
        places: the columns of every name.
    """
    if len(places) > MOST_NAMES:
        return None
    generator = torch_generator(0, "importance")
    some, others = (torch.randperm(len(inputs), generator=generator)[:ROWS] for _ in range(2))
    x, other = inputs[some.to(inputs.device)], inputs[others.to(inputs.device)]
    readout = fit.scale[0][:, None] * fit.weights

    def predicted(values: Tensor) -> Tensor:
        return fit.observer.reservoir(values).to(readout) @ readout

    before, effects, columns = predicted(x), [], list(places.values())
    for start in range(0, len(columns), AT_ONCE):
        some = columns[start : start + AT_ONCE]
        changed = x.repeat(len(some), 1, 1)
        for one, own in zip(changed, some, strict=True):
            one[:, own] = other[:, own]
        after = predicted(changed.flatten(0, 1)).unflatten(0, (len(some), -1))
        effects.append((after - before).square().sum(2).mean(1) / 2)
    return torch.cat([before[0, :0], *effects]).cpu().numpy()


def shares(effects: np.ndarray, places: Places) -> Importance:
    """Return every name's share, largest first; none where the readout uses no input.

    >>> shares(np.array([1.0, 3.0]), {"a": [0], "b": [1, 2]})
    (('b', 0.75), ('a', 0.25))
    """
    total = float(effects.sum())
    if not 0 < total < np.inf:
        return ()
    named = zip(places, effects / total, strict=True)
    return tuple(sorted(((name, float(share)) for name, share in named), key=lambda one: -one[1]))

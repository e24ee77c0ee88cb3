"""The data of the findings: automata, hidden bits, hidden rows of Markov chains, reversed time.

After the descriptions of Finzi et al. (2026): rules 15, 30 and 54 seen from their past; four steps
of rule 30 of which some input bits are hidden ("hard induction": what is hidden must be inferred
from the outputs); Markov chains of eight symbols whose transition probabilities are shown, but for
some ("easy induction": those are estimated from the sequence). Sizes are ours: minutes on a
processor in the place of days on accelerators.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from novelty_lab.systems.elementary import ElementaryRule

Array = NDArray[np.float64]
Data = tuple[Array, Array]
CELLS = 64
SYMBOLS = 8


def windows_of_rule(
    rule: int, rows: int, radius: int, leads: range, generator: np.random.Generator
) -> Data:
    """Predict states of a cell from the cells around it, after 200 steps."""
    rings = -(-rows // 16)
    start = generator.integers(0, 2, (rings, CELLS), dtype=np.uint8)
    states = ElementaryRule(rule).run(start, 200 + leads[-1])[199:]
    around = np.stack([np.roll(states[0], k, -1) for k in range(radius, -radius - 1, -1)], -1)
    future = np.moveaxis(states[list(leads)], 0, -1)
    # Every fourth cell: neighbours see nearly the same.
    x, y = (part[:, ::4].reshape(-1, part.shape[-1]) for part in (around, future))
    order = generator.permutation(len(x))[:rows]
    return x[order].astype(float), y[order].astype(float)


def hidden_bits(
    hidden: int, rows: int, generator: np.random.Generator, *, size: int = 12, steps: int = 4
) -> Iterator[Data]:
    """Yield one regression for each output bit of rule 30: from visible inputs and outputs before.

    Outputs are told one after the other, so the last of them tell what the hidden inputs were.
    """
    x = generator.integers(0, 2, (rows, size), dtype=np.uint8)
    y = ElementaryRule(30).run(x, steps)[-1]
    for place in range(size):
        seen = np.concatenate([x[:, hidden:], y[:, :place]], axis=1)
        yield seen.astype(float), y[:, [place]].astype(float)


def hidden_rows(
    hidden: int, rows: int, generator: np.random.Generator, *, length: int = 64
) -> Data:
    """Predict the next symbol of a chain from its transition probabilities, if they are shown.

    Every row is a chain of its own. Inputs are the probabilities of the present symbol's next one,
    zero where they are hidden, and how often each symbol followed it so far.
    """
    chains = generator.dirichlet(np.full(SYMBOLS, 0.3), (rows, SYMBOLS))
    shown = np.arange(SYMBOLS) >= hidden
    state = generator.integers(0, SYMBOLS, rows)
    counts = np.zeros((rows, SYMBOLS, SYMBOLS))
    everyone = np.arange(rows)
    for _ in range(length):
        after = _next(chains[everyone, state], generator)
        counts[everyone, state, after] += 1
        state = after
    probabilities = chains[everyone, state] * shown[state][:, None]
    target = np.eye(SYMBOLS)[_next(chains[everyone, state], generator)]
    return np.concatenate([probabilities, np.log1p(counts[everyone, state])], axis=1), target


def _next(probabilities: Array, generator: np.random.Generator) -> NDArray[np.int64]:
    drawn = generator.random((len(probabilities), 1))
    return np.minimum((probabilities.cumsum(1) < drawn).sum(1), SYMBOLS - 1)


def both_directions(
    steps: int, rows: int, generator: np.random.Generator, *, radius: int = 5
) -> dict[str, Data]:
    """Predict a cell some steps of rule 30 later, and the same cell as many steps before."""
    rings = -(-rows // 16)
    past = generator.integers(0, 2, (rings, CELLS), dtype=np.uint8)
    future = ElementaryRule(30).run(past, steps)[-1]
    order = generator.permutation(rings * 16)[:rows]
    by_direction = {}
    for name, seen, target in (("forward", past, future), ("reversed", future, past)):
        around = np.stack([np.roll(seen, k, -1) for k in range(radius, -radius - 1, -1)], -1)
        x, y = around[:, ::4].reshape(-1, 2 * radius + 1), target[:, ::4].reshape(-1, 1)
        by_direction[name] = x[order].astype(float), y[order].astype(float)
    return by_direction

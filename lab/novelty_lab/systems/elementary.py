"""Elementary cellular automata: binary rings, three-cell neighbourhoods, 256 rules.

A ring of 64 cells is one machine word, and a step of any rule is a handful of bitwise operations
on it; other widths step by table look-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.seeds import Seed, numpy_generator
from novelty_lab.systems.cells import WORD, Cells, Words, check_cells, pack_rows, unpack_rows

# Wolfram's classes of the 88 rules, as collected by Martinez, "A note on elementary cellular
# automata classification" (2013), after Wolfram, "A New Kind of Science" (2002). Class II is the
# rest.
CLASS_I = frozenset({0, 8, 32, 40, 128, 136, 160, 168})
CLASS_III = frozenset({18, 22, 30, 45, 60, 90, 105, 122, 126, 146, 150})
CLASS_IV = frozenset({41, 54, 106, 110})


class ElementaryRule:
    """One of the 256 rules, numbered as by Wolfram.

    >>> ElementaryRule(110).step(np.array([0, 0, 0, 1, 0], dtype=np.uint8))
    array([0, 0, 1, 1, 0], dtype=uint8)
    """

    def __init__(self, number: int) -> None:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise UserTypeError(f"rule number must be an integer from 0 to 255, got {number!r}")
        if not 0 <= number <= 255:
            raise UserError(f"rule number must be an integer from 0 to 255, got {number}")
        self.number = int(number)
        self.table: Cells = np.array([(self.number >> i) & 1 for i in range(8)], dtype=np.uint8)
        """Next state by neighbourhood 4*left + 2*centre + right, (8,)."""

    def __repr__(self) -> str:
        return f"ElementaryRule({self.number})"

    @property
    def wolfram_class(self) -> int:
        """Wolfram's class, 1 to 4, of this rule's equivalence class."""
        representative = min(self.equivalents())
        groups = {1: CLASS_I, 3: CLASS_III, 4: CLASS_IV}
        return next((k for k, rules in groups.items() if representative in rules), 2)

    def mirrored(self) -> ElementaryRule:
        """Return the rule with left and right exchanged."""
        order = [4 * (i & 1) + (i & 2) + (i >> 2) for i in range(8)]
        return _from_table(self.table[order])

    def complemented(self) -> ElementaryRule:
        """Return the rule with 0 and 1 exchanged."""
        return _from_table(1 - self.table[::-1])

    def equivalents(self) -> set[int]:
        """Return the numbers of the rules equal to this one up to mirror and colour swap."""
        swapped = self.complemented()
        rules = (self, self.mirrored(), swapped, swapped.mirrored())
        return {rule.number for rule in rules}

    def step(self, cells: ArrayLike) -> Cells:
        """Advance rings by one step: cells (..., width) of 0 and 1."""
        cells = check_cells(cells, 1)
        neighbourhood = 4 * np.roll(cells, 1, -1) + 2 * cells + np.roll(cells, -1, -1)
        return self.table[neighbourhood]

    def iterate_words(self, words: Words) -> Iterator[Words]:
        """Yield the next states of packed rings, endlessly; each is a new array.

        The rule is its algebraic normal form: an exclusive-or of products of neighbours.
        """
        terms = self.normal_form()
        products = [[bit for bit in (4, 2, 1) if term & bit] for term in terms - {0}]
        constant = ~np.uint64(0) if 0 in terms else np.uint64(0)
        one, last = np.uint64(1), np.uint64(WORD - 1)
        left, right, scratch = (np.empty_like(words) for _ in range(3))
        state = words
        while True:
            np.left_shift(state, one, out=left)
            left |= np.right_shift(state, last, out=scratch)
            np.right_shift(state, one, out=right)
            right |= np.left_shift(state, last, out=scratch)
            neighbours = {4: left, 2: state, 1: right}
            fresh = np.empty_like(state)
            fresh.fill(constant)
            for first, *others in products:
                product = neighbours[first]
                for other in others:
                    product = np.bitwise_and(product, neighbours[other], out=scratch)
                fresh ^= product
            state = fresh
            yield state

    def normal_form(self) -> frozenset[int]:
        """Return the terms of the algebraic normal form, each a mask of 4 left, 2 centre, 1 right.

        >>> sorted(ElementaryRule(90).normal_form())  # left xor right
        [1, 4]
        """
        coefficients = self.table.copy()
        for bit in (1, 2, 4):  # the Moebius transform over subsets of neighbours
            for i in range(8):
                if i & bit:
                    coefficients[i] ^= coefficients[i ^ bit]
        return frozenset(int(i) for i in np.flatnonzero(coefficients))

    def run(self, cells: ArrayLike, steps: int) -> Cells:
        """Return the next ``steps`` states of rings, (steps, ..., width)."""
        cells = check_cells(cells, 1)
        if steps == 0:
            return np.empty((0, *cells.shape), dtype=np.uint8)
        if cells.shape[-1] == WORD:
            states = self.iterate_words(pack_cells(cells))
            return unpack_cells(np.stack([next(states) for _ in range(steps)]))
        history: list[Cells] = []
        for _ in range(steps):
            cells = self.step(cells)
            history.append(cells)
        return np.stack(history)

    def sample_words(self, num_samples: int, burn_in: int, window: int, seed: Seed) -> Words:
        """Draw rings of 64 cells on the attractor with their futures, packed.

        Bernoulli(1/2) cells, ``burn_in`` steps without record, then the state and its next
        ``window`` states (appendix A).

        Returns:
            (window + 1, num_samples); entry 0 is the input.
        """
        return self.sample_ensembles(num_samples, burn_in, window, [seed])[0]

    def sample_ensembles(
        self, num_samples: int, burn_in: int, window: int, seeds: Sequence[Seed]
    ) -> Words:
        """Draw one ensemble per seed, all stepped together: short arrays cost as much as long ones.

        Returns:
            (num_seeds, window + 1, num_samples); each is what ``sample_words`` gives for its seed.
        """
        generators = [numpy_generator(seed, "cells") for seed in seeds]
        words = np.stack(
            [g.integers(0, 2**64, size=num_samples, dtype=np.uint64) for g in generators]
        )
        states = self.iterate_words(words)
        for _ in range(burn_in):
            words = next(states)
        return np.stack([words, *(next(states) for _ in range(window))], axis=1)


def unique_rules() -> list[int]:
    """List the smallest number of every class under mirror and colour swap: 88 rules.

    >>> len(unique_rules())
    88
    """
    return sorted({min(ElementaryRule(number).equivalents()) for number in range(256)})


def pack_cells(cells: Cells) -> Words:
    """Pack rings (..., 64) into words (...,); bit i is cell i."""
    return pack_rows(cells)[..., 0]


def unpack_cells(words: Words) -> Cells:
    """Unpack words (...,) into rings (..., 64)."""
    return unpack_rows(words[..., None], WORD)


def _from_table(table: Cells) -> ElementaryRule:
    return ElementaryRule(int((table.astype(int) << np.arange(8)).sum()))

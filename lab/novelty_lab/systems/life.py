"""Life-like cellular automata: a cell is born or survives by how many of its eight neighbours live.

On the CPU 64 cells of a row are one machine word; the neighbours of all of them are counted by
bitwise adders. ``life_batch`` runs many rules at once, on a GPU too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.seeds import Seed, numpy_generator
from novelty_lab.systems.cells import (
    WORD,
    Cells,
    Words,
    check_cells,
    count_planes,
    pack_rows,
    select_next,
    unpack_rows,
)

NUM_COUNTS = 9
NUM_RULES = 1 << (2 * NUM_COUNTS)
"""How many life-like rules there are: 2^18."""


class LifeRule:
    """Born with a neighbour count in B, survives with one in S: one of 2^18 rules.

    Read are ``B3/S23`` (either case, either order, with or without the stroke), ``23/3`` (survival
    first, as MCell writes it), and Wolfram's outer totalistic code, in which bit 2k + c is the next
    state of a cell in state c with k living neighbours. A code is a number, never a text: "23" may
    be half of a rule.

    Args:
        rule: one of these notations.

    >>> LifeRule("b3s23").number, str(LifeRule(224)), LifeRule("23/3") == LifeRule("S23/B3")
    (224, 'B3/S23', True)
    >>> blinker = np.zeros((5, 5), dtype=np.uint8)
    >>> blinker[2, 1:4] = 1
    >>> LifeRule("B3/S23").step(blinker)[:, 2]
    array([0, 1, 1, 1, 0], dtype=uint8)
    """

    def __init__(self, rule: str | int) -> None:
        self.birth, self.survival = _parse(rule)

    @staticmethod
    def of(birth: Iterable[int], survival: Iterable[int]) -> LifeRule:
        """Make the rule of two sets of neighbour counts."""
        rule = LifeRule(0)
        rule.birth, rule.survival = frozenset(birth), frozenset(survival)
        for name, counts in (("birth", rule.birth), ("survival", rule.survival)):
            if not counts <= set(range(NUM_COUNTS)):
                raise UserError(f"expected {name} counts from 0 to 8, got {sorted(counts)}")
        return rule

    @staticmethod
    def at(birth_mask: int, survival_mask: int) -> LifeRule:
        """Make the rule of two masks of nine bits: its place on the map of all rules."""
        for name, mask in (("birth_mask", birth_mask), ("survival_mask", survival_mask)):
            if not 0 <= mask < 1 << NUM_COUNTS:
                raise UserError(f"{name} must be from 0 to 511, got {mask}")
        return LifeRule.of(_bits(birth_mask), _bits(survival_mask))

    @property
    def number(self) -> int:
        """Wolfram's outer totalistic code."""
        return sum(1 << 2 * k for k in self.birth) + sum(2 << 2 * k for k in self.survival)

    @property
    def birth_mask(self) -> int:
        """The birth counts as nine bits."""
        return sum(1 << k for k in self.birth)

    @property
    def survival_mask(self) -> int:
        """The survival counts as nine bits."""
        return sum(1 << k for k in self.survival)

    def complemented(self) -> LifeRule:
        """Return the rule with dead and living exchanged.

        >>> str(LifeRule("B3678/S34678").complemented())  # Day & Night is its own
        'B3678/S34678'
        """
        every = range(NUM_COUNTS)
        return LifeRule.of(
            (k for k in every if 8 - k not in self.survival),
            (k for k in every if 8 - k not in self.birth),
        )

    def step(self, cells: ArrayLike) -> Cells:
        """Advance tori by one step, by the definition: cells (..., height, width) of 0 and 1."""
        cells = check_cells(cells, 2)
        neighbours = np.zeros_like(cells)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if (down, right) != (0, 0):
                    neighbours += np.roll(cells, (down, right), (-2, -1))
        return self._table()[cells, neighbours]

    def iterate(self, cells: ArrayLike) -> Iterator[Cells]:
        """Yield the next states of tori, endlessly, from packed words."""
        cells = check_cells(cells, 2)
        width = cells.shape[-1]
        for words in self.iterate_words(pack_rows(cells), width):
            yield unpack_rows(words, width)

    def iterate_words(self, words: Words, width: int) -> Iterator[Words]:
        """Yield the next states of packed tori (..., height, words), endlessly."""
        full = ~np.uint64(0)
        born, survives = (
            [full if k in counts else np.uint64(0) for k in range(NUM_COUNTS)]
            for counts in (self.birth, self.survival)
        )
        while True:
            left, right = _shifted(words, width)
            planes = count_planes(words, left, right, lambda x, by: np.roll(x, by, -2))
            words = _trimmed(select_next(words, planes, born, survives), width)
            yield words

    def run(self, cells: ArrayLike, steps: int) -> Cells:
        """Return the next ``steps`` states of tori, (steps, ..., height, width)."""
        history = list(islice(self.iterate(cells), steps))
        return np.stack(history) if history else check_cells(cells, 2)[None][:0]

    def advance(self, cells: ArrayLike, steps: int) -> Cells:
        """Return the state of tori ``steps`` steps later."""
        cells = check_cells(cells, 2)
        words, width = pack_rows(cells), cells.shape[-1]
        states = self.iterate_words(words, width)
        for _ in range(steps):
            words = next(states)
        return unpack_rows(words, width)

    def _table(self) -> Cells:
        table = np.zeros((2, NUM_COUNTS), dtype=np.uint8)
        table[0, sorted(self.birth)] = 1
        table[1, sorted(self.survival)] = 1
        return table

    def __str__(self) -> str:
        born, survives = ("".join(map(str, sorted(x))) for x in (self.birth, self.survival))
        return f"B{born}/S{survives}"

    def __repr__(self) -> str:
        return f'LifeRule("{self}")'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LifeRule) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


def soup(num_samples: int, height: int, width: int, density: float, seed: Seed) -> Cells:
    """Draw tori of independent cells that live with probability ``density``."""
    if not 0 <= density <= 1:
        raise UserError(f"density must be from 0 to 1, got {density}")
    generator = numpy_generator(seed, "cells")
    return (generator.random((num_samples, height, width)) < density).astype(np.uint8)


def _shifted(words: Words, width: int) -> tuple[Words, Words]:
    """Return the words of every cell's left and of every cell's right neighbour."""
    one, top, last = np.uint64(1), np.uint64(WORD - 1), np.uint64((width - 1) % WORD)
    left, right = words << one, words >> one
    left[..., 1:] |= words[..., :-1] >> top
    left[..., 0] |= (words[..., -1] >> last) & one
    right[..., :-1] |= words[..., 1:] << top
    right[..., -1] |= (words[..., 0] & one) << last
    return left, right


def _trimmed(words: Words, width: int) -> Words:
    """Clear the bits beyond the last cell of a row, which a birth without neighbours would set."""
    if width % WORD:
        words[..., -1] &= np.uint64((1 << width % WORD) - 1)
    return words


def _bits(mask: int) -> list[int]:
    return [k for k in range(NUM_COUNTS) if mask >> k & 1]


_FORMS = (
    r"B(?P<birth>[0-8]*)/?S(?P<survival>[0-8]*)",
    r"S(?P<survival>[0-8]*)/?B(?P<birth>[0-8]*)",
    r"(?P<survival>[0-8]*)/(?P<birth>[0-8]*)",
)


def _parse(rule: str | int) -> tuple[frozenset[int], frozenset[int]]:
    if isinstance(rule, (int, np.integer)) and not isinstance(rule, bool):
        if not 0 <= rule < NUM_RULES:
            raise UserError(f"rule code must be from 0 to {NUM_RULES - 1}, got {rule}")
        born, survives = (
            [k for k in range(NUM_COUNTS) if int(rule) >> 2 * k & bit] for bit in (1, 2)
        )
        return frozenset(born), frozenset(survives)
    if not isinstance(rule, str):
        raise UserTypeError(f'expected a rule such as "B3/S23" or its code, got {rule!r}')
    text = rule.strip().upper()
    for form in _FORMS:
        match = re.fullmatch(form, text)
        if match and all(len(set(digits)) == len(digits) for digits in match.groupdict().values()):
            sets = {name: frozenset(map(int, digits)) for name, digits in match.groupdict().items()}
            return sets["birth"], sets["survival"]
    raise UserError(
        f'expected a rule such as "B3/S23", "b3s23" or "23/3", each count from 0 to 8 once, or a '
        f"code as a number; got {rule!r}"
    )

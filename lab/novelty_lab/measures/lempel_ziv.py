"""Lempel-Ziv complexity, in linear time.

Lempel and Ziv, On the complexity of finite sequences, IEEE Trans. Inf. Theory 22 (1976).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from novelty_lab.measures.registry import Answer, Measure
from novelty_lab.measures.series import as_series, symbols

LEVELS = 2
"""Symbols that a value is read as: below its column's median, or not."""


def lempel_ziv_rate(series: Any) -> float:
    """Return the normalized complexity c log2(n) / n of a series read as binary text.

    c is the number of phrases of the text, n its length. It tends to the entropy rate, 1 bit per
    symbol for fair coins, from above and slowly.
    """
    text = symbols(as_series(series), LEVELS)
    return phrases(text.tolist()) * math.log2(text.size) / text.size


def phrases(text: Sequence[Any]) -> int:
    """Count the phrases of the exhaustive history of 1976.

    A phrase is the shortest piece text[i..j] that does not occur in text[..j-1]; a copy may overlap
    itself, and the last phrase may be unfinished. A suffix automaton of what was read so far says
    at each symbol whether the piece occurs, so the whole takes one pass.

    >>> phrases("0001101001000101")  # 0 001 10 100 1000 101, the example of the paper
    6
    """
    automaton = _SuffixAutomaton()
    count, state, length = 0, 0, 0
    for index, symbol in enumerate(text):
        if index:
            automaton.append(text[index - 1])
            # A new symbol may have split the class of the piece read so far.
            while state and length <= automaton.longest[automaton.link[state]]:
                state = automaton.link[state]
        following = automaton.following[state].get(symbol)
        if following is None:
            count, state, length = count + 1, 0, 0
        else:
            state, length = following, length + 1
    return count + (length > 0)


class _SuffixAutomaton:
    """All pieces of a growing text: Blumer et al., Theor. Comput. Sci. 40 (1985).

    A state is a set of pieces that end at the same places; its suffix link leads to the longest
    piece that ends at more of them.
    """

    def __init__(self) -> None:
        self.following: list[dict[Any, int]] = [{}]
        self.link = [-1]
        self.longest = [0]
        self._whole = 0

    def append(self, symbol: Any) -> None:
        """Add one symbol at the end."""
        fresh = self._add({}, self.longest[self._whole] + 1)
        state = self._whole
        while state >= 0 and symbol not in self.following[state]:
            self.following[state][symbol] = fresh
            state = self.link[state]
        self.link[fresh] = 0 if state < 0 else self._reached(state, symbol)
        self._whole = fresh

    def _reached(self, state: int, symbol: Any) -> int:
        """Return the state of exactly the pieces of a state followed by a symbol."""
        target = self.following[state][symbol]
        if self.longest[target] == self.longest[state] + 1:
            return target
        split = self._add(dict(self.following[target]), self.longest[state] + 1)
        self.link[split], self.link[target] = self.link[target], split
        while state >= 0 and self.following[state].get(symbol) == target:
            self.following[state][symbol] = split
            state = self.link[state]
        return split

    def _add(self, following: dict[Any, int], longest: int) -> int:
        self.following.append(following)
        self.link.append(-1)
        self.longest.append(longest)
        return len(self.following) - 1


MEASURE = Measure(
    key="lempel_ziv",
    label="Lempel-Ziv 1976",
    unit="bits per symbol",
    sees="rows",
    answer=lambda data: Answer(lempel_ziv_rate(data.series), "above or below the median"),
)

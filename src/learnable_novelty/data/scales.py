"""Answers that have an order: words of a scale, numbered answers, and bands such as 18-24."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from importlib.resources import files

FEWEST = 3
"""Answers that have an order; two are as well a category."""
_SIGNS = str.maketrans({"\u2019": "'", "\u2013": "-"})
_NUMBERED = re.compile(r"\(?(\d{1,2})\)?\s*[-=:.)]\s*[^\d\s].*")
_UNIT = (
    r"(?:\s*(?:%|€|\$|k|years?|yrs?|y|yo|jahren?|jahre?|ans?|années?|años?|anni|anos?|months?|"
    r"monate?|mois|meses|weeks?|wochen?|days?|tage?|jours?|hours?|hrs?|h|stunden?|minutes?|min|"
    r"km|m|cm|kg|g|employees|people|persons|rooms|items|times))?"
)
_NUMBER = r"[€$]?\s*(\d+(?:[.,' ]\d{3})*(?:\.\d+)?)"
_BAND = re.compile(rf"{_NUMBER}{_UNIT}\s*(?:-|to|bis|à|a|until)\s*{_NUMBER}{_UNIT}")
_BELOW = re.compile(
    r"(?:<=?|≤|under|below|less than|up to|unter|weniger als|bis|moins de|jusqu'à|menos de|"
    rf"meno di|fino a)\s*{_NUMBER}{_UNIT}"
)
_ABOVE = re.compile(
    r"(?:>=?|≥|over|above|more than|über|mehr als|ab|plus de|más de|mais de|più di)\s*"
    rf"{_NUMBER}{_UNIT}|{_NUMBER}{_UNIT}\s*(?:\+|(?:and|or|und|oder|et|ou|y|o|e)\s+"
    rf"(?:more|over|older|above|mehr|älter|plus|más|mais|più|oltre)){_UNIT}"
)
_PLAIN = re.compile(_NUMBER + _UNIT)


@functools.cache
def _scales() -> tuple[dict[str, int], ...]:
    """Read the scales: a line for each, with ; between its steps and / between equal words."""
    text = files("learnable_novelty.data").joinpath("scales.txt").read_text(encoding="utf-8")
    lines = (line.split(";") for line in text.splitlines())
    return tuple(
        {word.strip(): rank for rank, step in enumerate(steps) for word in step.split("/")}
        for steps in lines
    )


def ordered_values(levels: Sequence[str]) -> list[float] | None:
    """Return a number for each answer, in the order that they mean; None for other texts.

    >>> ordered_values(["agree", "disagree", "neutral", "strongly agree"])
    [3.0, 1.0, 2.0, 4.0]
    >>> ordered_values(["18-24", "25-34", "35+", "<18"]), ordered_values(["red", "blue", "green"])
    ([2.0, 3.0, 4.0, 1.0], None)
    """
    if len(levels) < FEWEST:
        return None
    words = [re.sub(r"\s+", " ", one.strip().lower().translate(_SIGNS)) for one in levels]
    plain = [re.sub(r"[ _/-]+", " ", word).rstrip(".") for word in words]
    for scale in _scales():
        if all(word in scale for word in plain) and len({scale[w] for w in plain}) == len(plain):
            return _ranks([(scale[word], scale[word]) for word in plain])
    numbered = [_NUMBERED.fullmatch(word) for word in words]
    numbers = [float(match[1]) for match in numbered if match is not None]
    if len(set(numbers)) == len(words):
        return numbers
    bands = [_band(word) for word in words]
    known = [band for band in bands if band is not None]
    if len(known) < len(words):
        return None
    if all(low == high for low, high in known) and len(set(known)) == len(known):
        return [low for low, _ in known]
    in_order = sorted(known)
    apart = all(b[0] >= a[1] and b > a for a, b in itertools.pairwise(in_order))
    return _ranks(known) if apart else None


def _ranks(places: Sequence[tuple[float, float]]) -> list[float]:
    rank = {place: float(k) for k, place in enumerate(sorted(set(places)), start=1)}
    return [rank[place] for place in places]


def _band(word: str) -> tuple[float, float] | None:
    """Return the ends of 18-24, of <18, of 65+ or of 5 years."""

    def number(text: str) -> float:
        return float(re.sub(r"[,' ]|\.(?=\d{3}\b)", "", text))

    if match := _BAND.fullmatch(word):
        low, high = number(match[1]), number(match[2])
        return (low, high) if low < high else None
    if match := _BELOW.fullmatch(word):
        return -1.0, number(match[1])
    if match := _ABOVE.fullmatch(word):
        return number(match[1] or match[2]), float("inf")
    if match := _PLAIN.fullmatch(word):
        return number(match[1]), number(match[1])
    return None

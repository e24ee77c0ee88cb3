"""The life-like rules that have a name, and which of them are known to have gliders.

Names are those of LifeWiki's list of Life-like rules, which took in the older ones of Mirek's
Cellebration. A glider is any finite pattern that returns moved, a spaceship. "Yes" stands where a
source names one; that Life's own glider moves under a rule is checked by the tests. "No" is proved,
never presumed: see :func:`why_no_gliders`. All else is unknown.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from importlib import resources

from learnable_novelty.systems.life import LifeRule


@dataclass(frozen=True)
class NamedRule:
    """A rule of the literature."""

    name: str
    rule: LifeRule
    gliders: bool | None
    """Whether it has gliders; None: not known here."""
    source: str
    """Who says so: a source, or the proof."""


UNIVERSAL: dict[str, str] = {
    "Life": "Berlekamp, Conway and Guy 1982: universal computation",
    "AntiLife": "Life with dead and living exchanged",
    "Life without Death": "Griffeath and Moore 1996: its prediction is P-complete",
}
"""Named rules that are known to compute, and who showed it."""


@functools.cache
def named_rules() -> tuple[NamedRule, ...]:
    """Return the catalogue, by rule.

    >>> [one.name for one in named_rules() if one.rule == LifeRule("B36/S23")]
    ['HighLife']
    """
    text = resources.files("learnable_novelty.systems").joinpath("life_catalogue.csv").read_text()
    return tuple(_read(row) for row in csv.DictReader(text.splitlines()))


def _read(row: dict[str, str]) -> NamedRule:
    rule = LifeRule(row["rule"])
    if row["gliders"] == "yes":
        return NamedRule(row["name"], rule, True, row["source"])
    proof = why_no_gliders(rule)
    return NamedRule(row["name"], rule, False if proof else None, proof or "")


def why_no_gliders(rule: LifeRule) -> str | None:
    """Return the reason why no finite pattern can move, or None if there is none of these three.

    A rule whose empty plane is not still (birth without neighbours) is judged by its complement,
    if that one's is; otherwise not at all.

    >>> why_no_gliders(LifeRule("B45/S12345"))
    'a birth outside the bounding box has at most three neighbours'
    """
    if 0 in rule.birth:
        swapped = rule.complemented()
        return None if 0 in swapped.birth else why_no_gliders(swapped)
    if 1 in rule.birth:
        return "one neighbour is enough: every pattern grows on all sides, at every step"
    if not rule.birth & {2, 3}:
        return "a birth outside the bounding box has at most three neighbours"
    if len(rule.survival) == 9:
        return "no cell ever dies"
    return None

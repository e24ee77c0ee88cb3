"""The life-like rules that have a name, and which of them are known to have gliders.

Names are those of LifeWiki's list of Life-like rules, which took in the older ones of Mirek's
Cellebration, and of the papers that a row names. A glider is any finite pattern that returns
moved, a spaceship. "Yes" stands where a source names one, or where one is shown: Life's own glider,
or a pattern of the catalogue that this project's meter found; the tests run both. "No" is proved,
never presumed: see :func:`why_no_gliders`. All else is unknown.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from importlib import resources

from novelty_lab.systems.life import LifeRule


@dataclass(frozen=True)
class NamedRule:
    """A rule of the literature."""

    name: str
    rule: LifeRule
    gliders: bool | None
    """Whether it has gliders; None: not known here."""
    source: str
    """Who says so: a source, or the proof."""
    pattern: str = ""
    """A glider that was found here, in run-length notation."""
    also: tuple[str, ...] = ()
    """Other names."""


UNIVERSAL: dict[str, str] = {
    "Life": "Universal computation (Berlekamp, Conway and Guy 1982)",
    "AntiLife": "Universal computation, as in Life",
    "Life without Death": "Its prediction is P-complete (Griffeath and Moore 1996)",
    "B2/S2345": "Logic gates and binary adders are built in it (Martínez et al.)",
}
"""Named rules that are known to compute, and who showed it."""


@functools.cache
def named_rules() -> tuple[NamedRule, ...]:
    """Return the catalogue, by rule.

    >>> [one.name for one in named_rules() if one.rule == LifeRule("B36/S23")]
    ['HighLife']
    """
    file = resources.files("novelty_lab.systems").joinpath("life_catalogue.csv")
    return tuple(_read(row) for row in csv.DictReader(file.read_text("utf-8").splitlines()))


def _read(row: dict[str, str]) -> NamedRule:
    rule, also = LifeRule(row["rule"]), tuple(filter(None, row["also"].split("; ")))
    if row["gliders"] == "yes":
        return NamedRule(row["name"], rule, True, row["source"], row["pattern"], also)
    proof = why_no_gliders(rule)
    return NamedRule(row["name"], rule, False if proof else None, proof or "", "", also)


def why_no_gliders(rule: LifeRule) -> str | None:
    """Return the reason why no finite pattern can move, or None if there is none of these three.

    A rule whose empty plane is not still (birth without neighbours) is judged by its complement,
    if that one's is; otherwise not at all.

    >>> why_no_gliders(LifeRule("B3/S012345678"))
    'no cell ever dies'
    """
    if 0 in rule.birth:
        swapped = rule.complemented()
        return None if 0 in swapped.birth else why_no_gliders(swapped)
    if 1 in rule.birth:
        return "every pattern grows on all sides at every step, for one neighbour is enough"
    if not rule.birth & {2, 3}:
        return (
            "nothing leaves its bounding box, for a cell outside has at most three living "
            "neighbours, and births here need more"
        )
    if len(rule.survival) == 9:
        return "no cell ever dies"
    return None

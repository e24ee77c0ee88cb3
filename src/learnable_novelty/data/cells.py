"""Numbers, dates and gaps in cells of text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from learnable_novelty.data.headers import MARKERS

_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}([-/]\d{1,2})?([ T]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}( .*)?"
    r"|[A-Za-z]{3,9}\.? \d{1,2},? \d{2,4}( .*)?|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}"
    r"|[A-Za-z]{3,9} \d{4}|\d{4}-?[Qq][1-4]"
)
"""What a date looks like, before pandas reads it: it would read many other texts as dates."""


MOST_WORDS = 3
"""Words that may stand between numbers."""


def cell_of(value: Any) -> Any:
    """Return a value, text without spaces around it, or None where it is missing."""
    if isinstance(value, str):
        value = value.strip()
        return None if value in MARKERS else value
    if value is None or value is np.ma.masked:
        return None
    try:
        return None if value != value else value
    except (TypeError, ValueError):  # pandas.NA has no truth; arrays have many
        return None if type(value).__name__ == "NAType" else value


def numbers_in_text(cells: list[str], decimal: str = ".") -> np.ndarray | None:
    """Return numbers with thousands separators, a currency sign or a percent sign; None for others.

    All cells must be written alike: each group of thousands has three digits. A minus sign may be
    the typographic one, or parentheses as in accounts.

    >>> numbers_in_text(["$1,200", "$950"])
    array([1200.,  950.])
    >>> numbers_in_text(["1,20", "950"]) is None
    True
    >>> numbers_in_text(["(1.5)", "\u22122"])
    array([-1.5, -2. ])
    """
    if not cells:
        return None
    groups = "[,'\u00a0 ]" if decimal == "." else "[.'\u00a0 ]"
    number = rf"(?:\d{{1,3}}(?:{groups}\d{{3}})+|\d*)(?:{re.escape(decimal)}\d*)?(?:[eE][+-]?\d+)?"
    pattern = re.compile(rf"([+-]?)\s*([$€£]?)\s*([+-]?)({number})\s*(%?)")
    matches = []
    for cell in cells:
        match = pattern.fullmatch(_with_plain_minus(cell))
        if match is None or not re.search(r"\d", match[4]):
            return None
        matches.append(match)
    if len({one[2] for one in matches}) > 1 or len({one[5] for one in matches}) > 1:
        return None
    texts = (re.sub(groups, "", one[4]).replace(decimal, ".") for one in matches)
    try:
        return np.array(
            [float(f"{one[1] or one[3]}{text}") for one, text in zip(matches, texts, strict=True)]
        )
    except ValueError:
        return None


def numbers_and_words(cells: list[str], decimal: str = ".") -> tuple[np.ndarray, list[str]] | None:
    """Return numbers, and the few words between them, which are gaps; None for other texts.

    Most cells must be numbers, and words have no digits: "k.A.", "Total".

    >>> numbers_and_words(["1,5", "k.A.", "2,5"], decimal=",")
    (array([1.5, nan, 2.5]), ['k.A.'])
    """
    words = {cell for cell in set(cells) if not re.search(r"\d", cell)}
    places = [k for k, cell in enumerate(cells) if cell not in words]
    if not words or len(words) > MOST_WORDS or 2 * len(places) <= len(cells):
        return None
    numbers = numbers_in_text([cells[k] for k in places], decimal)
    if numbers is None:
        return None
    values = np.full(len(cells), np.nan)
    values[places] = numbers
    return values, sorted(words)


def _with_plain_minus(cell: str) -> str:
    """Write the typographic minus sign, and the parentheses of accounts, as a minus sign."""
    match = re.fullmatch(r"\(([$€£.\d].*)\)", cell)
    cell = cell if match is None else f"-{match[1]}"
    return cell.replace("\u2212", "-")


def spread(numbers: np.ndarray, cells: list[Any]) -> np.ndarray:
    """Put numbers in the places of cells that are not missing."""
    values = np.full(len(cells), np.nan)
    values[[cell is not None for cell in cells]] = numbers
    return values


def dates_in_text(cells: list[Any], present: list[str]) -> np.ndarray | None:
    """Return dates if all cells look like dates and can be read."""
    import pandas as pd

    if not present or not all(_DATE.fullmatch(cell) for cell in present):
        return None
    texts = pd.Series([None if cell is None else str(cell) for cell in cells], dtype=object)
    if re.fullmatch(r"\d{4}-?[Qq][1-4]", present[0]):
        try:
            dates = pd.PeriodIndex(texts.str.upper().str.replace("-", ""), freq="Q").to_timestamp()
        except (ValueError, TypeError):
            return None
        return dates.to_numpy("datetime64[ns]")
    day_first = any(re.match(r"(1[3-9]|2\d|3[01])[-/.]", cell) for cell in present)
    try:
        dates = pd.to_datetime(texts, format="mixed", dayfirst=day_first, utc=True)
    except (ValueError, TypeError, OverflowError):
        return None
    return dates.dt.tz_convert(None).to_numpy("datetime64[ns]")

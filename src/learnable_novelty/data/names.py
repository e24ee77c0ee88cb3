"""Columns by name or place: a name wins, and ``#4`` is always a place."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.text import printable

Names = str | Sequence[str | int] | None
"""Columns: text with commas, quoted as in CSV where a name holds a comma; or a list."""


def positions(names: Sequence[str], wanted: str | Sequence[str | int], where: str) -> list[int]:
    """Turn names or places, which count from 0, into places.

    >>> positions(["a", "3", "c", "d"], "3,#3,0", "t.csv")
    [1, 3, 0]
    """
    chosen = split_names(wanted) if isinstance(wanted, str) else list(wanted)
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    return [_position(names, places, one, where) for one in chosen]


def _position(names: Sequence[str], places: dict[str, int], one: str | int, where: str) -> int:
    if isinstance(one, bool) or not isinstance(one, (str, int)):
        raise UserTypeError(
            f"expected names or numbers of columns of {where}, got {type(one).__name__}"
        )
    text = str(one)
    name = text if text in places else text.strip()
    if name in places:
        return places[name]
    place = re.fullmatch(r"#?(\d{1,9})", name)
    if place is not None and int(place[1]) < len(names):
        return int(place[1])
    listed = ", ".join(map(printable, names[:12])) + (", ..." if len(names) > 12 else "")
    raise UserError(f"expected a column of {where} ({listed}), got {text!r}")


def select(
    names: Sequence[str], inputs: Names, targets: Names, where: str
) -> tuple[list[int], list[int]]:
    """Return places of inputs and of targets; all but the targets are inputs by default."""
    chosen = [] if targets is None else positions(names, targets, where)
    taken = set(chosen)
    rest = [k for k in range(len(names)) if k not in taken]
    wanted = rest if inputs is None else positions(names, inputs, where)
    if not wanted:
        raise UserError(f"expected input columns in {where}, none are left beside the targets")
    return wanted, chosen


def split_names(text: str) -> list[str]:
    """Divide text at its commas, but for those between quotes.

    >>> split_names('"a,b", c')
    ['a,b', 'c']
    """
    try:
        return next(csv.reader([text], skipinitialspace=True), None) or [""]
    except csv.Error as error:
        raise UserError(f"expected names of columns separated by commas, got {text!r}") from error


def as_option(flag: str, names: Sequence[str]) -> list[str]:
    """Return the words of a command that name columns.

    >>> as_option("--inputs", ["a,b", "c"]), as_option("--targets", ["-x"])
    (['--inputs', '"a,b",c'], ['--targets=-x'])
    """
    text = ",".join(map(quoted, names))
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


def quoted(name: str) -> str:
    """Quote a name as ``split_names`` reads it, if it holds a comma, a quote or outer spaces.

    >>> quoted("a,b"), split_names(quoted('size 5" pipe'))
    ('"a,b"', ['size 5" pipe'])
    """
    special = "," in name or '"' in name or name != name.strip()
    return '"' + name.replace('"', '""') + '"' if special else name

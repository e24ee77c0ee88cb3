"""Tables of records: a column is a heading and the format of its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from novelty_lab.report import Table


def table(title: str, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> Table:
    """Make a table from format strings, one for each column.

    >>> rows = [{"name": "Lorenz", "bits": 45.83}]
    >>> table("Flows", {"flow": "{name}", "bits": "{bits:.1f}"}, rows).rows
    [['Lorenz', '45.8']]
    """
    cells = [[form.format_map(row) for form in columns.values()] for row in rows]
    return Table(title, list(columns), cells)


def named(entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turn entries by name into rows that hold their name."""
    return [{"name": name, **entry} for name, entry in entries.items()]


def in_words(name: str) -> str:
    """Write a setting and its value in words.

    >>> in_words("kernel_size=5")
    'kernel size 5'
    """
    return name.replace("_", " ").replace("=", " ")

"""Tables of records: a column is a heading and the format of its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from novelty_lab.report import Table


def table(
    title: str,
    columns: Mapping[str, str | Callable[[Mapping[str, Any]], str]],
    rows: Iterable[Mapping[str, Any]],
    unbroken: Iterable[str] = (),
) -> Table:
    """Make a table from format strings, or functions of a row, one for each column.

    >>> rows = [{"name": "Lorenz", "bits": 45.83}]
    >>> table("Flows", {"flow": "{name}", "bits": "{bits:.1f}"}, rows).rows
    [['Lorenz', '45.8']]
    """
    cells = [
        [form.format_map(row) if isinstance(form, str) else form(row) for form in columns.values()]
        for row in rows
    ]
    return Table(title, list(columns), cells, tuple(unbroken))


def named(entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turn entries by name into rows that hold their name."""
    return [{"name": name, **entry} for name, entry in entries.items()]


def gathered(names: Iterable[str], results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make one row for each name, from all results that are given by name.

    >>> gathered(["a", "b"], {"bits": {"a": 1, "b": 2}, "sd": {"a": 3, "b": 4}, "draws": 8})
    [{'name': 'a', 'bits': 1, 'sd': 3}, {'name': 'b', 'bits': 2, 'sd': 4}]
    """
    by_name = {key: values for key, values in results.items() if isinstance(values, Mapping)}
    return [
        {"name": name, **{key: values[name] for key, values in by_name.items() if name in values}}
        for name in names
    ]


def in_words(name: str) -> str:
    """Write a setting and its value in words.

    >>> in_words("kernel_size=5")
    'kernel size 5'
    """
    return name.replace("_", " ").replace("=", " ")

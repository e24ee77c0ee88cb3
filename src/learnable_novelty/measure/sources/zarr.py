"""Zarr arrays and groups of them. The sizes they claim are checked before anything is read."""

from __future__ import annotations

import functools
from pathlib import Path

from learnable_novelty.errors import UserError
from learnable_novelty.measure.sources.arrays import ArrayColumns, array_source
from learnable_novelty.measure.sources.base import Source
from learnable_novelty.measure.sources.columns import Selection, Table
from learnable_novelty.measure.sources.numpy import array_table
from learnable_novelty.storage import UNREADABLE, quiet_headers
from learnable_novelty.tables.stored import open_node, unreadable_zarr
from learnable_novelty.text import printable


def open_zarr(path: Path) -> Table:
    """Open an array as a table, or a group, whose arrays are one for inputs and one for targets."""
    node = open_node(path)
    if hasattr(node, "shape"):
        return array_table(path.name, functools.partial(open_node, path))
    try:
        with quiet_headers():
            names = sorted(node.array_keys())
    except UNREADABLE as error:
        raise unreadable_zarr(path, error) from None

    def select(chosen: Selection) -> Source:
        if max(len(chosen.inputs), len(chosen.targets)) > 1:
            raise UserError(
                f"expected one array of {path.name} for the inputs and one for the targets; "
                f"choose among {', '.join(map(printable, names))}"
            )
        arrays = [
            ArrayColumns(functools.partial(open_node, path, name), None, f"{name!r} of {path.name}")
            for name in (names[i] for i in chosen.inputs + chosen.targets)
        ]
        return array_source(arrays[0], arrays[1] if chosen.targets else None)

    return Table(names, select)

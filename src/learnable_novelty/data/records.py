"""Tables in JSON: records, columns, or one record in each line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from learnable_novelty.data.frames import frame_of
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError
from learnable_novelty.storage import UNREADABLE

MOST_JSON = 1 << 28
"""Bytes of JSON: as Python objects it takes ten times as much."""


def read_json(packed: Packed) -> Any:
    """Read records, [{"a": 1}, ...], or columns, {"a": [1, ...]}."""
    return _frame_of_json(_parsed(packed, packed_lines=False), packed.name)


def read_jsonl(packed: Packed) -> Any:
    """Read one record in each line."""
    return _frame_of_json(_parsed(packed, packed_lines=True), packed.name)


def _parsed(packed: Packed, *, packed_lines: bool) -> Any:
    with packed.open() as file:
        content = file.read(MOST_JSON + 1)
    if len(content) > MOST_JSON:
        raise UserError(
            f"expected at most {MOST_JSON:,} bytes of JSON in {packed.name}; convert it to Parquet"
        )
    try:
        text = content.decode("utf-8-sig")
        if packed_lines:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"expected JSON in {packed.name}: {error}") from None


def _frame_of_json(data: Any, name: str) -> Any:
    import pandas as pd

    if isinstance(data, Mapping):
        if isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):
            return _checked(pd.DataFrame, name, data["data"], columns=data["columns"])
        tables = [v for v in data.values() if _is_records(v)]
        if len(tables) == 1 and not all(isinstance(v, list) for v in data.values()):
            return _records(tables[0])
        if data and all(isinstance(v, list) for v in data.values()) and not tables:
            return frame_of(data)
        if data and all(isinstance(v, Mapping) for v in data.values()):
            return _checked(pd.DataFrame, name, data)
        if len(tables) == 1:
            return _records(tables[0])
    elif _is_records(data):
        return _records(data)
    elif isinstance(data, list) and data and all(isinstance(row, list) for row in data):
        return _checked(pd.DataFrame, name, data)
    elif isinstance(data, list) and data and not any(isinstance(v, (list, Mapping)) for v in data):
        return pd.DataFrame({"0": data})
    raise UserError(f"expected a list of records in {name}, or lists by the names of columns")


def _records(rows: list[Any]) -> Any:
    """Make a frame of records; one within another has columns such as place.city."""
    import pandas as pd

    nested = any(isinstance(value, Mapping) for row in rows for value in row.values())
    return pd.json_normalize(rows) if nested else pd.DataFrame(rows)


def _is_records(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(row, Mapping) for row in data)


def _checked(make: Callable[..., Any], name: str, *arguments: Any, **options: Any) -> Any:
    try:
        return make(*arguments, **options)
    except UNREADABLE as error:
        raise UserError(f"expected a table in {name}: {' '.join(str(error).split())}") from None

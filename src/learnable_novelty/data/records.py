"""Tables in JSON: records, columns, or one record in each line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from learnable_novelty.data.frames import frame_of
from learnable_novelty.data.unpack import Packed
from learnable_novelty.errors import UserError
from learnable_novelty.storage import MOST_JSON, check_cells

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(packed: Packed) -> Any:
    """Read records, [{"a": 1}, ...], or columns, {"a": [1, ...]}."""
    return _frame(_parsed(packed, in_lines=False), packed)


def read_jsonl(packed: Packed) -> Any:
    """Read one record in each line."""
    return _frame(_parsed(packed, in_lines=True), packed)


def _parsed(packed: Packed, *, in_lines: bool) -> Any:
    if len(packed.content) > MOST_JSON:
        raise UserError(
            f"expected at most {MOST_JSON:,} bytes of JSON in {packed.name}; convert it to Parquet"
        )
    try:
        text = packed.content.decode("utf-8-sig")
        lines = [line for line in text.splitlines() if line.strip()] if in_lines else [text]
        parsed = [json.loads(line) for line in lines]
        if _SURROGATE.search(text):  # half of a character, which no text can hold
            json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise UserError(f"expected JSON in {packed.name}: {error}") from None
    return parsed if in_lines else parsed[0]


def _frame(data: Any, packed: Packed) -> Any:
    if isinstance(data, Mapping):
        names, rows = data.get("columns"), data.get("data")
        if isinstance(names, list) and isinstance(rows, list):
            return _of_rows(rows, names, packed)
        values, tables = list(data.values()), [v for v in data.values() if _is_records(v)]
        if values and all(isinstance(v, list) for v in values) and not tables:
            check_cells(packed.name, max(map(len, values)), len(values), packed.size, text=True)
            return frame_of(data)
        if len(tables) == 1:
            return _of_records(tables[0], packed)
        if values and all(isinstance(v, Mapping) for v in values):  # columns of cells by row
            rows = list(dict.fromkeys(row for column in values for row in column))
            check_cells(packed.name, len(rows), len(values), packed.size, text=True)
            return frame_of({k: [v.get(row) for row in rows] for k, v in data.items()})
    elif _is_records(data):
        return _of_records(data, packed)
    elif isinstance(data, list) and data and all(isinstance(row, list) for row in data):
        return _of_rows(data, [str(k) for k in range(max(map(len, data)))], packed)
    elif isinstance(data, list) and data and not any(isinstance(v, (list, Mapping)) for v in data):
        return frame_of({"0": data})
    raise UserError(
        f"expected a list of records in {packed.name}, or lists by the names of columns"
    )


def _is_records(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(row, Mapping) for row in data)


def _of_rows(rows: list[Any], names: list[Any], packed: Packed) -> Any:
    if any(isinstance(name, (list, Mapping)) for name in names):
        raise UserError(f"expected names of columns in {packed.name}, got lists or records")
    odd = next((row for row in rows if not isinstance(row, list) or len(row) > len(names)), None)
    if odd is not None:
        raise UserError(
            f"expected rows of at most {len(names)} cells in {packed.name}, got {str(odd)[:60]}"
        )
    check_cells(packed.name, len(rows), len(names), packed.size, text=True)
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise UserError(f"expected columns of different names in {packed.name}")
    return frame_of(
        {name: [row[k] if k < len(row) else None for row in rows] for k, name in enumerate(texts)}
    )


def _of_records(rows: list[Any], packed: Packed) -> Any:
    """Make a frame of records; one within another has columns such as place.city."""
    flat = [dict(_cells(row)) for row in rows]
    names: dict[str, None] = {}
    for row in flat:
        names.update(dict.fromkeys(row))
        check_cells(packed.name, len(flat), len(names), packed.size, text=True)
    return frame_of({name: [row.get(name) for row in flat] for name in names})


def _cells(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value

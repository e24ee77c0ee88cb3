"""Read and score an uploaded file: bounded, never unpickled, with errors of one sentence."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.measure import CHOOSE, Columns, column_names, open_columns, score
from learnable_novelty.text import printable

LARGEST = 20_000_000
"""Bytes of an upload."""
MOST_ROWS, MOST_NUMBERS = 200_000, 5_000_000
"""Rows, and numbers in all windows: they take under half a minute and about a gigabyte."""
SUFFIXES = (".csv", ".tsv", ".npy")
"""Formats that are never much larger in memory than in the file."""


def score_upload(name: str, content: bytes, options: dict[str, str]) -> dict[str, Any]:
    """Score uploaded bytes as ``novelty score`` scores a file.

    Args:
        name: of the user's file; its ending gives the format, the rest is for messages.
        content: the bytes of the file.
        options: ``inputs``, ``targets`` (columns), ``window``, ``history`` (whole numbers).

    Raises:
        UserError: in one sentence, for anything that cannot be scored.
    """
    window = _whole("window", options.get("window"))
    history = _whole("history", options.get("history")) or 1
    targets, inputs = options.get("targets") or None, options.get("inputs") or None
    with _uploaded(name, content) as path:
        if targets is None and window is None:
            raise UserError("expected target columns, or a window if rows are moments in time")
        data = open_columns(path, inputs, targets, chunks=False, is_series=window is not None)
        both = sorted(set(data.input_names) & set(data.target_names))
        if both and window is None:
            raise UserError(
                f"expected each column as input or as target, got both: {', '.join(both)}"
            )
        _check_size(data, (window or 0) + history)
        result = score(data.inputs, data.targets, window=window, history=history)
    return {
        "verdict": result.verdict,
        "rows": result.rows(),
        "inputs": [printable(name) for name in data.input_names],
        "targets": [printable(name) for name in data.target_names or data.input_names],
        "decisions": list(data.decisions),
        **result.to_dict(),
    }


def list_columns(name: str, content: bytes, options: dict[str, str]) -> dict[str, Any]:
    """Return the names of the columns of uploaded bytes, to choose from.

    Raises:
        UserError: in one sentence, for a file that is not a table.
    """
    with _uploaded(name, content) as path:
        return {"columns": column_names(path)}


@contextmanager
def _uploaded(name: str, content: bytes) -> Iterator[Path]:
    """Write uploaded bytes to a file; errors name the user's file, not the temporary one."""
    safe = re.sub(r"[^\w.-]+", "_", Path(name).name)[-80:]
    if Path(safe).suffix.lower() not in SUFFIXES:
        raise UserError(f"expected a file ending in {', '.join(SUFFIXES)}, got {safe!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f{safe}"
        path.write_bytes(content)
        try:
            yield path
        except (UserError, ArithmeticError) as error:
            text = " ".join(str(error).split()).replace(str(path), safe).replace(path.name, safe)
            text = text.replace(CHOOSE, "; leave that column out")
            raise UserError(printable(text)) from None


def _check_size(data: Columns, laid_out: int) -> None:
    """Refuse what would keep the machine busy for long."""
    rows = len(data.inputs)
    columns = len(data.input_names) + len(data.target_names)
    if rows > MOST_ROWS or rows * columns * laid_out > MOST_NUMBERS:
        raise UserError(
            f"expected at most {MOST_ROWS:,} rows and {MOST_NUMBERS:,} numbers in all windows "
            f"here, got {rows:,} rows of {columns} columns; score them with novelty score"
        )


def _whole(name: str, text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 4 or not 1 <= int(text) <= 1000:
        expected = f"expected a whole number from 1 to 1000 for the {name}"
        raise UserError(f"{expected}, got {text[:20]!r}")
    return int(text)

"""Read and score a file that the page sends: bounded, never unpickled, errors as one sentence."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError
from learnable_novelty.measure import CHOOSE, Columns, column_names, read_columns, score

LARGEST = 20_000_000
"""Bytes of an upload."""
MOST_ROWS, MOST_NUMBERS = 200_000, 5_000_000
"""Rows, and numbers once windows are laid out: under half a minute and about a gigabyte."""
SUFFIXES = (".csv", ".tsv", ".npy")
"""Formats that cannot unfold into far more than was sent."""


def score_upload(name: str, content: bytes, options: dict[str, str]) -> dict[str, Any]:
    """Score uploaded bytes as ``novelty score`` scores a file.

    Args:
        name: of the user's file; only its ending counts, the rest is for messages.
        content: of the file.
        options: ``inputs``, ``targets`` (columns), ``window``, ``history`` (whole numbers).

    Raises:
        ValueError: in one sentence, for anything that cannot be scored.
    """
    window = _whole("window", options.get("window"))
    history = _whole("history", options.get("history")) or 1
    targets, inputs = options.get("targets") or None, options.get("inputs") or None
    with _uploaded(name, content) as path:
        if targets is None and window is None:
            raise UserError("expected target columns, or a window where rows are time")
        data = read_columns(path, inputs, targets)
        both = sorted(set(data.input_names) & set(data.target_names))
        if both and window is None:
            raise UserError(f"expected inputs that are not targets too, got {', '.join(both)}")
        _check_size(data, (window or 0) + history)
        result = score(data.inputs, data.targets, window=window, history=history)
    return {
        "verdict": result.verdict,
        "rows": result.rows(),
        "inputs": data.input_names,
        "targets": data.target_names or data.input_names,
        **result.to_dict(),
    }


def list_columns(name: str, content: bytes, options: dict[str, str]) -> dict[str, Any]:
    """Return the names of the columns of uploaded bytes, to choose from.

    Raises:
        ValueError: in one sentence, for a file that is no table.
    """
    with _uploaded(name, content) as path:
        return {"columns": column_names(path)}


@contextmanager
def _uploaded(name: str, content: bytes) -> Iterator[Path]:
    """Hold uploaded bytes as a file; errors name the user's file, and no folder of ours."""
    safe = re.sub(r"[^\w.-]+", "_", Path(name).name)[-80:]
    if Path(safe).suffix.lower() not in SUFFIXES:
        raise UserError(f"expected a file ending in {', '.join(SUFFIXES)}, got {safe!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f{safe}"
        path.write_bytes(content)
        try:
            yield path
        except (ValueError, TypeError, ArithmeticError) as error:
            text = " ".join(str(error).split()).replace(str(path), safe).replace(path.name, safe)
            raise UserError(text.replace(CHOOSE, "; leave that column out")) from None


def _check_size(data: Columns, laid_out: int) -> None:
    """Refuse what would hold the machine for long."""
    rows = len(data.inputs)
    columns = len(data.input_names) + len(data.target_names)
    if rows > MOST_ROWS or rows * columns * laid_out > MOST_NUMBERS:
        raise UserError(
            f"expected at most {MOST_ROWS:,} rows and {MOST_NUMBERS:,} numbers in all windows "
            f"here, got {rows:,} rows of {columns} columns; use novelty score for them"
        )


def _whole(name: str, text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 4 or not 1 <= int(text) <= 1000:
        expected = f"expected a whole number from 1 to 1000 for the {name}"
        raise UserError(f"{expected}, got {text[:20]!r}")
    return int(text)

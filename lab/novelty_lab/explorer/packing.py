"""Numbers and arrays as a data file holds them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np


def packed(array: np.ndarray) -> dict[str, Any]:
    """Return an array as JSON can hold it: type, shape, and little-endian bytes in base64."""
    flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    text = base64.b64encode(flat.tobytes()).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "base64": text}


def short(value: float) -> float:
    """Keep five digits, which is more than the page shows."""
    return float(f"{value:.5g}")


def rounded(values: np.ndarray) -> list[Any]:
    """Return nested lists of short numbers."""
    return [short(v) if np.ndim(v) == 0 else rounded(v) for v in values]

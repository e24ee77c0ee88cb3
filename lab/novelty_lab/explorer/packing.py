"""Numbers, arrays and images as a data file holds them."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

SHEET_COLUMNS = 50
"""Images in a row of a sprite sheet."""


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


def sprite_sheet(images: np.ndarray) -> dict[str, Any]:
    """Lay small grey images, (num_images, height, width), out on one PNG.

    The PNG is a data address inside a script, so it also works in a page opened as a file.
    """
    count, height, width = images.shape
    rows = -(-count // SHEET_COLUMNS)
    filled = np.zeros((rows * SHEET_COLUMNS, height, width), dtype=np.uint8)
    filled[:count] = images
    sheet = filled.reshape(rows, SHEET_COLUMNS, height, width).swapaxes(1, 2)
    file = io.BytesIO()
    pixels = sheet.reshape(rows * height, SHEET_COLUMNS * width)
    Image.fromarray(pixels).save(file, "PNG", optimize=True)
    address = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"
    return {"sheet": address, "columns": SHEET_COLUMNS, "width": width, "height": height}

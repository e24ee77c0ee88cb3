"""Many small grey images as one picture that any browser reads: a PNG, as a data address.

A picture inside a script also works when the page is opened as a file.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

COLUMNS = 50
"""Images in a row of the sheet."""


def sprite_sheet(images: np.ndarray) -> dict[str, Any]:
    """Lay images out row by row on one sheet.

    Args:
        images: (num_images, height, width), bytes.

    Returns:
        The sheet as a data address, the number of its columns, and the size of an image.
    """
    count, height, width = images.shape
    rows = -(-count // COLUMNS)
    filled = np.zeros((rows * COLUMNS, height, width), dtype=np.uint8)
    filled[:count] = images
    sheet = filled.reshape(rows, COLUMNS, height, width).swapaxes(1, 2)
    picture = base64.b64encode(png(sheet.reshape(rows * height, COLUMNS * width))).decode("ascii")
    address = f"data:image/png;base64,{picture}"
    return {"sheet": address, "columns": COLUMNS, "width": width, "height": height}


def png(pixels: np.ndarray) -> bytes:
    """Write a grey image, (height, width) bytes, as a PNG of eight bits."""
    height, width = pixels.shape
    # Every line of a PNG begins with the number of its filter; 0 is none.
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.astype(np.uint8)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check

"""TensorBoard, where it is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Log:
    """Scalars by step, into TensorBoard or nowhere."""

    def __init__(self, writer: Any = None) -> None:
        self._writer = writer

    def scalar(self, name: str, value: float, step: int) -> None:
        """Add a point to a curve."""
        if self._writer is not None:
            self._writer.add_scalar(name, value, step)


@contextmanager
def open_log(directory: Path | None) -> Iterator[Log]:
    """Open a log in a run directory; it is silent without one, or without TensorBoard."""
    if directory is None or importlib.util.find_spec("tensorboard") is None:
        yield Log()
        return
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(directory / "tensorboard"))
    try:
        yield Log(writer)
    finally:
        writer.close()

"""TensorBoard, where it is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

Log = Callable[[str, float, int], None]
"""Add a point to a curve: its name, the value and the step."""


@contextmanager
def open_log(directory: Path | str | None) -> Iterator[Log]:
    """Open a log in a run directory; it does nothing without one, or without TensorBoard."""
    if directory is None or importlib.util.find_spec("tensorboard") is None:
        yield lambda name, value, step: None
        return
    from torch.utils.tensorboard import SummaryWriter

    with closing(SummaryWriter(str(Path(directory) / "tensorboard"))) as writer:
        yield writer.add_scalar

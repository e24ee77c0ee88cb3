"""Processes that torchrun started: joined for a run, and which of them speaks."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from learnable_novelty.errors import UserError


def started_by_torchrun() -> bool:
    """Tell whether this process is one of several that torchrun started."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and "RANK" in os.environ


def process_group() -> Any:
    """Return the group of all ranks, or None for a process alone."""
    import torch.distributed as dist

    return dist.group.WORLD if dist.is_available() and dist.is_initialized() else None


def share_of(batch: int, group: Any) -> int:
    """Return how many samples of a batch a rank makes."""
    if group is None:
        return batch
    size = group.size()
    if batch % size:
        raise UserError(f"expected a batch that {size} ranks can share equally, got {batch}")
    return batch // size


@contextmanager
def joined(device: str, root: Path, name: str) -> Iterator[tuple[bool, Path]]:
    """Join the processes that torchrun started.

    The first rank works in the results folder. The others start from a copy of what is there of
    this experiment, so that all of them skip and resume the same work, and throw it away.

    Yields:
        Whether this process speaks and keeps what it finds, and the folder that it works in.
    """
    if not started_by_torchrun():
        yield True, root
        return
    import torch
    import torch.distributed as dist

    if device.startswith("cuda"):
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            first = dist.get_rank() == 0
            if not first and (root / name).is_dir():
                shutil.copytree(root / name, Path(scratch) / name)
            dist.barrier()
            yield first, root if first else Path(scratch)
    finally:
        dist.destroy_process_group()

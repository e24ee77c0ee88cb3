"""The neural automaton's step in few GPU kernels, where Triton is there to compile them."""

from __future__ import annotations

import importlib.util

import torch

HAS_TRITON = importlib.util.find_spec("triton") is not None


WIDEST_READS = 32
"""Values that the kernels let the first layer read at most."""


def can_fuse(values: torch.Tensor, hidden: int, radius: int) -> bool:
    """Tell whether the kernels take these states: on a GPU, float32, two channels."""
    return (
        HAS_TRITON
        and values.is_cuda
        and values.dtype == torch.float32
        and values.shape[-1] == 2
        and hidden in (16, 32, 64, 128)
        and 2 * (2 * radius + 1) <= WIDEST_READS
        and values.shape[0] * values.shape[1] > 1
        and bool(torch.backends.cuda.matmul.allow_tf32)
    )

"""One layer of a ring reservoir in one GPU kernel, where Triton is there to compile it.

    h'[site] = elu(normalize(W [h[site - r], ..., h[site + r]] + b))

Written plainly a layer copies its neighbourhoods, writes its drive, reads it for the
normalization and again for the nonlinearity; here each site is read and written once.
"""
# ruff: noqa: ANN001, ANN202, N803, N806

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS, READS = 128, 32


@triton.jit
def layer_kernel(
    hidden, weight, bias, following, count, width, taps, channels, epsilon,
    ROWS: tl.constexpr, READS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < count
    out = tl.arange(0, WIDTH)
    part = tl.arange(0, READS)
    site = rows % width
    drive = tl.zeros((ROWS, WIDTH), tl.float32)
    for tap in range(taps):
        read = (rows - site + (site + tap - taps // 2 + width * taps) % width).to(tl.int64)
        for start in range(0, channels, READS):
            slot = start + part
            where = read[:, None] * channels + slot[None, :]
            mask = slot < channels
            h = tl.load(hidden + where, mask=inside[:, None] & mask[None, :], other=0.0)
            reader = (tap * channels + slot)[:, None] * WIDTH + out[None, :]
            w = tl.load(weight + reader, mask=mask[:, None], other=0.0)
            drive += tl.dot(h, w, input_precision="tf32")
    drive += tl.load(bias + out)[None, :]
    centred = drive - (tl.sum(drive, 1) / WIDTH)[:, None]
    variance = tl.sum(centred * centred, 1) / WIDTH
    z = centred * (1.0 / tl.sqrt(variance + epsilon))[:, None]
    z = tl.where(z > 0, z, tl.exp(z) - 1.0)
    tl.store(
        following + rows.to(tl.int64)[:, None] * WIDTH + out[None, :], z, mask=inside[:, None]
    )


def fused_layer(hidden: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """Apply a layer to (num_samples, length, channels); weight is (reads, width)."""
    samples, length, channels = hidden.shape
    reads, width = weight.shape
    count = samples * length
    following = torch.empty(samples, length, width, device=hidden.device, dtype=hidden.dtype)
    layer_kernel[(-(-count // ROWS),)](
        hidden.contiguous(), weight.contiguous(), bias, following, count, length,
        reads // channels, channels, epsilon, ROWS, READS if channels > 16 else 16, width,
        num_warps=8, num_stages=3,
    )  # fmt: skip
    return following

"""A layer of a ring reservoir on a GPU: a library convolution and one kernel for the rest.

    h' = elu(normalize(conv(h) + b))

Written plainly a layer copies its neighbourhoods, and bias, normalization and nonlinearity each
read and write all of it. Here the convolution reads neighbours in place, and one Triton kernel
does the rest in one pass.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn.functional import conv2d

ROWS = 8


@triton.jit
def activate_kernel(drive, bias, count, epsilon, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """drive <- elu(normalize(drive + bias)), over the last axis, in place."""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    out = tl.arange(0, WIDTH)
    where = drive + rows[:, None] * WIDTH + out[None, :]
    inside = (rows < count)[:, None]
    z = tl.load(where, mask=inside, other=0.0) + tl.load(bias + out)[None, :]
    centred = z - (tl.sum(z, 1) / WIDTH)[:, None]
    variance = tl.sum(centred * centred, 1) / WIDTH
    z = centred * (1.0 / tl.sqrt(variance + epsilon))[:, None]
    tl.store(where, tl.where(z > 0, z, tl.exp(z) - 1.0), mask=inside)


def fused_layer(hidden: Tensor, weight: Tensor, bias: Tensor, epsilon: float | None) -> Tensor:
    """Apply a layer to (num_samples, length, channels); weight is (taps * channels, width).

    Without an epsilon the layer is linear.
    """
    samples, length, channels = hidden.shape
    width, taps = weight.shape[1], weight.shape[0] // channels
    if taps == 1:
        drive = hidden.reshape(-1, channels) @ weight
    else:
        # (num_samples, channels, 1, length) with the channels last in memory.
        reach = taps // 2
        around = torch.cat([hidden[:, -reach:], hidden, hidden[:, :reach]], 1).mT.unsqueeze(2)
        kernel = weight.view(taps, channels, width).permute(2, 1, 0).unsqueeze(2)
        last = torch.channels_last
        drive = conv2d(around.contiguous(memory_format=last), kernel.contiguous(memory_format=last))
        drive = drive.squeeze(2).mT.contiguous()
    if epsilon is None:
        return drive.view(samples, length, width) + bias
    count = samples * length
    activate_kernel[(-(-count // ROWS),)](drive, bias, count, epsilon, ROWS, width, num_warps=4)
    return drive.view(samples, length, width)

"""Triton kernels of one step of the neural automaton, forward and backward.

A *row* is a lattice site; u is what the first layer reads there: ``reads`` values, padded with
zeros to READS. The normalized layers are folded into the linear maps before them (see
``NormalizedLinear``):

    z1 = A u + c,   h = V gelu(z1),   z2 = s h + t,   x' = normalize(x + P gelu(z2) + b)

Only h is written to memory. Sums over rows are taken per program, so that they come out the same
in every run, and added up by the kernel that needs them.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


def element(dtype: torch.dtype) -> tl.dtype:
    """Return Triton's name of a dtype."""
    return {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16}[dtype]


@triton.jit
def gelu(z):
    return 0.5 * z * (1.0 + tl.math.erf(z * 0.7071067811865476))


@triton.jit
def gelu_slope(z):
    cdf = 0.5 * (1.0 + tl.math.erf(z * 0.7071067811865476))
    return cdf + z * 0.3989422804014327 * tl.exp(-0.5 * z * z)


@triton.jit
def load_neighbourhood(x, rows, count, width, reads, radius, READS: tl.constexpr):
    slot = tl.arange(0, READS)
    site = rows % width
    shifted = site[:, None] + (slot // 2)[None, :] - radius
    # One turn is enough unless the ring is narrower than the neighbourhood.
    shifted = (shifted + width * (radius + 1)) % width
    where = ((rows - site)[:, None] + shifted) * 2 + (slot % 2)[None, :]
    return tl.load(x + where, mask=(rows < count)[:, None] & (slot < reads)[None, :], other=0.0)


@triton.jit
def sum_programs(partial, programs, SIZE: tl.constexpr):
    """Add up what the programs left: (programs, SIZE)."""
    CHUNK: tl.constexpr = 4096 // SIZE if SIZE >= 32 else 128
    column = tl.arange(0, SIZE)
    total = tl.zeros((CHUNK, SIZE), tl.float32)
    for start in range(0, programs, CHUNK):
        row = start + tl.arange(0, CHUNK)
        where = row[:, None] * SIZE + column[None, :]
        total += tl.load(partial + where, mask=(row < programs)[:, None], other=0.0)
    return tl.sum(total, 0)


@triton.jit
def moments_kernel(
    x, second, first, count, width, reads, radius, tiles,
    ROWS: tl.constexpr, READS: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Sum u u' and u."""
    pid = tl.program_id(0)
    products = tl.zeros((READS, READS), tl.float32)
    sums = tl.zeros((READS,), tl.float32)
    for tile in range(pid, tiles, PROGRAMS):
        rows = tile * ROWS + tl.arange(0, ROWS)
        u = load_neighbourhood(x, rows, count, width, reads, radius, READS)
        products += tl.dot(tl.trans(u), u, input_precision="ieee")
        sums += tl.sum(u, 0)
    slot = tl.arange(0, READS)
    square = slot[:, None] * READS + slot[None, :]
    tl.store(second + pid * READS * READS + square, products)
    tl.store(first + pid * READS + slot, sums)


@triton.jit
def fold_lift_kernel(
    second, first, weight, scale, shift, running_mean, running_variance,
    moment, mean, folded, offset, inverse, count, reads, momentum, epsilon, programs,
    READS: tl.constexpr, HIDDEN: tl.constexpr,
):  # fmt: skip
    """A = gamma w / sqrt(w'Cw + eps), c = beta - A m, with m and C from the sums above."""
    slot = tl.arange(0, READS)
    out = tl.arange(0, HIDDEN)
    square = slot[:, None] * READS + slot[None, :]
    products = tl.reshape(sum_programs(second, programs, READS * READS), (READS, READS))
    m = sum_programs(first, programs, READS) / count
    covariance = products / count - m[:, None] * m[None, :]
    tl.store(moment + square, covariance)
    tl.store(mean + slot, m)
    where = out[:, None] * reads + slot[None, :]
    w = tl.load(weight + where, mask=(slot < reads)[None, :], other=0.0)
    # Raw products cancel near a uniform state; below zero they would make a NaN of the root.
    variance = tl.maximum(tl.sum(tl.dot(w, covariance, input_precision="ieee") * w, 1), 0.0)
    r = 1.0 / tl.sqrt(variance + epsilon)
    a = w * (tl.load(scale + out) * r)[:, None]
    tl.store(folded + out[:, None] * READS + slot[None, :], a)
    tl.store(offset + out, tl.load(shift + out) - tl.sum(a * m[None, :], 1))
    tl.store(inverse + out, r)
    track(running_mean + out, tl.sum(w * m[None, :], 1), momentum)
    track(running_variance + out, variance * (count / (count - 1.0)), momentum)


@triton.jit
def track(running, value, momentum):
    before = tl.load(running)
    tl.store(running, before + momentum * (value - before))


@triton.jit
def hidden_kernel(
    x, folded, offset, weight, hidden, sums, squares, count, width, reads, radius, tiles,
    ROWS: tl.constexpr, READS: tl.constexpr, HIDDEN: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """h = V gelu(A u + c), and the sums of h and of its squares."""
    pid = tl.program_id(0)
    slot = tl.arange(0, READS)
    out = tl.arange(0, HIDDEN)
    a = tl.load(folded + out[None, :] * READS + slot[:, None])
    c = tl.load(offset + out)
    v = tl.load(weight + out[None, :] * HIDDEN + out[:, None])
    total = tl.zeros((ROWS, HIDDEN), tl.float32)
    power = tl.zeros((ROWS, HIDDEN), tl.float32)
    for tile in range(pid, tiles, PROGRAMS):
        rows = tile * ROWS + tl.arange(0, ROWS)
        inside = rows < count
        u = load_neighbourhood(x, rows, count, width, reads, radius, READS)
        first = gelu(tl.dot(u, a, input_precision="tf32") + c[None, :])
        h = tl.dot(first, v, input_precision="tf32")
        h = tl.where(inside[:, None], h, 0.0)
        where = rows.to(tl.int64)[:, None] * HIDDEN + out[None, :]
        tl.store(hidden + where, h.to(hidden.dtype.element_ty), mask=inside[:, None])
        total += h
        power += h * h
    tl.store(sums + pid * HIDDEN + out, tl.sum(total, 0))
    tl.store(squares + pid * HIDDEN + out, tl.sum(power, 0))


@triton.jit
def fold_hidden_kernel(
    sums, squares, scale, shift, running_mean, running_variance,
    mean, inverse, factor, offset, count, momentum, epsilon, programs,
    HIDDEN: tl.constexpr,
):  # fmt: skip
    """s = gamma / sqrt(var h + eps), t = beta - s mean h."""
    out = tl.arange(0, HIDDEN)
    m = sum_programs(sums, programs, HIDDEN) / count
    variance = tl.maximum(sum_programs(squares, programs, HIDDEN) / count - m * m, 0.0)
    r = 1.0 / tl.sqrt(variance + epsilon)
    s = tl.load(scale + out) * r
    tl.store(mean + out, m)
    tl.store(inverse + out, r)
    tl.store(factor + out, s)
    tl.store(offset + out, tl.load(shift + out) - s * m)
    track(running_mean + out, m, momentum)
    track(running_variance + out, variance * (count / (count - 1.0)), momentum)


@triton.jit
def advance_rows(
    x, h, factor, offset, project, bias, rows, inside, RESIDUAL: tl.constexpr, HIDDEN: tl.constexpr
):
    """Return gelu(z2), z2 and the two components of what is about to be normalized."""
    out = tl.arange(0, HIDDEN)
    z = h * tl.load(factor + out)[None, :] + tl.load(offset + out)[None, :]
    second = gelu(z)
    p = tl.sum(second * tl.load(project + out)[None, :], 1) + tl.load(bias)
    q = tl.sum(second * tl.load(project + HIDDEN + out)[None, :], 1) + tl.load(bias + 1)
    if RESIDUAL:
        p += tl.load(x + rows * 2, mask=inside, other=0.0)
        q += tl.load(x + rows * 2 + 1, mask=inside, other=0.0)
    return second, z, p, q


@triton.jit
def project_kernel(
    x, hidden, factor, offset, project, bias, following, count,
    RESIDUAL: tl.constexpr, ROWS: tl.constexpr, HIDDEN: tl.constexpr,
):  # fmt: skip
    """x' = normalize(x + P gelu(s h + t) + b); a zero vector becomes (1, 0)."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < count
    where = rows.to(tl.int64)[:, None] * HIDDEN + tl.arange(0, HIDDEN)[None, :]
    h = tl.load(hidden + where, mask=inside[:, None], other=0.0).to(tl.float32)
    _, _, p, q = advance_rows(x, h, factor, offset, project, bias, rows, inside, RESIDUAL, HIDDEN)
    length = tl.sqrt(p * p + q * q)
    zero = length == 0.0
    length = tl.where(zero, 1.0, length)
    tl.store(following + rows * 2, tl.where(zero, 1.0, p / length), mask=inside)
    tl.store(following + rows * 2 + 1, q / length, mask=inside)


@triton.jit
def project_backward_kernel(
    x, hidden, factor, offset, project, bias, gradient, pulled, sums, bias_sums, count, tiles,
    RESIDUAL: tl.constexpr, ROWS: tl.constexpr, HIDDEN: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Pull the gradient back through the normalization, and sum those of P, b, s and t."""
    pid = tl.program_id(0)
    out = tl.arange(0, HIDDEN)
    first = tl.load(project + out)
    second = tl.load(project + HIDDEN + out)
    of_first = tl.zeros((ROWS, HIDDEN), tl.float32)
    of_second = tl.zeros((ROWS, HIDDEN), tl.float32)
    of_factor = tl.zeros((ROWS, HIDDEN), tl.float32)
    of_offset = tl.zeros((ROWS, HIDDEN), tl.float32)
    of_bias = tl.zeros((ROWS,), tl.float32)
    of_other = tl.zeros((ROWS,), tl.float32)
    for tile in range(pid, tiles, PROGRAMS):
        rows = tile * ROWS + tl.arange(0, ROWS)
        inside = rows < count
        where = rows.to(tl.int64)[:, None] * HIDDEN + out[None, :]
        h = tl.load(hidden + where, mask=inside[:, None], other=0.0).to(tl.float32)
        a, z, p, q = advance_rows(
            x, h, factor, offset, project, bias, rows, inside, RESIDUAL, HIDDEN
        )
        length = tl.sqrt(p * p + q * q)
        inverse = tl.where(length == 0.0, 0.0, 1.0 / length)
        g = tl.load(gradient + rows * 2, mask=inside, other=0.0)
        k = tl.load(gradient + rows * 2 + 1, mask=inside, other=0.0)
        along = (g * p + k * q) * inverse
        g = (g - along * p * inverse) * inverse
        k = (k - along * q * inverse) * inverse
        tl.store(pulled + rows * 2, g, mask=inside)
        tl.store(pulled + rows * 2 + 1, k, mask=inside)
        of_first += g[:, None] * a
        of_second += k[:, None] * a
        of_bias += g
        of_other += k
        gz = (g[:, None] * first[None, :] + k[:, None] * second[None, :]) * gelu_slope(z)
        of_factor += gz * h
        of_offset += gz
    base = sums + pid * HIDDEN + out
    tl.store(base, tl.sum(of_first, 0))
    tl.store(base + PROGRAMS * HIDDEN, tl.sum(of_second, 0))
    tl.store(base + 2 * PROGRAMS * HIDDEN, tl.sum(of_factor, 0))
    tl.store(base + 3 * PROGRAMS * HIDDEN, tl.sum(of_offset, 0))
    tl.store(bias_sums + pid * 2, tl.sum(of_bias, 0))
    tl.store(bias_sums + pid * 2 + 1, tl.sum(of_other, 0))


@triton.jit
def fold_hidden_backward_kernel(
    sums, bias_sums, scale, mean, inverse, factor,
    of_project, of_bias, of_scale, of_shift, of_sum, of_square, count, programs,
    HIDDEN: tl.constexpr,
):  # fmt: skip
    """Turn the gradients of s and t into those of gamma, beta, and of each h through its sums."""
    out = tl.arange(0, HIDDEN)
    stride = programs * HIDDEN
    tl.store(of_project + out, sum_programs(sums, programs, HIDDEN))
    tl.store(of_project + HIDDEN + out, sum_programs(sums + stride, programs, HIDDEN))
    gs = sum_programs(sums + 2 * stride, programs, HIDDEN)
    gt = sum_programs(sums + 3 * stride, programs, HIDDEN)
    tl.store(of_bias + tl.arange(0, 2), sum_programs(bias_sums, programs, 2))
    m = tl.load(mean + out)
    r = tl.load(inverse + out)
    gs -= gt * m
    tl.store(of_scale + out, gs * r)
    tl.store(of_shift + out, gt)
    of_variance = -0.5 * r * r * r * gs * tl.load(scale + out)
    of_mean = -gt * tl.load(factor + out) - 2.0 * m * of_variance
    tl.store(of_sum + out, of_mean / count)
    tl.store(of_square + out, 2.0 * of_variance / count)


@triton.jit
def hidden_backward_kernel(
    x, folded, offset1, weight, hidden, factor, offset, project, pulled, of_sum, of_square,
    of_weight, of_folded, of_offset, of_reads, count, width, reads, radius, tiles,
    ROWS: tl.constexpr, READS: tl.constexpr, HIDDEN: tl.constexpr, PROGRAMS: tl.constexpr,
    DOT: tl.constexpr,
):  # fmt: skip
    """Pull the gradient back to u through z2, V and z1, and sum those of V, A and c."""
    pid = tl.program_id(0)
    slot = tl.arange(0, READS)
    out = tl.arange(0, HIDDEN)
    a = tl.load(folded + out[None, :] * READS + slot[:, None])
    c = tl.load(offset1 + out)
    v = tl.load(weight + out[:, None] * HIDDEN + out[None, :]).to(DOT)
    gv = tl.zeros((HIDDEN, HIDDEN), tl.float32)
    ga = tl.zeros((HIDDEN, READS), tl.float32)
    gc = tl.zeros((HIDDEN,), tl.float32)
    for tile in range(pid, tiles, PROGRAMS):
        rows = tile * ROWS + tl.arange(0, ROWS)
        inside = rows < count
        where = rows.to(tl.int64)[:, None] * HIDDEN + out[None, :]
        h = tl.load(hidden + where, mask=inside[:, None], other=0.0).to(tl.float32)
        s = tl.load(factor + out)[None, :]
        slope = gelu_slope(h * s + tl.load(offset + out)[None, :]) * s
        g = tl.load(pulled + rows * 2, mask=inside, other=0.0)[:, None]
        k = tl.load(pulled + rows * 2 + 1, mask=inside, other=0.0)[:, None]
        first = tl.load(project + out)[None, :]
        second = tl.load(project + HIDDEN + out)[None, :]
        gh = (g * first + k * second) * slope
        gh += tl.load(of_sum + out)[None, :] + h * tl.load(of_square + out)[None, :]
        gh = tl.where(inside[:, None], gh, 0.0)
        u = load_neighbourhood(x, rows, count, width, reads, radius, READS)
        z = tl.dot(u, a, input_precision="tf32") + c[None, :]
        gh = gh.to(DOT)
        gv += tl.dot(tl.trans(gh), gelu(z).to(DOT), input_precision="tf32")
        gz = tl.dot(gh, v, input_precision="tf32") * gelu_slope(z)
        ga += tl.dot(tl.trans(gz), u, input_precision="tf32")
        gc += tl.sum(gz, 0)
        gu = tl.dot(gz, tl.trans(a), input_precision="tf32")
        spot = rows.to(tl.int64)[:, None] * READS + slot[None, :]
        tl.store(of_reads + spot, gu, mask=inside[:, None])
    tl.store(of_weight + pid * HIDDEN * HIDDEN + out[:, None] * HIDDEN + out[None, :], gv)
    tl.store(of_folded + pid * HIDDEN * READS + out[:, None] * READS + slot[None, :], ga)
    tl.store(of_offset + pid * HIDDEN + out, gc)


@triton.jit
def fold_lift_backward_kernel(
    of_folded, of_offset, weight, scale, moment, mean, folded, inverse,
    of_weight, of_scale, of_shift, of_moment, of_mean, count, reads, programs,
    READS: tl.constexpr, HIDDEN: tl.constexpr,
):  # fmt: skip
    """Turn the gradients of A and c into those of w, gamma, beta, and of each u through m and C."""
    slot = tl.arange(0, READS)
    out = tl.arange(0, HIDDEN)
    square = slot[:, None] * READS + slot[None, :]
    wide = out[:, None] * READS + slot[None, :]
    ga = tl.zeros((HIDDEN, READS), tl.float32)
    for program in range(programs):
        ga += tl.load(of_folded + program * HIDDEN * READS + wide)
    gc = sum_programs(of_offset, programs, HIDDEN)
    covariance = tl.load(moment + square)
    m = tl.load(mean + slot)
    r = tl.load(inverse + out)
    gamma = tl.load(scale + out)
    keep = (slot < reads)[None, :]
    w = tl.load(weight + out[:, None] * reads + slot[None, :], mask=keep, other=0.0)
    a = tl.load(folded + wide)
    ga -= gc[:, None] * m[None, :]
    along = tl.sum(ga * w, 1)
    of_variance = -0.5 * r * r * r * gamma * along
    gw = (gamma * r)[:, None] * ga
    gw += 2.0 * of_variance[:, None] * tl.dot(w, covariance, input_precision="ieee")
    tl.store(of_weight + out[:, None] * reads + slot[None, :], gw, mask=keep)
    tl.store(of_scale + out, r * along)
    tl.store(of_shift + out, gc)
    # C = E uu' - m m', so a row has 2 G (u - m) / n of it, and -A'c / n of the mean.
    g = tl.dot(tl.trans(w), of_variance[:, None] * w, input_precision="ieee")
    tl.store(of_moment + square, 2.0 * g / count)
    through = tl.sum(g * m[None, :], 1)
    tl.store(of_mean + slot, (-tl.sum(gc[:, None] * a, 0) - 2.0 * through) / count)


@triton.jit
def moments_backward_kernel(
    x, of_reads, of_moment, of_mean, count, width, reads, radius,
    ROWS: tl.constexpr, READS: tl.constexpr,
):  # fmt: skip
    """Add to the gradient of u what comes through its moments."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    slot = tl.arange(0, READS)
    u = load_neighbourhood(x, rows, count, width, reads, radius, READS)
    g = tl.load(of_moment + slot[:, None] * READS + slot[None, :])
    inside = (rows < count)[:, None]
    spot = of_reads + rows.to(tl.int64)[:, None] * READS + slot[None, :]
    value = tl.load(spot, mask=inside, other=0.0)
    value += tl.dot(u, g, input_precision="ieee") + tl.load(of_mean + slot)[None, :]
    tl.store(spot, value, mask=inside)


@triton.jit
def scatter_kernel(
    of_reads, pulled, of_x, count, width, reads, radius,
    RESIDUAL: tl.constexpr, ROWS: tl.constexpr, READS: tl.constexpr,
):  # fmt: skip
    """Sum over all places where a site is read, and add the skip connection."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < count
    slot = tl.arange(0, READS)
    site = rows % width
    reader = (site[:, None] - (slot // 2)[None, :] + radius + width * (radius + 1)) % width
    where = ((rows - site)[:, None] + reader).to(tl.int64) * READS + slot[None, :]
    value = tl.load(of_reads + where, mask=inside[:, None] & (slot < reads)[None, :], other=0.0)
    even = (slot % 2 == 0)[None, :]
    g = tl.sum(tl.where(even, value, 0.0), 1)
    k = tl.sum(tl.where(even, 0.0, value), 1)
    if RESIDUAL:
        g += tl.load(pulled + rows * 2, mask=inside, other=0.0)
        k += tl.load(pulled + rows * 2 + 1, mask=inside, other=0.0)
    tl.store(of_x + rows * 2, g, mask=inside)
    tl.store(of_x + rows * 2 + 1, k, mask=inside)

"""A step of packed life-like automata as one Triton kernel.

Written plainly a step is eighty passes over memory, one for each bitwise operation; here a program
loads nine words, does all of it in registers, and stores one.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 256


@triton.jit
def choose(which, if_zero, if_one):
    return if_zero ^ (which & (if_zero ^ if_one))


@triton.jit
def leaf(state, born, survives, count, lane, lanes, inside):
    b = tl.load(born + count * lanes + lane, mask=inside, other=0)
    s = tl.load(survives + count * lanes + lane, mask=inside, other=0)
    return b ^ (state & (b ^ s))


@triton.jit
def row_sums(words, row, left, column, right, width, lanes, lane, inside):
    """Return the xor and the carry of the outer two of three cells in a row, and the middle."""
    start = row * width
    a = tl.load(words + (start + left) * lanes + lane, mask=inside, other=0)
    b = tl.load(words + (start + column) * lanes + lane, mask=inside, other=0)
    c = tl.load(words + (start + right) * lanes + lane, mask=inside, other=0)
    return a ^ c, a & c, b


@triton.jit
def step_kernel(words, out, born, survives, height, width, lanes, BLOCK: tl.constexpr):
    """Out <- the next state of words (height, width, lanes); as ``cells`` does it."""
    place = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    inside = place < height * width * lanes
    lane, site = place % lanes, place // lanes
    column, row = site % width, site // width
    left, right = (column + width - 1) % width, (column + 1) % width
    up, down = (row + height - 1) % height, (row + 1) % height
    sides, both, middle = row_sums(words, up, left, column, right, width, lanes, lane, inside)
    up_low, up_high = sides ^ middle, both | (sides & middle)
    sides, both, middle = row_sums(words, down, left, column, right, width, lanes, lane, inside)
    down_low, down_high = sides ^ middle, both | (sides & middle)
    sides, both, state = row_sums(words, row, left, column, right, width, lanes, lane, inside)
    vertical = up_low ^ down_low
    ones = vertical ^ sides
    carry = (up_low & down_low) | (vertical & sides)
    vertical = up_high ^ down_high
    rest = both ^ carry
    twos = vertical ^ rest
    first, second = up_high & down_high, both & carry
    fours = first ^ second ^ (vertical & rest)
    eights = first & second
    zero = leaf(state, born, survives, 0, lane, lanes, inside)
    one = leaf(state, born, survives, 1, lane, lanes, inside)
    two = leaf(state, born, survives, 2, lane, lanes, inside)
    three = leaf(state, born, survives, 3, lane, lanes, inside)
    low = choose(twos, choose(ones, zero, one), choose(ones, two, three))
    zero = leaf(state, born, survives, 4, lane, lanes, inside)
    one = leaf(state, born, survives, 5, lane, lanes, inside)
    two = leaf(state, born, survives, 6, lane, lanes, inside)
    three = leaf(state, born, survives, 7, lane, lanes, inside)
    high = choose(twos, choose(ones, zero, one), choose(ones, two, three))
    eight = leaf(state, born, survives, 8, lane, lanes, inside)
    tl.store(out + place, choose(eights, choose(fours, low, high), eight), mask=inside)


def fused_advance(words: Tensor, born: Tensor, survives: Tensor, steps: int) -> Tensor:
    """Advance packed tori (height, width, words) by so many steps; the input is left alone."""
    height, width, lanes = words.shape
    grid = (triton.cdiv(words.numel(), BLOCK),)
    born, survives = born.contiguous(), survives.contiguous()
    state = words.contiguous()
    fresh = [torch.empty_like(state), torch.empty_like(state)]
    for step in range(steps):
        out = fresh[step % 2]
        step_kernel[grid](state, out, born, survives, height, width, lanes, BLOCK)
        state = out
    return state

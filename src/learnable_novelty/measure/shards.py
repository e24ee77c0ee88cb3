"""From chunks of any size to shards: stretches of samples that are scored on their own.

A shard starts at a known sample and, for a series, reads on for as many rows as its last window
reaches: no pair is lost at a border, and none is counted twice. Within a shard rows are taken in
pieces of a fixed size, so that the chunks that they came in leave no trace.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor

from learnable_novelty.errors import UserError
from learnable_novelty.measure.data import NotFinite, as_chunk
from learnable_novelty.measure.parts import Chunk, HeldPart, Part, Source
from learnable_novelty.measure.sources import Stream

PIECE_ROWS = 4096
"""Regression rows that are scored at a time: their features stay in cache."""
PIECE_BYTES = 64 << 20
"""Of inputs in them, however wide they are."""
SHARD_PIECES = 4
"""Pieces in a shard of a stream."""


@dataclass(frozen=True)
class Layout:
    """What all chunks have in common."""

    inputs: tuple[int, ...]
    """Axes of an input, without that of the samples."""
    targets: tuple[int, ...] | None
    input_dtype: torch.dtype
    target_dtype: torch.dtype | None

    @staticmethod
    def of(x: Tensor, y: Tensor | None) -> Layout:
        """Read it off a chunk."""
        return Layout(
            tuple(x.shape[1:]),
            None if y is None else tuple(y.shape[1:]),
            x.dtype,
            None if y is None else y.dtype,
        )

    def check(self, other: Layout) -> None:
        """Raise unless another chunk is laid out alike."""
        if (self.targets is None) != (other.targets is None):
            raise UserError("expected targets in all chunks, or in none")
        for name, one, two in (
            ("inputs", self.inputs, other.inputs),
            ("targets", self.targets, other.targets),
        ):
            if one != two:
                raise UserError(
                    f"expected chunks of {name} of one shape, got {_shape(two)} after {_shape(one)}"
                )
        for name, kind, found in (
            ("inputs", self.input_dtype, other.input_dtype),
            ("targets", self.target_dtype, other.target_dtype),
        ):
            if kind != found:
                raise UserError(f"expected {name} of one dtype, got {found} after {kind}")

    def piece(self, column_axis: int) -> int:
        """Return how many samples make a piece."""
        axis = column_axis if column_axis < 0 else column_axis - 1
        sites = torch.Size(self.inputs).numel() // self.inputs[axis]
        fitting = PIECE_BYTES // (8 * torch.Size(self.inputs).numel())
        return max(1, min(PIECE_ROWS // sites, fitting))


def _shape(tail: tuple[int, ...] | None) -> str:
    return f"({', '.join(['samples', *map(str, tail or ())])})"


def read(chunks: Iterator[Chunk], layout: Layout | None = None) -> Iterator[tuple[Tensor, Any]]:
    """Turn chunks into tensors that are laid out alike; empty ones are left out."""
    done = 0
    for inputs, targets in chunks:
        try:
            x = as_chunk(inputs, "inputs")
            y = None if targets is None else as_chunk(targets, "targets")
        except NotFinite as fault:  # count rows from the first chunk on
            row, *rest = fault.index
            raise NotFinite(fault.name, fault.value, (done + row, *rest)) from None
        done += x.shape[0]
        if y is not None and x.shape[0] != y.shape[0]:
            raise UserError(
                f"expected as many targets as inputs in a chunk, {x.shape[0]}, got {y.shape[0]}"
            )
        if x.shape[0] == 0:
            continue
        found = Layout.of(x, y)
        layout = layout or found
        layout.check(found)
        yield x, y


def read_part(part: Part, layout: Layout | None) -> Iterator[tuple[Tensor, Any]]:
    """Read a part; what is wrong with a number in it is told with its place."""
    try:
        yield from read(part.chunks(), layout)
    except NotFinite as fault:
        place = part.where(fault.index, targets=fault.name == "targets")
        raise UserError(fault.at(place)) from None


def regrouped(
    chunks: Iterator[tuple[Tensor, Any]], size: int, reach: int
) -> Iterator[tuple[Tensor, Any]]:
    """Cut chunks anew: each group holds ``size`` samples and the ``reach`` that follow them.

    The last group is what is left, if it is more than ``reach``.
    """
    held: list[tuple[Tensor, Any]] = []
    total = 0
    for chunk in chunks:
        held.append(chunk)
        total += chunk[0].shape[0]
        if total < size + reach:
            continue
        x, y = _joined(held)
        first = 0
        while total - first >= size + reach:
            last = first + size + reach
            yield x[first:last], None if y is None else y[first:last]
            first += size
        held, total = [(x[first:], None if y is None else y[first:])], total - first
    if total > reach:
        yield _joined(held)


def _joined(held: Sequence[tuple[Tensor, Any]]) -> tuple[Tensor, Any]:
    if len(held) == 1:
        return held[0]
    x = torch.cat([one for one, _ in held])
    return x, None if held[0][1] is None else torch.cat([two for _, two in held])


@dataclass(frozen=True)
class Shard:
    """Samples of a part, and of those after it as many as windows reach."""

    start: int
    """The number of its first sample."""
    part: Part
    after: tuple[Part, ...]
    reach: int

    @property
    def futures(self) -> tuple[Any, ...]:
        """What a Dask cluster holds of its samples."""
        held = (getattr(part, "futures", ()) for part in (self.part, *self.after))
        return tuple(itertools.chain.from_iterable(held))

    def with_results(self, values: Mapping[Any, Any]) -> Shard:
        """Return it with results in the place of what a cluster holds."""
        filled = [cast(Any, p).with_results(values) for p in (self.part, *self.after)]
        return replace(self, part=filled[0], after=tuple(filled[1:]))

    def rows(self, layout: Layout | None) -> Iterator[tuple[Tensor, Any]]:
        """Read its samples, then those that it reaches."""
        yield from read_part(self.part, layout)
        left = self.reach
        following = itertools.chain.from_iterable(read_part(part, layout) for part in self.after)
        while left > 0 and (chunk := next(following, None)) is not None:
            x, y = chunk
            yield x[:left], None if y is None else y[:left]
            left -= min(left, x.shape[0])

    def pieces(self, layout: Layout, size: int) -> Iterator[tuple[Tensor, Any]]:
        """Yield samples, ``size`` at a time, each time with those that windows reach."""
        return regrouped(self.rows(layout), size, self.reach)


def shards_of(
    source: Source | Stream, reach: int, size: int, counts: Sequence[int] | None = None
) -> Iterator[Shard]:
    """Divide a source into shards; those of a stream hold ``size`` samples.

    Args:
        source: what is divided.
        reach: how many samples a window goes on after its first one.
        size: of the shards of a stream.
        counts: how many samples the parts have, where they do not know it themselves.
    """
    if isinstance(source, Stream):
        for number, (x, y) in enumerate(regrouped(read(source.chunks()), size, reach)):
            yield Shard(number * size, HeldPart(x, y), (), reach)
        return
    start = 0
    for number, part in enumerate(source.parts):
        yield Shard(start, part, _following(source.parts, number, reach, counts), reach)
        start += (part.count or 0) if counts is None else counts[number]


def _following(
    parts: Sequence[Part], number: int, reach: int, counts: Sequence[int] | None
) -> tuple[Part, ...]:
    """Return the parts after one that hold the samples that it reaches: a task carries them all."""
    last, left = number + 1, reach
    while left > 0 and last < len(parts):
        count = parts[last].count if counts is None else counts[last]
        left -= count or 0
        last += 1
    return tuple(parts[number + 1 : last])

"""The measure on an iterator that can be read once only: how long it is shows at its end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from learnable_novelty.measure.job import (
    BlockRoots,
    Job,
    Request,
    add_block,
    check_length,
    observers_for,
    roots_between,
)
from learnable_novelty.measure.shards import read, regrouped
from learnable_novelty.measure.sources import Stream
from learnable_novelty.measure.spread import Spread
from learnable_novelty.measure.summary import SIGN_BLOCKS
from learnable_novelty.observer.roots import Roots


def observe_once(
    source: Stream, draft: Job, request: Request
) -> tuple[Job, list[list[Roots]], int]:
    """Gather the roots of blocks, one for each draw, and count the samples.

    Blocks start small. Whenever there are twice as many as wanted, they are merged two by two. The
    deviation of the targets is found on the way, and divided out of them at the end.
    """
    reach = 0 if draft.windows is None else draft.windows.reach
    columns = _Columns(draft)
    pieces = regrouped(columns.watch(read(source.chunks(), draft.layout)), draft.piece, reach)
    head = list(itertools.islice(pieces, 2))  # the width of the observer depends on few samples
    job = replace(
        draft, observers=observers_for(draft, sum(x.shape[0] - reach for x, _ in head), request)
    )
    held, size, done = BlockRoots({}), 1, 0
    for x, y in itertools.chain(head, pieces):
        inputs, targets = job.prepare(x, y)
        count = inputs.shape[0]
        while (done + count - 1) // size >= 2 * SIGN_BLOCKS:
            held, size = _merged_by_two(held), 2 * size
        cuts = [0, *range(size - done % size, count, size), count]
        found = roots_between(job, inputs, targets, cuts)
        for number, draws in enumerate(found, done // size):
            add_block(held, number, draws)
        done += count
        if request.progress is not None:
            request.progress(done, done)
    samples = check_length(columns.count, draft.windows)
    blocks = [held[number] for number in sorted(held)]
    if request.target_unit != "sd":
        return job, blocks, samples
    unit = columns.unit(draft)
    return job, [[one.in_units(unit) for one in draws] for draws in blocks], samples


def _merged_by_two(held: BlockRoots) -> BlockRoots:
    merged = BlockRoots({})
    for number in sorted(held):
        add_block(merged, number // 2, held[number])
    return merged


class _Columns:
    """Counts rows, and finds the deviation of the targets, as they go by."""

    def __init__(self, job: Job) -> None:
        self.count, self._axis = 0, job.column_axis
        self._spread: Spread | None = None

    def watch(self, chunks: Iterator[tuple[Tensor, Any]]) -> Iterator[tuple[Tensor, Any]]:
        """Pass chunks on."""
        for x, y in chunks:
            found = Spread.of(x if y is None else y, self._axis)
            self._spread = found if self._spread is None else self._spread + found
            self.count += x.shape[0]
            yield x, y

    def unit(self, job: Job) -> Tensor:
        """Return the deviation of every target column of the readout."""
        assert self._spread is not None
        deviation = self._spread.scale()[1]
        return deviation if job.windows is None else deviation.repeat(len(job.windows.leads))

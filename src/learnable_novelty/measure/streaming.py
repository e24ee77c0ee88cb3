"""The measure on data that is not in memory: roots of blocks, shard by shard.

Inputs are standardized per column, so a first pass finds means and deviations, unless
``standardize_inputs`` is off. Everything else is one pass: all draws see a piece of data while it
is in memory, and what is kept of it are the roots of a few dozen blocks per draw. Score,
standard error, floor and null are computed from them (``summary.measure_blocks``).
"""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass, replace
from typing import Any

from learnable_novelty.engine import Parcel, in_order
from learnable_novelty.errors import UserError
from learnable_novelty.measure.job import (
    BlockRoots,
    Job,
    Request,
    add_block,
    check_length,
    observers_for,
    roots_between,
)
from learnable_novelty.measure.once import observe_once
from learnable_novelty.measure.parts import Source
from learnable_novelty.measure.plan import (
    INPUTS_STANDARDIZED,
    NO_TARGETS,
    check_leads,
    read_target_unit,
)
from learnable_novelty.measure.rearrange import HYPOTHESES
from learnable_novelty.measure.result import Score
from learnable_novelty.measure.shards import SHARD_PIECES, Layout, Shard, read, read_part, shards_of
from learnable_novelty.measure.sources import Stream
from learnable_novelty.measure.spread import Spread
from learnable_novelty.measure.summary import (
    About,
    block_bounds,
    measure_blocks,
    num_sign_blocks,
    summarize,
)
from learnable_novelty.measure.windows import Windows
from learnable_novelty.observer.roots import Roots


def score_source(source: Source | Stream, request: Request) -> Score:
    """Score data by chunks."""
    if request.null.kind not in ("auto", "signs"):
        raise UserError(
            "data that is read by chunks cannot be rearranged: null must be a count or signs, "
            f"got {request.null.kind!r}"
        )
    windows, (posited, text) = request.windows(), read_target_unit(request.target_unit)
    if _once(source) and request.standardize_inputs:
        raise UserError(
            "expected data that can be read twice, to standardize the inputs first, got an "
            "iterator: pass a function that makes one, or standardize_inputs=False"
        )
    layout, source = _peek(source)
    _check_layout(layout, windows)
    axis = request.column_axis(layout)
    draft = Job([], layout, windows, axis, None, 1.0 if posited is None else posited, None)
    if isinstance(source, Stream) and _once(source):
        job, blocks, samples = observe_once(source, draft, request)
    else:
        look = _look(source, draft, request)
        job = _settle(draft, look, request)
        blocks, samples = _observe(source, job, look, request), check_length(look.count, windows)
    tasks = (
        (observer, [block[k] for block in blocks], request.null.count, request.seed)
        for k, observer in enumerate(job.observers)
    )
    draws = list(in_order(request.executor, measure_blocks, tasks))
    moved, claim = HYPOTHESES["signs"]
    about = About(
        num_samples=samples,
        target_dim=blocks[0][0].target_dim,
        rearranged=f"{moved} ({len(blocks)} blocks)",
        hypothesis=claim,
        standardization=(INPUTS_STANDARDIZED if request.standardize_inputs else "") + text,
        seed=request.seed,
    )
    return summarize(draws, about, job.observers[0])


def _once(source: Source | Stream) -> bool:
    """Tell an iterator, which cannot be read again."""
    return isinstance(source, Stream) and not source.again


def _peek(source: Source | Stream) -> tuple[Layout, Source | Stream]:
    """Look at the first samples, without losing them."""
    if isinstance(source, Source):
        for x, y in itertools.chain.from_iterable(read_part(p, None) for p in source.parts):
            return Layout.of(x, y), source
        raise UserError("expected samples, got none")
    chunks = source.chunks()
    seen: list[Any] = []
    for chunk in chunks:
        seen.append(chunk)
        for x, y in read(iter([chunk])):
            if _once(source):
                source = replace(source, make=lambda: itertools.chain(seen, chunks))
            return Layout.of(x, y), source
    raise UserError("expected samples, got none")


def _check_layout(layout: Layout, windows: Windows | None) -> None:
    if windows is None and layout.targets is None:
        raise UserError(NO_TARGETS)
    if windows is None:
        return
    for tail in (layout.inputs, layout.targets):
        if tail is not None and len(tail) != 1:
            shape = f"({', '.join(['time', *map(str, tail)])})"
            raise UserError(f"expected a series (time, columns), got shape {shape}")
    check_leads(windows, layout.targets is None)


@dataclass(frozen=True)
class _Look:
    """What the first pass saw."""

    counts: list[int]
    """Samples of each shard."""
    inputs: Spread | None = None
    targets: Spread | None = None
    read: int = 0
    """Samples that were read to see it."""

    @property
    def count(self) -> int:
        return sum(self.counts)


def _look(source: Source | Stream, draft: Job, request: Request) -> _Look:
    """Find counts, and means and deviations where they are wanted."""
    wanted = request.standardize_inputs or request.target_unit == "sd"
    if isinstance(source, Source) and source.count is not None and not wanted:
        return _Look([part.count or 0 for part in source.parts])
    length = source.count or 0
    shards = shards_of(source, 0, draft.piece * SHARD_PIECES)
    tasks = ((shard, draft.layout, draft.column_axis) for shard in shards)
    counts: list[int] = []
    done = 0
    total: tuple[Spread, Spread] | None = None
    for count, spreads in in_order(request.executor, look_at, tasks):
        counts.append(count)
        done += count
        if request.progress is not None:  # of two passes, each as long as is known
            request.progress(done, 2 * max(length, done))
        if spreads is not None:
            total = spreads if total is None else (total[0] + spreads[0], total[1] + spreads[1])
    assert total is not None  # the first samples were seen already
    return _Look(counts, *total, read=done)


def look_at(
    shard: Shard, layout: Layout, column_axis: int
) -> tuple[int, tuple[Spread, Spread] | None]:
    """Count the samples of a shard; return mean and deviation of inputs and of targets."""
    count, total = 0, None
    for x, y in shard.pieces(layout, layout.piece(column_axis)):
        spread = Spread.of(x, column_axis)
        pair = spread, spread if y is None else Spread.of(y, column_axis)
        total = pair if total is None else (total[0] + pair[0], total[1] + pair[1])
        count += x.shape[0]
    return count, total


def _settle(draft: Job, look: _Look, request: Request) -> Job:
    """Give the job its scales, its blocks and its observers."""
    length = check_length(look.count, draft.windows)
    job = replace(draft, bounds=tuple(block_bounds(length, num_sign_blocks(length))))
    if request.standardize_inputs and look.inputs is not None:
        job = replace(job, inputs=look.inputs.scale())
    if request.target_unit == "sd" and look.targets is not None:
        job = replace(job, unit=look.targets.scale()[1])
    return replace(job, observers=observers_for(job, length, request))


def _observe(source: Source | Stream, job: Job, look: _Look, request: Request) -> list[list[Roots]]:
    """Gather the roots of all blocks, one for each draw."""
    reach = 0 if job.windows is None else job.windows.reach
    length = check_length(look.count, job.windows)
    held, done = BlockRoots({}), 0
    shards = shards_of(source, reach, job.piece * SHARD_PIECES, look.counts)
    parcel = Parcel(job)  # of observers, for the most part
    for count, found in in_order(request.executor, observe, ((shard, parcel) for shard in shards)):
        for number, draws in found.items():
            add_block(held, number, draws)
        done += count
        if request.progress is not None:
            request.progress(look.read + min(done, length), look.read + length)
    if done != length:
        raise UserError(
            f"expected the same samples when they are read again, got {done} after {length}"
        )
    return [held[number] for number in sorted(held)]


def observe(shard: Shard, parcel: Parcel) -> tuple[int, BlockRoots]:
    """Return how many samples a shard has, and the roots of the blocks that it is in."""
    job: Job = parcel.content
    assert job.bounds is not None
    held, first = BlockRoots({}), shard.start
    for x, y in shard.pieces(job.layout, job.piece):
        inputs, targets = job.prepare(x, y)
        last = first + inputs.shape[0]
        block = bisect.bisect_right(job.bounds, first) - 1
        cuts = [0]
        numbers: list[int] = []
        while cuts[-1] < last - first:
            # More samples than were counted go to the last block; the count will not agree.
            end = job.bounds[block + 1] if block + 2 < len(job.bounds) else last
            numbers.append(block)
            cuts.append(min(end, last) - first)
            block += 1
        for number, draws in zip(numbers, roots_between(job, inputs, targets, cuts), strict=True):
            add_block(held, number, draws)
        first = last
    return first - shard.start, held

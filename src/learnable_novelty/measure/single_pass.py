"""An iterator that can be read once only: how long it is shows at its end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from torch import Tensor

from learnable_novelty.measure.blocks import BlockRoots, Blocks, Progress, roots_of_batch
from learnable_novelty.measure.defaults import draw_observers
from learnable_novelty.measure.draw import SIGN_BLOCKS
from learnable_novelty.measure.prepare import Spread, cut_windows, scale_columns
from learnable_novelty.measure.sources.base import Samples, Stream, read
from learnable_novelty.measure.sources.batches import regrouped
from learnable_novelty.measure.task import Settings, Task


def gather_in_one_pass(
    stream: Stream, task: Task, settings: Settings, progress: Progress
) -> Blocks:
    """Read all samples once.

    Blocks begin small. Whenever there are twice as many as wanted, they are merged two by two. The
    deviation of the targets is found on the way, and divided out of them at the end.
    """
    counter = _Counter(task.column_axis)
    chunks = counter.watch(read(stream.chunks(), task.layout))
    batches = regrouped(chunks, task.batch_size, task.reach)
    head = list(itertools.islice(batches, 2))  # the default width depends on few samples
    known = sum(x.shape[0] - task.reach for x, _ in head)
    observers = draw_observers(settings, task.observer_shape(known))
    gathered, size, done = BlockRoots(), 1, 0
    for x, y in itertools.chain(head, batches):
        inputs, targets = cut_windows(task, *scale_columns(task, x, y))
        count = inputs.shape[0]
        while (done + count - 1) // size >= 2 * SIGN_BLOCKS:
            gathered, size = _merged_by_two(gathered), 2 * size
        cuts = [0, *range(size - done % size, count, size), count]
        for number, roots in enumerate(
            roots_of_batch(observers, inputs, targets, cuts), done // size
        ):
            gathered.add(number, roots)
        done += count
        progress(done, done)
    samples = task.num_samples(counter.count)
    blocks = gathered.in_order()
    if settings.target_unit == "sd":
        unit = counter.target_deviation(task)
        blocks = [[roots.in_units(unit) for roots in block] for block in blocks]
    return Blocks(observers, blocks, samples)


def _merged_by_two(gathered: BlockRoots) -> BlockRoots:
    merged = BlockRoots()
    for number, roots in sorted(gathered.roots.items()):
        merged.add(number // 2, roots)
    return merged


class _Counter:
    """Counts rows, and finds the deviation of the targets, as they pass."""

    def __init__(self, column_axis: int) -> None:
        self.count, self._axis = 0, column_axis
        self._spread: Spread | None = None

    def watch(self, chunks: Iterator[Samples]) -> Iterator[Samples]:
        """Pass chunks on."""
        for x, y in chunks:
            spread = Spread.of(x if y is None else y, self._axis)
            self._spread = spread if self._spread is None else self._spread + spread
            self.count += x.shape[0]
            yield x, y

    def target_deviation(self, task: Task) -> Tensor:
        """Return the deviation of every target column of the readout."""
        assert self._spread is not None
        deviation = self._spread.scale()[1]
        return deviation if task.windows is None else deviation.repeat(len(task.windows.leads))

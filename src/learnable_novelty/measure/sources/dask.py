"""Dask arrays and data frames, partition by partition.

A partition carries its own tasks and no others, so that what is sent to a worker is not larger than
the partition. Of a persisted collection it carries where on the cluster the partition is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from learnable_novelty.errors import UserError, UserTypeError
from learnable_novelty.measure.sources.base import Chunk, Source
from learnable_novelty.measure.sources.memory import describe_index


@dataclass(frozen=True)
class TaskGraph:
    """The tasks that make a partition, and how their results are put together."""

    graph: dict[Any, Any]
    keys: list[Any]
    finalize: tuple[Any, tuple[Any, ...]]
    futures: tuple[Any, ...]
    """Results that are on a cluster."""
    columns: tuple[str, ...] | None
    """Names, of a data frame."""

    def compute(self) -> Any:
        """Compute it in this process and thread, which the executor has chosen."""
        from dask.local import get_sync

        join, extra = self.finalize
        return join(get_sync(self._fetched().graph, self.keys), *extra)

    def _fetched(self) -> TaskGraph:
        if not self.futures:
            return self
        client = self.futures[0].client
        if client is None:  # this process is not a worker of the cluster
            raise UserError(
                "expected the executor of the Dask client that holds this data, or none"
            )
        results = client.gather(list(self.futures))
        return self.with_results(
            {future.key: one for future, one in zip(self.futures, results, strict=True)}
        )

    def with_results(self, values: Mapping[Any, Any]) -> TaskGraph:
        """Return it with results in the place of futures."""
        results = {future.key: values[future.key] for future in self.futures}
        return replace(self, graph={**self.graph, **results}, futures=())


@dataclass(frozen=True)
class DaskPartition:
    """A partition of a Dask array or data frame, or of two of them."""

    number: int
    inputs: TaskGraph
    targets: TaskGraph | None
    count: int | None

    def chunks(self) -> Iterator[Chunk]:
        yield self.inputs.compute(), None if self.targets is None else self.targets.compute()

    @property
    def futures(self) -> tuple[Any, ...]:
        """Results on a cluster that it is computed from."""
        return self.inputs.futures + (() if self.targets is None else self.targets.futures)

    def with_results(self, values: Mapping[Any, Any]) -> DaskPartition:
        """Return it with results in the place of futures."""
        y = None if self.targets is None else self.targets.with_results(values)
        return replace(self, inputs=self.inputs.with_results(values), targets=y)

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        chosen = self.targets if targets and self.targets is not None else self.inputs
        if chosen.columns is None:
            return f"{describe_index(index)} of partition {self.number}"
        return f"column {chosen.columns[index[1]]!r}, row {index[0]} of partition {self.number}"


def dask_source(inputs: Any, targets: Any) -> Source:
    """Divide Dask arrays or data frames into their partitions.

    Raises:
        TypeError: for other collections, and for one of each.
        ValueError: for partitions that do not belong together.
    """
    kind = _kind(inputs, "inputs")
    if targets is not None and _kind(targets, "targets") != kind:
        raise UserTypeError(
            f"expected targets from Dask of the kind of the inputs, {kind}, "
            f"got {_kind(targets, 'targets')}"
        )
    divided = [one if kind == FRAME else _by_rows(one, inputs) for one in (inputs, targets)]
    x, y = ([] if one is None else _graphs(one) for one in divided)
    if targets is not None and len(x) != len(y):
        raise UserError(
            f"expected inputs and targets of as many partitions, got {len(x)} and {len(y)}"
        )
    counts = [None] * len(x) if kind == FRAME else [_known(n) for n in inputs.chunks[0]]
    return Source(
        [DaskPartition(n, one, y[n] if y else None, counts[n]) for n, one in enumerate(x)]
    )


ARRAY, FRAME = "an array", "a data frame"


def _kind(collection: Any, name: str) -> str:
    if type(collection).__module__.partition(".")[0] not in ("dask", "dask_expr"):
        kind = type(collection).__name__
        raise UserTypeError(f"expected {name} from Dask beside inputs from Dask, got {kind}")
    if hasattr(collection, "get_partition"):
        return FRAME
    if hasattr(collection, "blocks") and collection.ndim > 0:
        return ARRAY
    raise UserTypeError(
        f"expected a Dask array of samples or a Dask data frame as {name}, "
        f"got {type(collection).__name__}"
    )


def _known(count: float) -> int | None:
    return None if math.isnan(count) else int(count)


def _by_rows(array: Any, like: Any) -> Any:
    """Divide an array by rows only, as another one is."""
    if array is None:
        return None
    rows = like.chunks[0]
    if not any(math.isnan(count) for count in rows) and array.shape[0] == like.shape[0]:
        return array.rechunk({0: rows, **dict.fromkeys(range(1, array.ndim), -1)})
    if array.shape[0] != like.shape[0] and not math.isnan(array.shape[0] + like.shape[0]):
        raise UserError(
            f"expected as many targets as inputs, {like.shape[0]}, got {array.shape[0]}"
        )
    return array


def _graphs(collection: Any) -> list[TaskGraph]:
    """Return the tasks of every partition of a collection."""
    from dask.base import optimize
    from dask.optimization import cull

    # Of a frame only the columns that are needed: dask.optimize loses their choice (2026.8), and
    # the frame's own optimize() may join partitions, those of inputs otherwise than of targets.
    is_frame = hasattr(collection, "simplify")
    whole = collection.simplify() if is_frame else optimize(collection)[0]
    futures = _futures_of(collection)
    graph = {**whole.__dask_graph__(), **futures}
    names = getattr(collection, "columns", None)
    columns = None if names is None else tuple(str(name) for name in names)
    graphs: list[TaskGraph] = []
    for key in whole.__dask_keys__():
        needed, _ = cull(graph, [key])
        tasks = {name: task for name, task in needed.items() if name not in futures}
        remote = tuple(futures[name] for name in needed.keys() - tasks.keys())
        graphs.append(TaskGraph(tasks, [key], whole.__dask_postcompute__(), remote, columns))
    return graphs


def _futures_of(collection: Any) -> dict[Any, Any]:
    """Return the results of a collection that are on a cluster, by key."""
    if "distributed" not in sys.modules:
        return {}
    from distributed import futures_of

    return {future.key: future for future in futures_of(collection)}

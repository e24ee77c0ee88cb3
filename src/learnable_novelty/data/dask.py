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

from learnable_novelty.data.memory import describe_index
from learnable_novelty.data.source import Chunk, Source
from learnable_novelty.errors import UserError, UserTypeError


@dataclass(frozen=True)
class DaskPartition:
    """A partition of a Dask array or data frame, or of two of them."""

    number: int
    count: int | None
    graph: dict[Any, Any]
    """The tasks that make it."""
    keys: tuple[Any, ...]
    """Of the inputs, and of the targets if any."""
    futures: tuple[Any, ...]
    """Results on a cluster that it is computed from."""
    names: tuple[tuple[str, ...] | None, ...]
    """Columns of inputs and targets, of a data frame."""

    def chunks(self) -> Iterator[Chunk]:
        """Compute it in this process and thread, which the executor has chosen."""
        from dask.local import get_sync

        part = self
        if self.futures:
            client = self.futures[0].client
            if client is None:  # this process is not a worker of the cluster
                raise UserError(
                    "expected the executor of the Dask client that holds this data, or none"
                )
            results = client.gather(list(self.futures))
            keys = (future.key for future in self.futures)
            part = self.with_results(dict(zip(keys, results, strict=True)))
        blocks = get_sync(part.graph, list(self.keys))
        yield blocks[0], blocks[1] if len(blocks) > 1 else None

    def with_results(self, values: Mapping[Any, Any]) -> DaskPartition:
        """Return it with results in the place of futures."""
        results = {future.key: values[future.key] for future in self.futures}
        return replace(self, graph={**self.graph, **results}, futures=())

    def where(self, index: tuple[int, ...], *, targets: bool) -> str:
        """Say where a number is."""
        names = self.names[1 if targets and len(self.names) > 1 else 0]
        if names is None:
            return f"{describe_index(index)} of partition {self.number}"
        return f"column {names[index[1]]!r}, row {index[0]} of partition {self.number}"


def dask_source(inputs: Any, targets: Any) -> Source:
    """Divide Dask arrays or data frames into their partitions.

    Raises:
        UserTypeError: for other collections, and for one of each.
        UserError: for partitions that do not belong together.
    """
    given = {"inputs": inputs} if targets is None else {"inputs": inputs, "targets": targets}
    kinds = {name: _kind(one, name) for name, one in given.items()}
    if len(set(kinds.values())) > 1:
        raise UserTypeError(
            f"expected targets from Dask of the kind of the inputs, {kinds['inputs']}, "
            f"got {kinds['targets']}"
        )
    wholes = [_Whole.of(one, inputs) for one in given.values()]
    sizes = [len(whole.keys) for whole in wholes]
    if len(set(sizes)) > 1:
        raise UserError(
            f"expected inputs and targets of as many partitions, got {sizes[0]} and {sizes[1]}"
        )
    rows = [math.nan] * sizes[0] if kinds["inputs"] == FRAME else inputs.chunks[0]
    counts = [None if math.isnan(count) else int(count) for count in rows]
    return Source([_partition(number, count, wholes) for number, count in enumerate(counts)])


ARRAY, FRAME = "an array", "a data frame"


def _kind(collection: Any, name: str) -> str:
    kind = type(collection).__name__
    if type(collection).__module__.partition(".")[0] not in ("dask", "dask_expr"):
        raise UserTypeError(f"expected {name} from Dask beside inputs from Dask, got {kind}")
    if hasattr(collection, "get_partition"):
        return FRAME
    if hasattr(collection, "blocks") and collection.ndim > 0:
        return ARRAY
    raise UserTypeError(
        f"expected a Dask array of samples or a Dask data frame as {name}, got {kind}"
    )


@dataclass(frozen=True)
class _Whole:
    """All tasks of a collection, and the keys of its partitions."""

    graph: dict[Any, Any]
    keys: list[Any]
    futures: dict[Any, Any]
    """Results that are on a cluster, by key."""
    names: tuple[str, ...] | None

    @staticmethod
    def of(given: Any, like: Any) -> _Whole:
        from dask.base import optimize
        from dask.core import flatten

        if hasattr(given, "simplify"):
            # Of a frame only the columns that are needed: dask.optimize loses their choice
            # (2026.8), and the frame's own optimize() may join partitions, differently for
            # inputs and targets.
            whole = given.simplify()
        else:
            whole = optimize(_by_rows(given, like))[0]
        futures: dict[Any, Any] = {}
        if "distributed" in sys.modules:
            from distributed import futures_of

            futures = {future.key: future for future in futures_of(given)}
        names = getattr(given, "columns", None)
        return _Whole(
            graph={**whole.__dask_graph__(), **futures},
            keys=list(flatten(whole.__dask_keys__())),
            futures=futures,
            names=None if names is None else tuple(str(name) for name in names),
        )


def _by_rows(array: Any, like: Any) -> Any:
    """Divide an array by rows only, as another one is."""
    rows = like.chunks[0]
    known = not any(math.isnan(count) for count in (*rows, *array.chunks[0]))
    if known and array.shape[0] != like.shape[0]:
        raise UserError(
            f"expected as many targets as inputs, {like.shape[0]}, got {array.shape[0]}"
        )
    whole = dict.fromkeys(range(1, array.ndim), -1)
    return array.rechunk({0: rows, **whole} if known else whole)


def _partition(number: int, count: int | None, wholes: list[_Whole]) -> DaskPartition:
    """Take the tasks of one partition out of all."""
    from dask.optimization import cull

    tasks: dict[Any, Any] = {}
    remote: dict[Any, Any] = {}
    for whole in wholes:
        needed, _ = cull(whole.graph, [whole.keys[number]])
        remote.update({name: whole.futures[name] for name in needed if name in whole.futures})
        tasks.update({name: task for name, task in needed.items() if name not in whole.futures})
    return DaskPartition(
        number=number,
        count=count,
        graph=tasks,
        keys=tuple(whole.keys[number] for whole in wholes),
        futures=tuple(remote.values()),
        names=tuple(whole.names for whole in wholes),
    )

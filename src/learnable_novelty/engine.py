"""Where work runs: in this process, on this machine's cores, or on a Dask cluster.

Everything that fans out is written against ``concurrent.futures.Executor``; any other executor
can be passed from Python.
"""

from __future__ import annotations

import functools
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from learnable_novelty.cluster import knowing_its_workers, open_cluster
from learnable_novelty.errors import EngineError, UserError

Report = Callable[[int, int], None]


class Parcel:
    """Data that many tasks share: pickled once here, unpickled once in each process that needs it.

    >>> Parcel([1, 2]).content
    [1, 2]
    """

    def __init__(self, content: Any) -> None:
        self.content = content

    @functools.cached_property
    def _packed(self) -> bytes:
        try:  # it comes with Dask, and sends along what a user's script defines
            from cloudpickle import dumps
        except ModuleNotFoundError:
            from pickle import dumps
        return dumps(self.content, protocol=pickle.HIGHEST_PROTOCOL)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self._packed,)


@functools.lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> Parcel:
    return Parcel(pickle.loads(packed))  # a task of this program, never a file


class Serial(Executor):
    """An executor that runs each task when it is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - an executor hands any failure to the future
            future.set_exception(error)
        return future


@contextmanager
def open_engine(name: str) -> Iterator[Executor]:
    """Open the named engine.

    Args:
        name: "serial" (this process), "cores" or "cores:N" (processes of this machine), "dask" or
            "dask:N" (a Dask cluster on this machine), or "dask://HOST:PORT" (the scheduler of one
            that runs already).

    Raises:
        EngineError: if workers or the cluster die while the work is done.
    """
    kind, _, number = name.partition(":")
    if kind == "serial" and not number:
        yield Serial()
        return
    remote = kind == "dask" and number.startswith("//") and ":" in number
    counted = not number or (number.isdigit() and int(number) > 0)
    if kind not in ("cores", "dask") or not (remote or counted):
        raise UserError(
            'engine must be "serial", "cores", "cores:N", "dask", "dask:N" or "dask://HOST:PORT", '
            f"got {name!r}"
        )
    address = number.removeprefix("//") if remote else None
    workers = int(number) if number and not remote else available_cores()
    if kind == "dask":
        with open_cluster(address, workers) as executor:
            yield executor
        return
    # Spawned, not forked: a fork copies the locks of torch's threads but not the threads.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
    try:
        with _one_thread_each():
            yield pool
    except BaseException as error:
        # What the workers compute now is lost anyway; waiting for it would make Ctrl-C seem dead.
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        if isinstance(error, BrokenExecutor):
            raise EngineError(
                f"a worker process of the engine {name!r} died, often because memory ran out; "
                "use fewer workers, such as 'cores:1', or free memory, and run it again"
            ) from error
        raise
    pool.shutdown()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Limit the linear algebra of processes started in this block to one thread, as torch's is."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    executor: Executor | None,
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
) -> Iterator[Any]:
    """Run a function over tasks and yield the results in their order.

    Few tasks are under way at a time, so that neither they nor their results pile up.
    """
    if executor is None or isinstance(executor, Serial):
        for arguments in tasks:
            yield function(*arguments)
        return
    executor = knowing_its_workers(executor)
    waiting: deque[Future[Any]] = deque()
    try:
        for arguments in tasks:
            waiting.append(executor.submit(function, *arguments))
            # Executors of the standard library and ours say how many workers they have now.
            while len(waiting) >= 2 * getattr(executor, "_max_workers", available_cores()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _start_worker() -> None:
    import torch

    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Ctrl-C reaches the whole group; only the parent should answer it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)


def _end_with_parent() -> None:
    """End this worker when its parent is killed; it would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

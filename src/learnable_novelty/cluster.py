"""A Dask cluster as an executor: one on this machine, or one that runs elsewhere already.

Tasks carry their data with them, so a task whose worker dies is run again by another worker. The
result does not depend on which worker computed it, nor on how often it was started.
"""

from __future__ import annotations

import functools
import logging
import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from typing import Any

from learnable_novelty.errors import EngineError, NoveltyError, UserError, needs_extra

CONNECT_SECONDS = 20.0
ASK_SECONDS = 5.0
"""How long a count of the workers is used: those of a queue start one after the other."""

# Dask has its workers give memory back to the system whenever something is freed. Reservoirs free
# and take a few megabytes thousands of times, which then costs as much time as the computation.
KEEP_FREED_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": 256 << 20,  # bytes free at the top of the heap before any is returned
    "MALLOC_MMAP_THRESHOLD_": 64 << 20,  # what is larger is asked of the system, and returned to it
}


class DaskExecutor(Executor):
    """The executor of a ``distributed.Client``; the client stays open when it shuts down."""

    def __init__(self, client: Any, **options: Any) -> None:
        self._client = client
        # Not pure: every task is run, and none is taken for another one with equal arguments.
        self._inner = client.get_executor(**{**options, "pure": False})
        self._workers, self._asked = 0, -math.inf

    @property
    def _max_workers(self) -> int:
        now = time.monotonic()
        if now > self._asked + ASK_SECONDS:
            self._workers, self._asked = sum(self._client.nthreads().values()), now
        return max(1, self._workers)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with warnings.catch_warnings():
            # Dask would rather have data put on a worker first; with that worker it could be lost.
            warnings.filterwarnings("ignore", "Sending large graph")
            # One object: Dask would look into arguments for collections to compute.
            call = functools.partial(on_one_thread, fn, *args, **kwargs)
            futures = {future.key: future for arg in args for future in getattr(arg, "futures", ())}
            if not futures:
                return self._inner.submit(call)
            # What the cluster holds comes as arguments, so that Dask finds it, or makes it again.
            return self._inner.submit(_with_results, call, list(futures), *futures.values())

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait and not cancel_futures)


def knowing_its_workers(executor: Executor) -> Executor:
    """Return the executor of a Dask client as one of ours, any other as it is."""
    if type(executor).__module__.partition(".")[0] != "distributed":
        return executor
    theirs: Any = executor
    return DaskExecutor(theirs._client, **theirs._kwargs)


def _with_results(call: functools.partial[Any], keys: list[Any], *results: Any) -> Any:
    """Call a function whose arguments hold futures, once there are results in their place."""
    values = dict(zip(keys, results, strict=True))
    filled = [
        arg.with_results(values) if hasattr(arg, "with_results") else arg for arg in call.args
    ]
    return call.func(*filled, **call.keywords)


def on_one_thread(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a function; with more threads sums are taken in another order, and their last bits."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return fn(*args, **kwargs)
    finally:
        torch.set_num_threads(before)


@contextmanager
def open_cluster(address: str | None, workers: int | None) -> Iterator[DaskExecutor]:
    """Connect to a scheduler at HOST:PORT, or start a cluster of processes on this machine."""
    with needs_extra("the dask engine", "cluster"):
        import dask.config
        from distributed import Client, LocalCluster
    if address is None:
        environment = "distributed.nanny.pre-spawn-environ"
        with dask.config.set({f"{environment}.{k}": v for k, v in KEEP_FREED_MEMORY.items()}):
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",
            )
        with cluster, Client(cluster) as client:
            client.run(_start_worker)
            with _working(client) as executor:
                yield executor
        return
    # It logs tracebacks of its attempts to reach a scheduler that is gone; our sentence says it.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        client = Client(f"tcp://{address}", timeout=CONNECT_SECONDS)
    except OSError:
        raise UserError(f"expected a Dask scheduler at {address}, none answered") from None
    with client, _working(client) as executor:
        yield executor


@contextmanager
def _working(client: Any) -> Iterator[DaskExecutor]:
    executor = DaskExecutor(client)
    try:
        yield executor
    except BaseException as error:
        with suppress(Exception):  # a scheduler that is gone has nothing to cancel
            executor.shutdown(cancel_futures=True)
        reason = _lost(error, client)
        if reason:
            raise EngineError(f"{reason}, and run it again") from error
        raise
    executor.shutdown()


def _lost(error: BaseException, client: Any) -> str | None:
    """Say what went away, if the cluster and not the work is why a task failed."""
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            "a task ended every Dask worker that tried it, often because memory ran out; use "
            "workers with more memory"
        )
    known = isinstance(error, Exception) and not isinstance(error, NoveltyError)
    if isinstance(error, (CancelledError, CommClosedError)) or (
        known and client.status != "running"
    ):
        return "the Dask scheduler went away before the work was done; start it again"
    return None


def _start_worker() -> None:
    import torch

    # Ctrl-C reaches the whole group; only the parent should answer it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)

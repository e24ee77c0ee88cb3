"""Run a function over named tasks, remembering the finished ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, as_completed
from typing import Any

from learnable_novelty.cluster import knowing_its_workers
from learnable_novelty.engine import Report, Serial
from novelty_lab.records import Journal


def run_tasks(
    function: Callable[..., Any],
    tasks: Mapping[str, tuple[Any, ...]],
    executor: Executor,
    *,
    journal: Journal | None = None,
    report: Report | None = None,
) -> dict[str, Any]:
    """Run a function over named tasks, remembering the finished ones.

    Args:
        function: called with a task's arguments; importable by name, returns what JSON can hold.
        tasks: arguments by task name.
        executor: where to run.
        journal: finished tasks are read from it and added to it.
        report: called with the number of tasks done and to do.

    Returns:
        Results by task name, in the order of the tasks.
    """
    executor = knowing_its_workers(executor)
    done = {} if journal is None else {k: v for k, v in journal.read().items() if k in tasks}
    if report is not None:
        report(len(done), len(tasks))
    futures: dict[Future[Any], str] = {}

    def finish(future: Future[Any]) -> None:
        name = futures[future]
        done[name] = future.result()
        if journal is not None:
            journal.add(name, done[name])
        if report is not None:
            report(len(done), len(tasks))

    for name, arguments in tasks.items():
        if name in done:
            continue
        future = executor.submit(function, *arguments)
        futures[future] = name
        if isinstance(executor, Serial):  # already finished: journal it before the next one
            finish(future)
    if not isinstance(executor, Serial):
        for future in as_completed(futures):
            finish(future)
    return {name: done[name] for name in tasks}

"""Progress bars on the error stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from learnable_novelty.text import printable


class _Bars:
    """A bar for the tasks, and one for the steps of the present task if it reports them."""

    def __init__(self, progress: Any, title: str, total: int | None) -> None:
        self._progress = progress
        self._tasks = progress.add_task(printable(title), total=total)
        self._steps: Any = None

    def __call__(self, done: int, of: int) -> None:
        self._progress.update(self._tasks, completed=done, total=of)

    def describe(self, text: str) -> None:
        """Change the title."""
        self._progress.update(self._tasks, description=printable(text))

    def detail(self, text: str, done: int, of: int) -> None:
        if self._steps is None:
            self._steps = self._progress.add_task(printable(text), total=of)
        self._progress.update(self._steps, description=printable(text), completed=done, total=of)


@contextmanager
def progress(title: str, total: int | None, *, show: bool = True) -> Iterator[_Bars]:
    """Show progress on the error stream, so that the output stays clean."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        TextColumn("{task.description}", markup=False),
        *columns,
        console=Console(stderr=True),
        transient=True,
        disable=not show,
    ) as bar:
        yield _Bars(bar, title, total)

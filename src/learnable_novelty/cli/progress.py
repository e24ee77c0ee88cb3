"""Progress bars on the error stream, tables on the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from learnable_novelty.text import printable


def print_tables(tables: Iterable[Any]) -> None:
    """Print tables of a report."""
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console()
    for table in tables:
        shown = RichTable(title=table.title, title_justify="left")
        for column in table.columns:
            shown.add_column(column, no_wrap=column in table.unbroken)
        for row in table.rows:
            shown.add_row(*map(printable, row))
        console.print(shown)


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

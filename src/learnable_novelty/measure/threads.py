"""One thread for small data: threads that wait for each other take longer than the work."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import torch

SMALL = 2_000_000
"""Values of features, rows times width, below which one thread is used."""
P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def threads_for(values: int) -> Iterator[None]:
    """Use one torch thread in this block if there is little to do; then the former number again."""
    before = torch.get_num_threads()
    if values >= SMALL or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def few_threads(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function of many small steps with one torch thread."""

    @functools.wraps(function)
    def run(*arguments: P.args, **keywords: P.kwargs) -> R:
        with threads_for(0):
            return function(*arguments, **keywords)

    return run

"""Ctrl-C and SIGTERM between steps, not within one: a step that is half done cannot be saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Interrupts:
    """Whether an end has been asked for."""

    requested: int = 0
    """The signal that asked for it, or 0."""


@contextmanager
def deferred_interrupts() -> Iterator[Interrupts]:
    """Note SIGINT and SIGTERM instead of obeying them at once; the second SIGINT is obeyed.

    Only default handlers are replaced, and only in the main thread, where Python allows it. A
    worker gets SIGTERM from whoever ends all processes, and again from its parent.
    """
    interrupts = Interrupts()
    handlers: dict[int, Any] = {}

    def note(number: int, _: Any) -> None:
        interrupts.requested = number
        if number == signal.SIGINT:
            signal.signal(number, handlers[number])

    if threading.current_thread() is threading.main_thread():
        defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
        for number, default in defaults.items():
            if signal.getsignal(number) == default:
                handlers[number] = signal.signal(number, note)
    try:
        yield interrupts
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

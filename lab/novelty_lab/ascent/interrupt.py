"""Ctrl-C between steps, not within one: a step that is half done cannot be saved."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

SAME_SIGTERM_SECONDS = 5.0
"""SIGTERM within this time of the first one is the same request."""


@dataclass
class Interrupts:
    """Whether an end has been asked for."""

    requested: int = 0
    """The signal that asked for it, or 0."""


class Interruption(KeyboardInterrupt):
    """A run that was interrupted and saved."""

    @staticmethod
    def of(interrupts: Interrupts, step: int, directory: Path | None) -> BaseException:
        """Return what to raise: a polite interruption, or the exit that SIGTERM means."""
        if interrupts.requested == signal.SIGTERM:
            return SystemExit(128 + signal.SIGTERM)
        if directory is None:
            return Interruption(f"interrupted after step {step}; nothing is saved")
        return Interruption(f"interrupted after step {step}; it is saved in {directory}")


@contextmanager
def deferred_interrupts() -> Iterator[Interrupts]:
    """Note SIGINT and SIGTERM instead of obeying them at once; the second one is obeyed.

    Only default handlers are replaced, and only in the main thread, where Python allows it.
    """
    interrupts = Interrupts()
    handlers: dict[int, Any] = {}

    first_sigterm = math.inf

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal first_sigterm
        interrupts.requested = number
        if number != signal.SIGTERM:
            signal.signal(number, handlers[number])
            return
        # A worker gets it from whoever ends all processes, and again from its parent.
        first_sigterm = min(first_sigterm, time.monotonic())
        if time.monotonic() - first_sigterm > SAME_SIGTERM_SECONDS:
            signal.signal(number, handlers[number])
            signal.raise_signal(number)

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

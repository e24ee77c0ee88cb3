"""A soak: streams scored without pause, with resets, beside the batch score of what they hold.

``python -m stress soak --seconds 3600 --save`` writes stress/soak.json.

Eight streams watch Lorenz trajectories. The first is never reset, so its count passes millions; the
others end after random numbers of pairs, as episodes do. At every sample, memory is read and every
stream's score is compared with the batch score, from moments merged chunk by chunk, of the pairs
that it has seen since its last reset. Before a reset the score is compared once more.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.__main__ import machine
from benchmarks.chunks import resident_bytes
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments
from learnable_novelty.seeds import numpy_generator
from novelty_lab.systems.flows import LORENZ

HERE = Path(__file__).parent
STATED_DRIFT = 1e-8
"""What docs/reliability.md says of a stream: eight digits of the batch score."""
FLAT_MEMORY = 0.02
"""By how much memory may have grown from the first tenth of the samples to the last."""


@dataclass(frozen=True)
class Setting:
    """What is streamed, and how long."""

    seconds: float = 3600.0
    interval: float = 10.0
    """Seconds between samples."""
    streams: int = 8
    width: int = 32
    window: int = 4
    """Lead times predicted."""
    ridge_penalty: float = 1.0
    shortest: int = 50
    longest: int = 20_000
    """Least and largest number of pairs before a reset."""
    chunk: int = 256
    """Steps generated, and merged into the reference, at a time."""
    seed: int = 0


@dataclass
class Soak:
    """What was seen."""

    steps: int = 0
    pairs: int = 0
    resets: int = 0
    comparisons: int = 0
    worst_drift: float = 0.0
    """Largest |stream - batch| / max(1, batch), in bits."""
    longest_stream: int = 0
    longest_drift: float = 0.0
    """Drift of the stream that is never reset, at the end."""
    samples: list[dict[str, float]] = field(default_factory=list)


class Streams:
    """The online observer and, beside it, the merged moments of what each stream has seen."""

    def __init__(self, setting: Setting, soak: Soak) -> None:
        self.setting, self.soak = setting, soak
        self.reservoir = reservoirs.MLP(LORENZ.dim, setting.width, 4)
        self.batch = Observer(self.reservoir, ridge_penalty=setting.ridge_penalty)
        self.online = OnlineObserver(
            self.reservoir,
            target_dim=LORENZ.dim * setting.window,
            num_streams=setting.streams,
            ridge_penalty=setting.ridge_penalty,
        )
        self.held: list[Moments | None] = [None] * setting.streams
        self.random = numpy_generator(setting.seed, "soak")
        self.left = self.random.integers(setting.shortest, setting.longest, setting.streams)
        self.left[0] = np.iinfo(np.int64).max  # never reset
        # Compilation and lazy loading, before time and memory are looked at.
        zeros = torch.zeros(setting.streams, LORENZ.dim, dtype=torch.float64)
        self.online.update(zeros, zeros.repeat(1, setting.window))
        self.online.reset()

    def take(self, inputs: Tensor, targets: Tensor) -> None:
        """Stream a chunk: inputs (steps, streams, dim), targets (steps, streams, window * dim)."""
        start = np.zeros(self.setting.streams, dtype=int)
        for step, (x, y) in enumerate(zip(inputs, targets, strict=True), start=1):
            self.online.update(x, y)
            self.left -= 1
            for stream in np.flatnonzero(self.left == 0).tolist():
                self._remember(stream, inputs[start[stream] : step], targets[start[stream] : step])
                self._compare(stream)
                self.online.reset([stream])
                self.held[stream], start[stream] = None, step
                self.left[stream] = self.random.integers(
                    self.setting.shortest, self.setting.longest
                )
                self.soak.resets += 1
        for stream, first in enumerate(start.tolist()):
            self._remember(stream, inputs[first:], targets[first:])
        self.soak.steps += len(inputs)
        self.soak.pairs += inputs.shape[0] * inputs.shape[1]

    def compare(self) -> None:
        """Compare every stream with the batch."""
        for stream in range(self.setting.streams):
            self._compare(stream)
        self.soak.longest_stream = int(self.online.count.max())

    def _remember(self, stream: int, inputs: Tensor, targets: Tensor) -> None:
        if len(inputs):
            part = Moments.of(self.reservoir(inputs[:, stream]), targets[:, stream])
            held = self.held[stream]
            self.held[stream] = part if held is None else held + part

    def _compare(self, stream: int) -> None:
        held = self.held[stream]
        if held is None or held.count < 2:
            return
        bits = float(self.batch.bits(held))
        drift = abs(float(self.online.cumulative[stream]) - bits) / max(1.0, bits)
        if not math.isfinite(drift):
            raise ArithmeticError(f"stream {stream} is at {self.online.cumulative[stream]} bits")
        self.soak.worst_drift = max(self.soak.worst_drift, drift)
        self.soak.comparisons += 1
        if stream == 0:
            self.soak.longest_drift = drift


def run(setting: Setting, report: Callable[[Soak], None] | None = None) -> Soak:
    """Stream until the time is over."""
    soak = Soak()
    streams = Streams(setting, soak)
    # Standardized by the attractor's own spread, as a user's data would be.
    state = LORENZ.on_attractor(setting.streams, burn_in=10.0, seed=setting.seed)
    sample = LORENZ.on_attractor(512, burn_in=10.0, seed=setting.seed)
    mean, spread = sample.mean(0), sample.std(0)
    started = due = time.monotonic()
    while time.monotonic() - started < setting.seconds:
        states = LORENZ.trajectory(state, 0.1, setting.chunk + setting.window)
        state = states[setting.chunk]
        values = torch.from_numpy((states - mean) / spread)
        leads = [values[lead : lead + setting.chunk] for lead in range(1, setting.window + 1)]
        streams.take(values[: setting.chunk], torch.cat(leads, dim=2))
        if time.monotonic() >= due:
            due = time.monotonic() + setting.interval
            streams.compare()
            soak.samples.append(
                {
                    "seconds": round(time.monotonic() - started, 1),
                    "resident_mb": round(resident_bytes() / 1e6, 2),
                    "pairs": soak.pairs,
                    "worst_drift": soak.worst_drift,
                }
            )
            if report is not None:
                report(soak)
    streams.compare()
    return soak


def growth(samples: Sequence[dict[str, float]]) -> float:
    """Return how much larger memory was in the last tenth of the samples than in the first."""
    held = [sample["resident_mb"] for sample in samples]
    size = max(1, len(held) // 10)
    first, last = np.median(held[:size]), np.median(held[-size:])
    return float(last / first - 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and write; return 1 if memory grew or the drift is more than stated."""
    parser = argparse.ArgumentParser(prog="python -m stress soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--interval", type=float, default=10.0, help="seconds between samples")
    parser.add_argument("--save", action="store_true", help="also write stress/soak.json")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    setting = Setting(seconds=options.seconds, interval=options.interval)

    def report(soak: Soak) -> None:
        last = soak.samples[-1]
        print(
            f"{last['seconds']:8.0f} s  {soak.pairs:>12,} pairs  {soak.resets:>6} resets  "
            f"{last['resident_mb']:.1f} MB  drift {soak.worst_drift:.1e}",
            flush=True,
        )

    where = machine()
    soak = run(setting, report)
    grew = growth(soak.samples)
    made: dict[str, Any] = {
        "machine": where,
        "setting": dataclasses.asdict(setting),
        "memory_growth": grew,
        "met": soak.worst_drift <= STATED_DRIFT and grew <= FLAT_MEMORY,
        **dataclasses.asdict(soak),
    }
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    text = json.dumps(made, indent=1) + "\n"
    (out / "soak.json").write_text(text)
    if options.save:
        draft = HERE / ".soak.json.draft"
        draft.write_text(text)
        os.replace(draft, HERE / "soak.json")
    print(f"memory grew by {grew:.2%}, drift at most {soak.worst_drift:.1e}")
    return 0 if made["met"] else 1

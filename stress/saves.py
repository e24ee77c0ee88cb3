"""Kill a process while it saves over a file, and look at what is left.

``python -m stress saves --kills 20``. A child saves two versions of one thing in turn, under one
name, until it is killed (SIGKILL) at a random moment. What is there afterwards must be the one or
the other, byte by byte.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import multiprocessing
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces

import learnable_novelty as ln
from learnable_novelty.reward import NoveltyRewardWrapper
from novelty_lab.ascent.checkpoints import Checkpoint, Checkpoints
from novelty_lab.explorer import site
from novelty_lab.records import Record

FORK = multiprocessing.get_context("fork")
Save = Callable[[Path], object]
"""Saves into a folder, always under the same name."""


class _Noise(gymnasium.Env[Any, Any]):
    """Observations without a rule; an episode has eight steps."""

    observation_space = spaces.Box(-9.0, 9.0, (6,), np.float64)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.left = 8
        return self.np_random.normal(size=6), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.left -= 1
        return self.np_random.normal(size=6), 1.0, not self.left, False, {}


def _bonus(seed: int) -> Save:
    made: Any = NoveltyRewardWrapper(_Noise(), bonus="bits", episodes=2, seed=seed)
    return lambda folder: made.save(folder / "bonus.pt")


def _checkpoint(seed: int) -> Save:
    weights = {"w": torch.full((200_000,), float(seed))}
    held = Checkpoint(0, weights, {"state": {}}, [1.0])
    return lambda folder: Checkpoints(folder, {"a": 1}).save(held)


def _record(seed: int) -> Save:
    values = np.random.default_rng(seed).normal(size=50_000)
    made = Record("toy", "paper", {"a": 1}, 0, {"x": seed}, {"s": 1.0}, {"h": values})
    return made.save


def _table(seed: int) -> dict[str, np.ndarray]:
    x = np.random.default_rng(seed).normal(size=(60, 2))
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 0] ** 2}


def _picture(seed: int) -> Save:
    found = ln.score(_table(seed), "c", draws=1, null=99)
    return lambda folder: found.plot(folder / "score.png")


def _page(seed: int) -> Save:
    found = ln.scan(_table(seed))
    return lambda folder: found.plot(folder / "scan.html")


def _site(seed: int) -> Save:
    held = {"index.html": bytes([seed]) * 500_000}

    def export(folder: Path) -> None:
        site.build = lambda *arguments, **options: held
        site.export(folder, folder)

    return export


SAVES: dict[str, Callable[[int], Save]] = {
    "bonus": _bonus,
    "checkpoint": _checkpoint,
    "record": _record,
    "picture": _picture,
    "page of a scan": _page,
    "explorer's page": _site,
}


@functools.cache
def made(name: str, version: int) -> Save:
    """Make the first or the second version of a thing, and return what saves it."""
    return SAVES[name](version)


@dataclasses.dataclass
class Outcome:
    """What the kills found."""

    kills: int = 0
    half_written: int = 0
    drafts_left: int = 0
    """Kills in the middle of a write: a draft lies beside the file."""


def content_of(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but drafts, by name."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    named = {str(path.relative_to(folder)): path for path in paths}
    return {name: path.read_bytes() for name, path in named.items() if ".draft" not in name}


def _save_forever(saves: Sequence[Save], folder: Path, pipe: Connection) -> None:
    torch.set_num_threads(1)
    for save in saves:
        save(folder)
    pipe.send(True)
    while True:
        for save in saves:
            save(folder)


def kill_saves(name: str, kills: int, seed: int = 0) -> Outcome:
    """Kill a save as often as is asked."""
    chance, outcome = np.random.default_rng(seed), Outcome()
    saves = [made(name, version) for version in (1, 2)]
    with tempfile.TemporaryDirectory() as root:
        whole = []
        for number, save in enumerate(saves):
            save(Path(root) / str(number))
            whole.append(content_of(Path(root) / str(number)))
        folder = Path(root) / "killed"
        for _ in range(kills):
            here, there = FORK.Pipe(duplex=False)
            process = FORK.Process(target=_save_forever, args=(saves, folder, there))
            process.start()
            here.recv()
            process.join(float(chance.uniform(0, 0.05)))
            process.kill()
            process.join()
            outcome.kills += 1
            outcome.half_written += content_of(folder) not in whole
            outcome.drafts_left += any(".draft" in path.name for path in folder.rglob("*"))
            for draft in folder.rglob(".draft*"):
                draft.unlink()
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; return 1 if anything was half-written."""
    parser = argparse.ArgumentParser(prog="python -m stress saves", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="of each kind of save")
    options = parser.parse_args(arguments)
    found = {name: kill_saves(name, options.kills) for name in SAVES}
    print(json.dumps({name: dataclasses.asdict(one) for name, one in found.items()}, indent=1))
    return int(any(one.half_written for one in found.values()))

"""Run lists of cells in parallel processes: resumable, all results in one file.

Every finished cell is a file in a scratch folder; after each, ``results.jsonl`` in the output
folder is replaced by all of them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from novelty_lab.agents.minigrid import TASKS, Layouts, MiniGrids
from novelty_lab.artefacts.explore import lists
from novelty_lab.artefacts.explore.cells import Exploration
from novelty_lab.artefacts.explore.training import explore


def work(task: tuple[tuple[Exploration, int], Path, Path, float]) -> str:
    """Run one cell unless it is done or time is up."""
    (cell, seed), scratch, pools, until = task
    name = f"{cell.name}-seed{seed}"
    path = scratch / f"{name}.json"
    if path.exists() or time.time() > until:
        return ""
    try:
        result: dict[str, Any] = {
            **asdict(cell),
            "seed": seed,
            **explore(cell, seed=seed, pools=pools),
        }
    except Exception as error:  # noqa: BLE001 - the others go on
        (scratch / f"{name}.error").write_text(traceback.format_exc())
        return f"{name}: {error!r}"
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(result))
    part.replace(path)
    return (
        f"{name}: final {result['final']:.3f} mean {result['mean']:.3f} useless "
        f"{result['useless']:.2f} -> {result['useless_final']:.2f} {result['seconds']:.0f} s "
        f"(bonus {result['bonus_seconds']:.0f})"
    )


def join(scratch: Path, out: Path) -> None:
    """Replace the file of all results."""
    texts = [path.read_text() for path in sorted(scratch.glob("*.json"))]
    part = out / "results.jsonl.part"
    part.write_text("".join(f"{text}\n" for text in texts))
    part.replace(out / "results.jsonl")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", help="names of lists, with commas, in this order")
    parser.add_argument("out", type=Path, help="a folder for results.jsonl")
    parser.add_argument("--scratch", type=Path, default=Path("/tmp/explore"), help="cells done")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--pools", type=Path, default=None)
    parser.add_argument("--stop-starting", type=float, default=1e9, help="seconds")
    args = parser.parse_args()
    cells = [cell for name in args.cells.split(",") for cell in getattr(lists, name)()]
    args.out.mkdir(parents=True, exist_ok=True)
    args.scratch.mkdir(parents=True, exist_ok=True)
    pools = args.pools or args.scratch / "pools"
    until = time.time() + args.stop_starting
    for task in sorted({cell.task for cell, _ in cells} & set(TASKS)):
        # Drawn, and compiled, once: workers find both in files.
        grids = MiniGrids(Layouts.pool(task, pools), num_envs=1)
        grids.reset(0)
        grids.step(np.zeros(1, np.int64))
    tasks = [(cell, args.scratch, pools, until) for cell in cells]
    with multiprocessing.get_context("spawn").Pool(args.workers) as pool:
        for line in pool.imap_unordered(work, tasks, chunksize=1):
            if line:
                print(line, flush=True)
                join(args.scratch, args.out)


if __name__ == "__main__":
    main()

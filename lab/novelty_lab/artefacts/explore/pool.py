"""Run a list of cells in parallel processes: resumable, each result in its own file."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

from novelty_lab.artefacts.explore.training import Cell, run_cell


def work(task: tuple[Cell, Path, Path, float]) -> str:
    """Run one cell unless it is done or time is up."""
    cell, out, pools, until = task
    path = out / f"{cell.name}.json"
    if path.exists() or time.time() > until:
        return ""
    try:
        result: dict[str, Any] = run_cell(cell, pools)
    except Exception as error:  # the others go on
        import traceback

        (out / f"{cell.name}.error").write_text(traceback.format_exc())
        return f"{cell.name}: {error!r}"
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(result))
    part.replace(path)
    return (
        f"{cell.name}: final {result['final']:.3f} mean {result['mean']:.3f} useless "
        f"{result['useless']:.2f} -> {result['useless_final']:.2f} {result['seconds']:.0f} s "
        f"(bonus {result['bonus_seconds']:.0f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", help="a JSON file: a list of cells")
    parser.add_argument("out", type=Path, help="a folder for results")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--pools", type=Path, default=None)
    parser.add_argument("--stop-starting", type=float, default=1e9, help="seconds")
    args = parser.parse_args()
    cells = [Cell(**cell) for cell in json.loads(Path(args.cells).read_text())]
    args.out.mkdir(parents=True, exist_ok=True)
    pools = args.pools or args.out / "pools"
    until = time.time() + args.stop_starting
    from novelty_lab.agents.minigrid import TASKS, Layouts

    for task in sorted({cell.task for cell in cells} & set(TASKS)):
        Layouts.pool(task, pools)
    tasks = [(cell, args.out, pools, until) for cell in cells]
    with multiprocessing.get_context("spawn").Pool(args.workers, maxtasksperchild=4) as pool:
        for line in pool.imap_unordered(work, tasks, chunksize=1):
            if line:
                print(line, flush=True)


if __name__ == "__main__":
    main()

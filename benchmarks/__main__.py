"""Run the benchmarks: ``python -m benchmarks [--save] [--threads N] [--only NAME]``."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row
from learnable_novelty.engine import available_cores

HERE = Path(__file__).parent
# Chunks first: its memory is measured against a process that has held nothing large yet.
NAMES = (
    "chunks",
    "online",
    "null",
    "small",
    "automata",
    "neural",
    "reward",
)
LONG = ("larger", "cluster", "frames", "scan")
"""Run only when they are named: minutes, a machine without other work, or a browser."""


def machine() -> dict[str, Any]:
    """Describe where the numbers come from, without naming the place."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": available_cores(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "torch": torch.__version__,
        "torch_threads": torch.get_num_threads(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def table(rows: Sequence[Row]) -> Table:
    """Lay rows out for a terminal."""
    made = Table(title="Ratios within one run; medians of repeats taken in turn")
    for column in ("what", "plain", "ours", "ratio", "required", "met"):
        made.add_column(column, justify="left" if column in ("what", "required") else "right")
    for row in rows:
        met = "[green]yes[/]" if row.met else "[red]no[/]"
        made.add_row(
            row.name, row.text(row.plain), row.text(row.ours), f"{row.ratio:.3g}",
            row.requirement, met,
        )  # fmt: skip
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and write; return 1 if a requirement is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--save",
        nargs="?",
        const="results-gpu" if torch.cuda.is_available() else "results",
        metavar="NAME",
        help="also write benchmarks/NAME.json: results, or results-gpu where there is a GPU",
    )
    parser.add_argument("--threads", type=int, help="torch threads; all cores by default")
    parser.add_argument(
        "--only", choices=(*NAMES, *LONG), action="append", help="run this one; repeatable"
    )
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    console = Console()
    where, rows = machine(), list[Row]()
    for name in options.only or NAMES:
        console.print(f"[dim]{name} ...[/]")
        rows += importlib.import_module(f"benchmarks.{name}").run()
    console.print(table(rows))
    text = json.dumps({"machine": where, "rows": [dataclasses.asdict(r) for r in rows]}, indent=1)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    (out / "results.json").write_text(text + "\n")
    if options.save:
        (HERE / f"{options.save}.json").write_text(text + "\n")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())

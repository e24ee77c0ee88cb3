"""A file larger than memory: the peak of a process that scores it, and what it costs per GiB.

The file is sparse: one stretch in sixteen is written, the rest are holes that read as zeros. It is
read as any other file of its size; a disk of a few GiB is enough.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Row

LIMIT_MIB = 1024
WRITTEN = 16
"""One stretch of rows in so many is written."""

CHILD = """
import json, sys, time
import torch
import learnable_novelty as ln
torch.set_num_threads(1)
path, targets, draws = sys.argv[1], sys.argv[2], int(sys.argv[3])
def peak_mib():
    # Not ru_maxrss: that begins with what the parent held when it started this process.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
start = peak_mib()
clock, used = time.perf_counter(), time.process_time()
result = ln.score(path, targets, draws=draws)
print(json.dumps({
    "start_mib": start,
    "peak_mib": peak_mib(),
    "seconds": time.perf_counter() - clock,
    "cpu_seconds": time.process_time() - used,
    "rows": result.num_rows,
    "bits": result.bits,
    "p_value": result.p_value,
}))
"""


def write_sparse(path: Path, gib: float, columns: int, stretch: int = 1024) -> int:
    """Write a .npy file of that size, and return its number of rows.

    The last column is the sum of all others; where nothing is written all columns are zero.
    """
    rows = int(gib * 2**30 // (8 * columns))
    held = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(rows, columns))
    generator = np.random.default_rng(0)
    for first in range(0, rows, WRITTEN * stretch):
        values = generator.standard_normal((min(stretch, rows - first), columns))
        values[:, -1] = values[:, :-1].sum(1)
        held[first : first + len(values)] = values
    held.flush()
    return rows


def write_parquet(path: Path, gib: float, columns: int) -> int:
    """Write a Parquet file of one row group, and return its number of rows."""
    import pyarrow
    import pyarrow.parquet

    rows = int(gib * 2**30 // (8 * columns))
    generator = np.random.default_rng(0)
    held = {str(k): generator.standard_normal(rows) for k in range(columns - 1)}
    held[str(columns - 1)] = held["0"] + held["1"]
    pyarrow.parquet.write_table(pyarrow.table(held), path, row_group_size=rows)
    return rows


def score_file(path: Path, columns: int, draws: int) -> dict[str, float]:
    """Score a file in a process of its own, and return what it used."""
    command = [sys.executable, "-c", CHILD, str(path), str(columns - 1), str(draws)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def run(gib: float = 20.0, columns: int = 1024, draws: int = 2) -> list[Row]:
    """Score the file; the memory must not grow with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.npy"
        rows = write_sparse(path, gib, columns)
        found = score_file(path, columns, draws)
    peak, whole = found["peak_mib"], gib * 1024
    what = f"{rows} rows of {columns} columns, {draws} draws"
    return [
        Row(
            f"peak memory in MiB, a file of {gib:g} GiB ({what}): the file, and the process",
            whole, peak, peak / whole, f"below {LIMIT_MIB} MiB", peak < LIMIT_MIB, unit="MiB",
        ),
        Row(
            f"seconds to score it, standardized in a first pass ({what}): CPU, and wall",
            found["cpu_seconds"], found["seconds"], found["seconds"] / gib,
            "reported, wall seconds per GiB", True,
        ),
        run_parquet(),
    ]  # fmt: skip


def run_parquet(gib: float = 0.5, columns: int = 32, draws: int = 2) -> Row:
    """Score a Parquet file that is one row group; the row group must not be held whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        rows = write_parquet(path, gib, columns)
        found = score_file(path, columns, draws)
    grown, whole = found["peak_mib"] - found["start_mib"], gib * 1024
    what = f"{rows} rows of {columns} columns, {draws} draws"
    return Row(
        f"memory in MiB, a Parquet file of one row group ({what}): the file, and what the process "
        "takes beyond its imports",
        whole, grown, grown / whole, "below the row group", grown < whole, unit="MiB",
    )  # fmt: skip

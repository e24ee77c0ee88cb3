"""Feed damaged and hostile files to everything that reads files.

``python -m stress fuzz --cases 100000 --save`` writes stress/fuzz.json. Hypothesis draws a
reader, a sound file and a list of mutations (bits flipped, bytes cut, doubled and put in), or bytes
out of nothing. A reader may return, or reject the file in one sentence (``UserError``); anything
else is a failure, a warning too. The tests run a few hundred cases.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import io
import itertools
import json
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from learnable_novelty.data.files import open_columns
from learnable_novelty.errors import UserError
from learnable_novelty.reward import BitsConfig, NoveltyReward
from novelty_lab import records
from novelty_lab.ascent.checkpoints import Checkpoint, Checkpoints
from novelty_lab.paper.table1_agents.training import (
    PPOSettings,
    Training,
    make_vec_env,
)
from novelty_lab.records import Journal, Record
from novelty_lab.systems.images import read_idx

HERE = Path(__file__).parent
NASTY = [
    b"\x00", b"\xff" * 8, b"nan", b"1e999", b"-", b",", b"\n", b'"', b"'", b"{", b"]", b"\\u0000",
    b"9" * 40, b"(9999999999,)", b"'descr': 'O'", b"|O", b"<f8", b"<i2", b"(1, 2)", b"PK\x03\x04",
    b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"null", b"true", b"[[[[", b"1e5", b"V0", b"U99999999",
]  # fmt: skip

Mutation = tuple[str, float, float, bytes]


@dataclass(frozen=True)
class Reader:
    """Something that reads a file: sound contents to start from, and how it is called."""

    suffix: str
    sound: list[bytes]
    read: Callable[[Path], Any]


def mutate(content: bytes, mutations: Sequence[Mutation]) -> bytes:
    """Apply mutations; places are fractions of the length."""
    data = bytearray(content)
    for kind, place, other, given_bytes in mutations:
        at, to = int(place * len(data)), int(other * len(data))
        if kind == "flip" and data:
            data[min(at, len(data) - 1)] ^= 1 << int(other * 7.99)
        elif kind == "cut":
            del data[min(at, to) : max(at, to)]
        elif kind == "end":
            del data[at:]
        elif kind == "put":
            data[at:at] = given_bytes
        elif kind == "over":
            data[at : at + len(given_bytes)] = given_bytes
        elif kind == "double":
            data[at:at] = data[min(at, to) : max(at, to)][:4096]
    return bytes(data)


def strategy(reader: Reader) -> st.SearchStrategy[bytes]:
    """Draw contents for a reader: mutated sound ones, and a few out of nothing."""
    share = st.floats(0, 1, exclude_max=True)
    mutation = st.tuples(
        st.sampled_from(["flip", "flip", "cut", "end", "put", "over", "double"]),
        share,
        share,
        st.sampled_from(NASTY) | st.binary(max_size=12),
    )
    mutated = st.builds(mutate, st.sampled_from(reader.sound), st.lists(mutation, max_size=6))
    return mutated | mutated | mutated | st.binary(max_size=200)


def _table(dtype: Any = np.float64) -> np.ndarray:
    return (np.arange(24).reshape(8, 3) * 1.5).astype(dtype)


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=array.dtype.hasobject)
    return file.getvalue()


def _npz(save: Callable[..., None], **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def _parquet(rows: int = 1000, **columns: Any) -> bytes:
    import pyarrow
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), file, row_group_size=rows)
    return file.getvalue()


def _feather(**columns: Any) -> bytes:
    import pyarrow
    import pyarrow.feather

    file = io.BytesIO()
    pyarrow.feather.write_feather(pyarrow.table(columns), file)
    return file.getvalue()


def _zip(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", content)
    return file.getvalue()


def _columns(path: Path) -> None:
    open_columns(path, None, None, chunks=False)
    open_columns(path, None, "0", chunks=False)


def _chunks(path: Path) -> None:
    """Read the first chunks, as ``score`` does; a file may well claim more than can be read."""
    for targets in (None, "0"):
        for _ in itertools.islice(
            open_columns(path, None, targets, chunks=True).source.chunks(), 4
        ):
            pass


def _zarr_files(**options: Any) -> dict[str, bytes]:
    """The files of a Zarr array, by their paths in its folder."""
    import zarr

    with tempfile.TemporaryDirectory() as folder:
        zarr.create_array(str(folder), data=_table(), chunks=(4, 2), overwrite=True, **options)
        paths = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _read_zarr(path: Path, *, sound: dict[str, bytes], damaged: str) -> None:
    folder = path.parent / "case.zarr"
    for name, content in {**sound, damaged: path.read_bytes()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    _chunks(folder)


def _zarr(damaged: str, **options: Any) -> Reader:
    sound = _zarr_files(**options)
    read = functools.partial(_read_zarr, sound=sound, damaged=damaged)
    return Reader(".part", [sound[damaged]], read)


def _record() -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        made = Record("toy", "paper", {"a": [1]}, 3, {"x": 1.5}, {"s": 2.0}, {"h": _table()})
        path = made.save(Path(folder))
        return (path / "record.json").read_bytes(), (path / "arrays.npz").read_bytes()


def _load_record(path: Path) -> None:
    text, arrays = _RECORD
    folder = path.parent
    (folder / "record.json").write_bytes(text)
    (folder / "arrays.npz").write_bytes(arrays)
    (folder / ("arrays.npz" if path.suffix == ".npz" else "record.json")).write_bytes(
        path.read_bytes()
    )
    records.load(folder)


def _journal() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "j", {})
        journal.add("one", {"a": 1.5})
        journal.add("two", [1, 2])
        return journal.path.read_bytes()


def _read_journal(path: Path) -> None:
    found = Journal(path, {}).read()
    # What a journal returns is what was written: a changed result is not believed.
    assert all(found[name] == {"one": {"a": 1.5}, "two": [1, 2]}.get(name) for name in found)


def _idx() -> bytes:
    return bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in (2, 3, 4)) + bytes(24)


def _checkpoint() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        held = Checkpoints(Path(folder), {"a": 1})
        held.save(Checkpoint(0, {"w": torch.ones(3)}, {"state": {}}, [1.0]))
        return held.path(0).read_bytes()


def _load_checkpoint(path: Path) -> None:
    held = Checkpoints(path.parent, {"a": 1})
    held.path(0).write_bytes(path.read_bytes())
    held.load(0, torch.device("cpu"))


SMALL = Training("Pendulum", ppo=PPOSettings(num_envs=1, n_steps=8, batch_size=8, net_arch=(4,)))


@functools.cache
def _environments() -> Any:
    return make_vec_env(SMALL.task, 1)


def _bonus(**options: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        bits = BitsConfig(window=4, width=6, **options)
        made = NoveltyReward(_environments(), bonus=bits, episodes=2)
        made.save(Path(folder) / "bonus.pt")
        return (Path(folder) / "bonus.pt").read_bytes()


def _load_bonus(path: Path) -> None:
    NoveltyReward.load(path, _environments())


_RECORD = _record()
_CSV = b"a,b,c\n1,2,3\n4,5,6\n-1e3,.5,7\n"
_JSON = b'[{"a": 1, "b": 4, "c": "x"}, {"a": 2.5, "b": 3, "c": "y"}]'
_ARRAYS = [_npy(_table(kind)) for kind in ("f8", "f4", "i8", ">f8", "f2", "?")]
_ARRAYS += [_npy(np.array([object()])), _npy(np.asfortranarray(_table())), _npy(np.zeros(3, "U2"))]
READERS: dict[str, Reader] = {
    "csv": Reader(".csv", [_CSV, b"\xef\xbb\xbf" + _CSV, b'"a;b"\n1\n', b"1\n2\n3"], _columns),
    "tsv": Reader(".tsv", [_CSV.replace(b",", b"\t")], _columns),
    "csv.gz": Reader(".csv.gz", [gzip.compress(_CSV)], _columns),
    "zip": Reader(".zip", [_zip(_CSV)], _columns),
    "json": Reader(".json", [_JSON, b'{"a": [1, 2, 3], "b": [1.5, null, 0]}'], _columns),
    "jsonl": Reader(".jsonl", [b'{"a": 1, "b": 2}\n{"a": 3, "b": 5}\n'], _columns),
    "npy": Reader(".npy", _ARRAYS, _columns),
    "npz": Reader(
        ".npz",
        [
            _npz(np.savez, x=_table(), y=_table("i4")),
            _npz(np.savez_compressed, x=_table(), y=np.arange(8)),
            _npz(np.savez_compressed, x=np.array([object()])),
        ],
        _columns,
    ),
    "parquet": Reader(
        ".parquet",
        [
            _parquet(a=[1.0, 2.0, 3.0], b=[1, 2, 3]),
            _parquet(a=[1.0, None, 3.0], b=["x", "y", None], c=[[1], [2, 3], []]),
        ],
        _columns,
    ),
    "feather": Reader(
        ".feather",
        [
            _feather(a=[1.0, 2.0, None], b=[5, 2, 3], c=["x", "y", "x"]),
            _feather(a=[1.0, 2.5], b=[5, 2]),
        ],
        _columns,
    ),
    "record.json": Reader(".json", [_RECORD[0]], _load_record),
    "arrays.npz": Reader(".npz", [_RECORD[1]], _load_record),
    "journal": Reader(".partial", [_journal()], _read_journal),
    "idx": Reader(".idx", [_idx()], read_idx),
    "idx.gz": Reader(".gz", [gzip.compress(_idx())], read_idx),
    "checkpoint": Reader(".bin", [_checkpoint()], _load_checkpoint),
    "row groups": Reader(
        ".parquet",
        [
            _parquet(3, a=np.arange(8.0), b=np.arange(8), c=[True] * 8),
            _parquet(2, a=[1.0, None, 3.0], b=[True, None, False]),
            _parquet(5, a=np.ones(20, "f4"), b=["x", "y"] * 10),
        ],
        _chunks,
    ),
    "npy by chunks": Reader(".npy", _ARRAYS, _chunks),
    "zarr.json": _zarr("zarr.json"),
    ".zarray": _zarr(".zarray", zarr_format=2),
    "zarr chunk": _zarr("c/0/0"),
    "zarr chunk, gzip": _zarr("0.0", zarr_format=2, compressors=numcodecs.GZip()),
    "bonus": Reader(".pt", [_bonus(), _bonus(standardization="empirical")], _load_bonus),
}


def attack(name: str, cases: int, folder: Path) -> Counter[str]:
    """Run cases against one reader; raises on the first that is neither read nor refused."""
    reader, seen = READERS[name], Counter[str]()
    path = folder / f"case{reader.suffix}"

    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    )
    @given(strategy(reader))
    def case(content: bytes) -> None:
        path.write_bytes(content)
        seen["cases"] += 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                reader.read(path)
            except UserError as error:
                assert str(error), "a rejection without a reason"
                seen["refused"] += 1
            else:
                seen["read"] += 1

    case()
    return seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m stress fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="in all, over the readers")
    parser.add_argument("--only", choices=list(READERS), help="one reader")
    parser.add_argument("--save", action="store_true", help="also write stress/fuzz.json")
    options = parser.parse_args(arguments)
    names = [options.only] if options.only else list(READERS)
    found: dict[str, dict[str, int]] = {}
    started = time.monotonic()
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = dict(attack(name, -(-options.cases // len(names)), Path(folder)))
        print(name, found[name], f"{time.monotonic() - started:.0f} s", flush=True)
    total = sum(seen["cases"] for seen in found.values())
    text = json.dumps({"cases": total, "readers": found}, indent=1)
    print(f"{total:,} cases, all read or refused in a sentence")
    if options.save:
        (HERE / "fuzz.json").write_text(text + "\n")
    return 0

"""Parquet folders, Zarr and Dask: which rows are read and in what order, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.data import array_files


def read_columns(path, inputs=None, targets=None):
    return ln.open_columns(path, inputs, targets, chunks=False)


pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's use of pandas
RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((360, 3))


def rows_of(source):
    """All inputs and targets of a source, read part by part."""
    found = [chunk for part in source.partitions for chunk in part.chunks()]
    x = np.concatenate([one for one, _ in found])
    return x, None if found[0][1] is None else np.concatenate([two for _, two in found])


def by_chunks(*arguments):
    return ln.score(ln.open_columns(*arguments, chunks=True), window=1)


def frames(folder, *tables):
    for number, table in enumerate(tables):
        table.to_parquet(folder / f"{number}.parquet")
    return folder


def test_files_of_a_folder_are_read_in_the_order_of_their_numbers(tmp_path):
    import dask.dataframe

    frame = dask.dataframe.from_pandas(pd.DataFrame(TABLE, columns=list("abc")), npartitions=12)
    frame.to_parquet(tmp_path / "written", write_index=False)
    assert (tmp_path / "written" / "part.10.parquet").exists()
    source = ln.open_columns(tmp_path / "written", None, "c", chunks=True).source
    np.testing.assert_array_equal(np.hstack(rows_of(source)), TABLE)
    # With its index Dask writes a column that is no data.
    frame.to_parquet(tmp_path / "indexed")
    assert ln.open_columns(tmp_path / "indexed", None, None).input_names == ["a", "b", "c"]


def test_only_chosen_columns_are_compared_between_files(tmp_path):
    frame = pd.DataFrame(TABLE[:40], columns=list("abc"))
    index = frame.iloc[::-1]  # its index is written, as __index_level_0__
    other = frame[["c", "a", "b"]].assign(extra="words", b=[f"{value}" for value in frame.b])
    folder = frames(tmp_path, frame, index, other)
    x, y = rows_of(ln.open_columns(folder, "a", "c", chunks=True).source)
    expected = np.concatenate([TABLE[:40], TABLE[39::-1], TABLE[:40]])
    np.testing.assert_array_equal(np.hstack([x, y]), expected[:, [0, 2]])
    assert read_columns(folder / "1.parquet", None, None).input_names == ["a", "b", "c"]
    with pytest.raises(ValueError, match=r"one schema.*b large_string.* in 2.parquet after"):
        ln.open_columns(folder, "a,b", "c")
    with pytest.raises(ValueError, match=r"one schema.*extra .* in 2.parquet after"):
        ln.open_columns(folder, None, "c")  # not all columns would be used


def test_a_null_and_a_nan_are_told_with_column_row_and_file(tmp_path, capsys):
    frame = pd.DataFrame(TABLE, columns=list("abc"))
    frame.loc[77, "b"] = None
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=50)
    flags = pd.DataFrame({"a": [True, None, False] * 9, "b": range(27)}, dtype=object)
    flags.astype({"b": float, "a": "boolean"}).to_parquet(tmp_path / "flags.parquet")
    for path, column, row in (
        (tmp_path / "t.parquet", "b", 77),
        (tmp_path / "flags.parquet", "a", 1),
    ):
        told = rf"column '{column}' of {path.name}, got a null in row {row} \(from 0\)"
        with pytest.raises(ValueError, match=told):
            by_chunks(path, None, None)
        loaded = read_columns(path, None, "#0")
        assert loaded.gaps == pd.read_parquet(path).isna().any(axis=1).sum()
    for kind in ("nan", "inf"):
        TABLE_B = TABLE.copy()
        TABLE_B[123, 2] = float(kind)
        found = {"nan": "NaN", "inf": "an infinite value"}[kind]
        where = rf"got {found} in column 'c' of n.parquet, row 123 \(from 0\)"
        import pyarrow
        import pyarrow.parquet

        held = pyarrow.table({name: TABLE_B[:, k] for k, name in enumerate("abc")})
        pyarrow.parquet.write_table(held, tmp_path / "n.parquet", row_group_size=50)
        for targets, name in (("a", "inputs"), ("c", "targets")):
            by_parts = ln.open_columns(tmp_path / "n.parquet", None, targets, chunks=True)
            with pytest.raises(ValueError, match=f"{name} must be finite, {where}"):
                ln.score(by_parts, draws=1)
        if kind == "inf":
            told = r"numbers in column 'c', got an infinite value in row 123 \(from 0\)"
            with pytest.raises(ValueError, match=told):
                ln.score(tmp_path / "n.parquet", "c", draws=1)
        np.save(tmp_path / "n.npy", TABLE_B)
        where = rf"got {found} in row 123, column 2 \(from 0\) of n.npy"
        with pytest.raises(ValueError, match=f"targets must be finite, {where}"):
            ln.score(tmp_path / "n.npy", "2", draws=1)
        with pytest.raises(ValueError, match=rf"got {found} in row 123, column 2 \(from 0\)$"):
            ln.score(TABLE_B, window=1)
        with pytest.raises(ValueError, match=rf"got {found} in row 123, column 2 \(from 0\)$"):
            ln.score(lambda held=TABLE_B: iter(np.array_split(held, 11)), window=1)
    (tmp_path / "t.csv").write_text("a,b\n1,2\n\n3,inf\n5,6\n")
    assert main(["score", str(tmp_path / "t.csv"), "--targets", "b"]) == 2
    told = "expected finite numbers in column 'b', got an infinite value in row 1 (from 0)"
    assert told in capsys.readouterr().err


def zarr_of(folder, **changes):
    """A sound array of the table, with other claims in its description."""
    import zarr

    zarr.create_array(str(folder), data=TABLE, chunks=(100, 3))
    held = json.loads((folder / "zarr.json").read_text())
    if "chunks" in changes:
        held["chunk_grid"]["configuration"]["chunk_shape"] = changes["chunks"]
    if "shape" in changes:
        held["shape"] = changes["shape"]
    (folder / "zarr.json").write_text(json.dumps(held))
    return folder


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"chunks": [10**10, 2]}, r"at most 1,073,741,824 bytes, got 320,000,000,000 for 10,000,"),
        ({"chunks": [1000, 10**6]}, r"bytes, got 8,000,000,000 for 1,000 rows"),
        ({"chunks": [0, 3]}, "Zarr|rows of data"),
        ({"shape": [4, 10**12]}, r"at most 1,000,000 columns.*got 1,000,000,000,000 columns"),
        ({"shape": [4, -3]}, "Zarr|rows of data"),
        ({"shape": [4, 3, 3]}, "Zarr|rows of data"),
    ],
)
def test_what_zarr_claims_is_held_against_limits_before_any_is_read(tmp_path, changes, sentence):
    path = zarr_of(tmp_path / "t.zarr", **changes)
    with pytest.raises(ValueError, match=sentence):
        ln.score(path, window=1)
    assert main(["score", str(path), "--window", "1"]) == 2


def test_damaged_zarr_is_refused_in_a_sentence(tmp_path, monkeypatch):
    path = zarr_of(tmp_path / "chunk.zarr")
    next(path.glob("c/*/*")).write_bytes(b"garbage")
    with pytest.raises(ValueError, match=r"could not read rows \d+ to \d+ of chunk.zarr: "):
        ln.score(path, window=1)
    for content in ("[1, 2]", "null", "[" * 100_000, '{"zarr_format": 3, "node_type": "array"}'):
        (path / "zarr.json").write_text(content)
        with pytest.raises(ValueError, match="expected a Zarr array in"):
            ln.score(path, window=1)
    monkeypatch.setattr(array_files, "MOST_METADATA", 50)
    with pytest.raises(ValueError, match=r"at most 50 bytes in .*zarr.json"):
        ln.score(zarr_of(tmp_path / "t.zarr"), window=1)


def test_dask_collections_that_do_not_go_together_are_refused_in_a_sentence():
    import dask.array
    import dask.bag
    import dask.dataframe

    array = dask.array.from_array(TABLE, chunks=(90, 3))
    frame = dask.dataframe.from_pandas(pd.DataFrame(TABLE, columns=list("abc")), npartitions=4)
    bag = dask.bag.from_sequence(range(9), npartitions=3)
    for x, y, sentence in (
        (frame, array, "of the kind of the inputs, a data frame, got an array"),
        (array, frame, "of the kind of the inputs, an array, got a data frame"),
        (bag, None, "Dask array of samples or a Dask data frame as inputs, got Bag"),
        (array, bag, "as targets, got Bag"),
        (array.sum(), None, "as inputs, got Array"),
        (frame, TABLE, "expected targets from Dask beside inputs from Dask, got ndarray"),
    ):
        with pytest.raises(TypeError, match=sentence):
            ln.score(x, y)
    holes = TABLE.copy()
    holes[100, 1] = np.nan
    with pytest.raises(ValueError, match=r"NaN in row 10, column 1 .from 0. of partition 1"):
        ln.score(dask.array.from_array(holes, chunks=(90, 3)), window=1)
    frame = dask.dataframe.from_pandas(pd.DataFrame(holes, columns=list("abc")), npartitions=4)
    with pytest.raises(ValueError, match="NaN in column 'b', row 10 of partition 1"):
        ln.score(frame[["c"]], frame[["b", "a"]])

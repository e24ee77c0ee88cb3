"""Formats of files, and tables of other libraries."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
import torch

from learnable_novelty.data import records
from learnable_novelty.data.reading import read_table
from learnable_novelty.errors import UserError

FRAME = pd.DataFrame(
    {
        "x": [1.5, 2.5, np.nan, 4.0],
        "c": ["u", "v", "u", None],
        "f": [True, False, True, True],
        "d": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
    }
)
KINDS = [("x", "number", 1), ("c", "text", 1), ("f", "boolean", 0), ("d", "date", 0)]


def kinds(table):
    return [(c.name, c.kind, c.missing) for c in table.columns]


def check(table):
    assert kinds(table) == KINDS
    np.testing.assert_array_equal(table["x"].values, FRAME["x"])
    assert table["d"].values[0] == np.datetime64("2020-01-01")


def test_every_format_gives_the_same_table(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    FRAME.to_parquet(tmp_path / "t.parquet")
    FRAME.to_feather(tmp_path / "t.feather")
    FRAME.to_feather(tmp_path / "t.arrow", compression="zstd")
    text = FRAME.assign(d=FRAME["d"].astype(str)).replace({np.nan: None})
    records = text.to_dict("records")
    (tmp_path / "t.json").write_text(json.dumps(records))
    (tmp_path / "u.json").write_text(json.dumps({k: text[k].tolist() for k in text}))
    (tmp_path / "v.json").write_text(json.dumps({"version": 1, "rows": records}))
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    split = {"columns": list(text), "data": text.to_numpy().tolist()}
    (tmp_path / "w.json").write_text(json.dumps(split))
    (tmp_path / "t").mkdir()
    FRAME[:1].to_parquet(tmp_path / "t" / "part.9.parquet")
    FRAME[1:].to_parquet(tmp_path / "t" / "part.10.parquet")
    for name in (
        "t.csv",
        "t.parquet",
        "t.feather",
        "t.arrow",
        "t.json",
        "u.json",
        "v.json",
        "w.json",
        "t",
    ):
        check(read_table(tmp_path / name))
    check(read_table(tmp_path / "t.jsonl"))


def test_feather_of_other_libraries(tmp_path):
    import pyarrow.ipc

    def written(kind, *, new=pyarrow.ipc.new_file, **options):
        texts = pyarrow.array(["u" * 20, "v", None, "v"], pyarrow.string()).cast(kind)
        table = pyarrow.table({"x": [1.0, 2.0, 4.0, 9.0], "c": texts})
        options = pyarrow.ipc.IpcWriteOptions(**options)
        with new(tmp_path / "t.feather", table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=3)
        return kinds(read_table(tmp_path / "t.feather", kinds={"c": "category"}))

    expected = [("x", "number", 0), ("c", "category", 1)]
    for kind in (pyarrow.string_view(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())):
        assert written(kind, compression="lz4") == expected
        assert written(kind, new=pyarrow.ipc.new_stream) == expected
    for content in (b"FEA1", (tmp_path / "t.feather").read_bytes()[:300]):
        (tmp_path / "t.feather").write_bytes(content)
        with pytest.raises(UserError, match=r"^expected a Feather file in t\.feather: "):
            read_table(tmp_path / "t.feather")


def test_pipes_are_told_by_their_first_bytes(tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "t.parquet")
    FRAME.to_feather(tmp_path / "t.feather")
    text = FRAME.assign(d=FRAME["d"].astype(str)).replace({np.nan: None}).to_dict("records")
    lines = "\n".join(map(json.dumps, text))
    for content in (
        (tmp_path / "t.parquet").read_bytes(),
        (tmp_path / "t.feather").read_bytes(),
        json.dumps(text).encode(),
        lines.encode(),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        check(read_table("-"))


def test_workbooks(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame().to_excel(book, sheet_name="empty")
        FRAME.to_excel(book, sheet_name="data", index=False, startrow=2, startcol=1)
    check(read_table(path))
    with pd.ExcelWriter(path) as book:
        for name, kept in (("first", FRAME), ("second", FRAME[:3])):
            kept.to_excel(book, sheet_name=name, index=False, startrow=3)
            book.sheets[name]["A1"], book.sheets[name]["A2"] = "Report", "all in mm"
    table = read_table(path)
    check(table)
    assert table.decisions == (
        "sheet first is read, of first, second",
        "2 rows above the table left out",
    )
    assert [one.option for one in table.decisions] == ["sheet='first'", "header=4"]
    for sheet in ("second", 2):
        assert read_table(path, sheet=sheet, header=4).num_rows == 3
    assert [c.name for c in read_table(path, header=0).columns][:2] == ["0", "1"]
    for options, told in (
        ({"sheet": "third"}, r"a sheet of t.xlsx \(first, second\), got 'third'"),
        ({"header": 3}, "names of columns in row 3 of t.xlsx, got none there"),
    ):
        with pytest.raises(UserError, match=told):
            read_table(path, **options)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(UserError, match=r"expected a workbook in t\.xlsx"):
        read_table(path)


def test_arrays_in_files(tmp_path):
    array = np.random.default_rng(0).standard_normal((5, 2))
    np.save(tmp_path / "t.npy", array)
    np.savez(tmp_path / "t.npz", a=array, b=array[:, 0])
    import zarr

    zarr.create_array(str(tmp_path / "t.zarr"), data=array)
    for name in ("t.npy", "t.zarr"):
        table = read_table(tmp_path / name)
        np.testing.assert_array_equal(np.stack([c.values for c in table.columns], 1), array)
        assert [c.name for c in table.columns] == ["0", "1"]
    assert [c.name for c in read_table(tmp_path / "t.npz").columns] == ["a.0", "a.1", "b"]
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with pytest.raises(UserError, match=r"expected a table \(rows, columns\) in cube.npy"):
        read_table(tmp_path / "cube.npy")
    np.save(tmp_path / "o.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(UserError, match="pickled objects, which are not read"):
        read_table(tmp_path / "o.npy")


def test_json_that_is_no_table_is_refused(tmp_path):
    for text in ("{", '{"a": 1}', "3", "[]", '[[1], {"a": 1}]', "[" * 100_000):
        (tmp_path / "t.json").write_text(text)
        with pytest.raises(UserError, match=r"in t.json"):
            read_table(tmp_path / "t.json")


def test_limits_before_anything_is_allocated(tmp_path, monkeypatch):
    (tmp_path / "t.json").write_text(FRAME[["x"]].to_json())
    monkeypatch.setattr(records, "MOST_JSON", 20)
    with pytest.raises(UserError, match="at most 20 bytes of JSON"):
        read_table(tmp_path / "t.json")


def test_tables_of_other_libraries():
    import pyarrow
    from scipy import sparse

    check(read_table(FRAME))
    check(read_table(pyarrow.Table.from_pandas(FRAME)))
    check(read_table(FRAME.to_dict("list")))
    array = np.array([[0.5, 0.0], [0.0, 2.0], [0.0, 3.0]])
    for data in (array, torch.from_numpy(array), array.tolist(), sparse.csr_matrix(array)):
        table = read_table(data)
        np.testing.assert_array_equal(np.stack([c.values for c in table.columns], 1), array)
    masked = np.ma.masked_equal(array, 0.0)
    assert [c.missing for c in read_table(masked).columns] == [2, 1]
    levels = pd.DataFrame(array, columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    assert [c.name for c in read_table(levels).columns] == ["a.1", "a.2"]
    with pytest.raises(UserError, match=r"columns of one length, got 'a' 2, 'b' 3"):
        read_table({"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(UserError, match="expected a table, a path or an array, got object"):
        read_table(object())
    with pytest.raises(UserError, match=r"expected a table \(rows, columns\), got an array of"):
        read_table(np.zeros((2, 2, 2)))
    with pytest.raises(UserError, match="expected real numbers in column '0', got complex128"):
        read_table(np.array([1j, 2j]))


def test_records_within_records_have_columns_of_their_own(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"a": 1, "at": {"x": 2.5}}, {"a": 2, "at": {"x": 3.5}}, {"a": 4, "at": {}}]')
    table = read_table(path)
    assert table["at.x"].values.tolist() == pytest.approx([2.5, 3.5, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("name", "told"), [("t.xls", "save it as .xlsx"), ("t.dta", "pass the data frame")]
)
def test_formats_that_are_not_read_say_what_to_do(tmp_path, name, told):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UserError, match=told):
        read_table(tmp_path / name)

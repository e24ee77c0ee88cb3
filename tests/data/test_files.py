import numpy as np
import pytest

import learnable_novelty as ln


def read_columns(path, inputs=None, targets=None):
    return ln.open_columns(path, inputs, targets, chunks=False)


@pytest.fixture
def table():
    return np.random.default_rng(0).standard_normal((12, 3))


def test_columns_of_text_by_name_and_by_place(tmp_path, table):
    path = tmp_path / "t.csv"
    np.savetxt(path, table, delimiter=",")
    found = read_columns(path, None, "1")
    np.testing.assert_allclose(found.inputs, table[:, [0, 2]])
    assert found.input_names == ["0", "2"]
    path.write_bytes(b'\xef\xbb\xbf"a, first","b b"\n1,2\n3,4\n')
    found = read_columns(path, "0", "b b")
    assert (found.input_names, found.target_names) == (["a, first"], ["b b"])
    assert found.inputs.tolist() == [[1.0], [3.0]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "the file is empty"),
        ("t.csv", b"a,b\n", "only a header"),
        ("t.csv", b"a,b\nz,y\n3,x\n", r"none are left \(left out: a \(text of 2 values\), b"),
        ("t.csv", b"a,b\n0,5,0,25\n", "2 columns in line 2 of t.csv, got 4"),
        ("t.csv", b"1,2\n\n3,4\n5,6,7\n", "2 columns in line 4 of t.csv, got 3"),
        ("t.csv", b'"a","b"\n"1","2"\n"3","4","5"\n', "2 columns in line 3 of t.csv, got 3"),
        ("t.tsv", b"a\tb\r\n1\t2\r\n3\t4\t5\r\n", "2 columns in line 3 of t.tsv, got 3"),
        ("t.csv", b"a,b\n1,\n,3\n,4\n5,\n", "series without gaps, but 4 of 4 rows have gaps"),
        ("t.csv", b"\xff\xfe\x00", "UTF-8"),
        ("t.npy", b"not an array", "expected NumPy data"),
        ("t.npz", b"PK\x03\x04broken", "expected NumPy arrays"),
        ("t.parquet", b"PAR1....PAR1", "expected a Parquet file"),
        ("t.csv", b"a,b\n1," + b"x" * 200_000 + b"\n", "expected a table in t.csv: field larger"),
    ],
)
def test_unreadable_files_get_one_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_columns(path, None, None)


def test_missing_files_and_columns_are_named(tmp_path, table):
    with pytest.raises(ValueError, match="expected a file"):
        read_columns(tmp_path / "none.csv", None, None)
    np.save(tmp_path / "t.npy", table)
    with pytest.raises(ValueError, match=r"column of t.npy \(0, 1, 2\), got 'speed'"):
        read_columns(tmp_path / "t.npy", "speed", None)
    with pytest.raises(ValueError, match="none are left"):
        read_columns(tmp_path / "t.npy", None, "0,1,2")

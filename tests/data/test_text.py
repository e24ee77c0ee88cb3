"""Text files as they come: separators, encodings, decimal commas, comments, preambles, headers."""

import bz2
import gzip
import io
import lzma
import string
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable_novelty import storage
from learnable_novelty.data.headers import has_header
from learnable_novelty.data.reading import read_table
from learnable_novelty.data.sniff import sniff
from learnable_novelty.errors import UserError

ROWS = [[1.5, 2.25], [3.5, 4.75], [-5.5, 1e-3]]


def read(tmp_path, content, name="t.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def numbers(table):
    return [[float(v) for v in row] for row in zip(*(c.values for c in table.columns), strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1.5,2.25\n3.5,4.75\n-5.5,1e-3\n",
        "a;b\n1,5;2,25\n3,5;4,75\n-5,5;0,001\n",
        "a\tb\r\n1.5\t2.25\r\n3.5\t4.75\r\n-5.5\t1e-3\r\n",
        "a|b\r1.5|2.25\r3.5|4.75\r-5.5|1e-3\r",
        "   a    b\n 1.5   2.25\n 3.5 \t 4.75\n-5.5   1e-3   \n",
        "a , b\n 1.5 , 2.25\n3.5, 4.75 \n-5.5,  1e-3\n",
        "# made by hand\n# twice\na,b\n1.5,2.25\n# between\n3.5,4.75\n-5.5,1e-3\n",
        "# x: y\n# a,b\n1.5,2.25\n3.5,4.75\n-5.5,1e-3\n",
        "Report of the year\n\nby someone\na,b\n1.5,2.25\n\n3.5,4.75\n-5.5,1e-3\n",
        '"a","b"\n"1.5","2.25"\n"3.5","4.75"\n"-5.5","1e-3"\n',
        "a,b,\n1.5,2.25,\n3.5,4.75,\n-5.5,1e-3,\n",
        "a,b\n1.5,2.25,\n3.5,4.75,\n-5.5,1e-3,\n",
    ],
)
def test_the_same_table_however_it_is_written(tmp_path, content):
    table = read(tmp_path, content)
    assert [c.name for c in table.measured] == ["a", "b"]
    assert list(zip(*(c.values.tolist() for c in table.measured), strict=True)) == [
        tuple(row) for row in ROWS
    ]


def test_dates_and_groups_of_thousands_beside_a_decimal_comma(tmp_path):
    rows = "".join(f"{k + 1:02d}.03.2020;{k},5;1.{k:03d}.000,25\n" for k in range(9))
    table = read(tmp_path, f"Tag;Wert;Summe\n{rows}")
    assert [c.kind for c in table.columns] == ["date", "number", "number"]
    assert table["Wert"].values[:2].tolist() == [0.5, 1.5]
    assert table["Summe"].values[:2].tolist() == [1_000_000.25, 1_001_000.25]


@pytest.mark.parametrize(
    ("above", "told"),
    [
        ("a,b,c\nm,kg,\n", "1 line below the names left out (m, kg)"),
        ("made by,x,y\n\na,b,c\n", "1 line before the table left out"),
    ],
)
def test_of_several_lines_of_text_above_numbers_one_has_the_names(tmp_path, above, told):
    table = read(tmp_path, f"{above}1,2,u\n3,4,v\n5,6,u\n7,9,v\n")
    assert [(c.name, c.kind) for c in table.columns] == [
        ("a", "number"),
        ("b", "number"),
        ("c", "category"),
    ]
    assert table.num_rows == 4
    assert told in table.notes


def test_text_above_columns_of_text_is_a_row(tmp_path):
    table = read(tmp_path, "a,b,c\np,q,r\n1,u,v\n2,u,v\n3,w,v\n4,w,v\n")
    assert [c.name for c in table.columns] == ["a", "b", "c"] and table.num_rows == 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_encodings(tmp_path, encoding):
    text = "größe,stadt\n1,Zürich\n2,Genève\n3,Zürich\n4,Genève\n"
    table = read(tmp_path, text.encode(encoding))
    assert [c.name for c in table.columns] == ["größe", "stadt"]
    assert table["stadt"].levels == ("Genève", "Zürich")


def test_other_bytes_after_the_sample_are_read_as_windows_1252(tmp_path):
    content = b"a,b\n" + b"1,x\n" * 100_000 + b"2,\xe9t\xe9\n"
    table = read(tmp_path, content)
    assert table["b"].levels == ("x", "été")
    assert "read as Windows-1252 text" in table.notes


def test_rows_that_end_early_have_gaps_and_those_too_long_are_refused(tmp_path):
    table = read(tmp_path, "a,b,c\n1,2,3\n4,5\n7,8,9\n1,0,2\n")
    assert table["c"].missing == 1
    assert "1 row ends before the last column (line 3): what it lacks is missing" in table.notes
    for content, told in (
        ("a,b\n1,2\n3,4\n5,6,7\n", "2 columns in line 4 of t.csv, got 3"),
        ("one line\na,b\n1,2\n3,4\n5,6,7\n8,9\n", "2 columns in line 5 of t.csv, got 3"),
    ):
        with pytest.raises(UserError, match=told):
            read(tmp_path, content)


@pytest.mark.parametrize(
    ("first", "below", "expected"),
    [
        (["x", "y"], [["1", "2"]], True),
        (["1", "2"], [["3", "4"]], False),
        (["1952", "1957", "1962"], [["28.8", "30.3", "32"]], True),
        (["country", "1952", "1957"], [["Chad", "28.8", "30.3"]], True),
        (["1952", "1957"], [["1999", "2001"], ["1700", "1800"]], False),
        (["1200", "1800"], [["1300.5", "1700"]], False),  # too far apart for years
        (["5.1", "3.5", "setosa"], [["4.9", "3.0", "setosa"], ["6", "2", "virginica"]], False),
        (["", "0", "1"], [["u", "0.5", "0.25"]], True),
        (["", "142.24", "144.78"], [["9.4", "0", "0"], ["9.5", "1", "2"]], True),
        (["name", "city"], [["Ann", "Rome"], ["Bob", "Oslo"]], True),
        (["Ann", "Rome"], [["Bob", "Oslo"], ["Ann", "Oslo"]], False),
        (["NA", "2"], [["1", "3"], ["4", "5"]], False),
    ],
)
def test_whether_the_first_row_is_a_header(first, below, expected):
    assert has_header(first, below) is expected


def test_equal_names_are_told_apart(tmp_path):
    table = read(tmp_path, "a,a,,a.1\n1,2,3.5,4\n5,6,7.5,8\n")
    assert [c.name for c in table.columns] == ["a", "a.1", "#2", "a.1.1"]


def test_a_hash_within_cells_is_no_comment(tmp_path):
    table = read(tmp_path, "color,x\n#ff0000,1\n#00ff00,2\n#ff0000,3\n#00ff00,4\n")
    assert table["color"].levels == ("#00ff00", "#ff0000")


def test_blank_lines_are_gaps_of_one_column_and_nothing_of_several(tmp_path):
    assert read(tmp_path, "x\n1\n\n3\n\n\n")["x"].values.tolist() == pytest.approx(
        [1, np.nan, 3], nan_ok=True
    )
    assert read(tmp_path, "x,y\n1,2\n\n3,4\n\n").num_rows == 2


PACK = {
    "t.csv.gz": gzip.compress,
    "t.csv.bz2": bz2.compress,
    "t.csv.xz": lzma.compress,
}


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


def test_packed_files_and_pipes(tmp_path, monkeypatch):
    content = b"a,b\n1.5,2.25\n3.5,4.75\n-5.5,1e-3\n"
    packed = {name: pack(content) for name, pack in PACK.items()}
    packed["t.zip"] = zipped(t_csv=content)
    for name, data in packed.items():
        assert numbers(read(tmp_path, data, name)) == ROWS
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert numbers(read_table("-")) == ROWS
    with pytest.raises(UserError, match=r"expected one file in t\.zip, got 2"):
        read(tmp_path, zipped(a_csv=content, b_csv=content), "t.zip")
    for name, data in packed.items():
        with pytest.raises(UserError, match=r"damaged|expected"):
            read(tmp_path, data[: len(data) // 2], name)


@pytest.mark.parametrize("name", PACK)
def test_what_unfolds_is_refused_before_it_does(tmp_path, name, monkeypatch):
    content = PACK[name](b"a,b\n" + b"1,2\n" * 200_000)
    assert len(content) < 5000
    monkeypatch.setattr(storage, "UNPACKED_BYTES", 300_000)
    with pytest.raises(UserError, match="unpacks to more than 300,000 bytes"):
        read(tmp_path, content, name)


def test_files_that_are_no_tables(tmp_path):
    for content, name, told in (
        (b"", "t.csv", "the file is empty"),
        (b"\n\n", "t.csv", "the file is empty"),
        (b"a,b\n", "t.csv", "only a header"),
        (b"MZ\0\0", "t.csv", "expected UTF-8 text"),
        (b"x", "t.exe", "expected a file ending in .csv"),
    ):
        with pytest.raises(UserError, match=told):
            read(tmp_path, content, name)
    with pytest.raises(UserError, match="does not exist"):
        read_table(tmp_path / "none.csv")


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=64),
    st.integers(-(10**15), 10**15).map(float),
    st.just(float("nan")),
)
names = st.lists(
    st.text(string.ascii_letters + " ,;\"'\t", min_size=1, max_size=8).map(
        lambda text: f"n{text.strip()}"
    ),
    min_size=2,
    max_size=4,
    unique=True,
)


@settings(max_examples=30, deadline=None)
@given(data=st.data(), separator=st.sampled_from(",;\t|"), decimal=st.sampled_from(".,"))
def test_numbers_come_back_as_pandas_wrote_them(tmp_path_factory, data, separator, decimal):
    if decimal == separator:
        decimal = "."
    header = data.draw(names)
    count = data.draw(st.integers(3, 12))
    columns = [data.draw(st.lists(cells, min_size=count, max_size=count)) for _ in header]
    frame = pd.DataFrame(dict(zip(header, columns, strict=True)))
    path = tmp_path_factory.mktemp("t") / "t.csv"
    frame.to_csv(path, sep=separator, decimal=decimal, index=False, na_rep="NA")
    dialect = sniff(path.read_bytes(), "t.csv", whole=True)
    table = read_table(path)
    assert dialect.separator == separator
    assert [c.name for c in table.columns] == header
    for name in header:
        if table[name].values.dtype.kind == "f":
            np.testing.assert_array_equal(table[name].values, frame[name].to_numpy())
        else:
            assert frame[name].isna().all()


def test_the_line_of_the_names_can_be_said(tmp_path):
    text = "u,v\n1,2\nx,y\n3,4\n5,6\n"
    assert [c.name for c in read(tmp_path, text).columns] == ["u", "v"]
    told = read_table(tmp_path / "t.csv", header=3)
    assert [(c.name, c.values.tolist()) for c in told.columns] == [("x", [3, 5]), ("y", [4, 6])]
    none = read_table(tmp_path / "t.csv", header=0)
    assert [c.name for c in none.columns] == ["0", "1"] and none.num_rows == 5
    with pytest.raises(UserError, match=r"names of columns in line 9 of t.csv, got none there"):
        read_table(tmp_path / "t.csv", header=9)
    with pytest.raises(UserError, match=r"expected a workbook \(.xlsx\) where a sheet is named"):
        read_table(tmp_path / "t.csv", sheet="a")


def test_decimal_commas_between_words_are_numbers_in_any_file(tmp_path):
    rows = "".join(f'"{k},5",{k}\n' for k in range(9))
    table = read(tmp_path, f'x,y\n"k.A.",3\n{rows}')
    assert table["x"].values[1:4].tolist() == [0.5, 1.5, 2.5] and table["x"].missing == 1
    assert [one.option for one in table.decisions] == ["kinds={'x': 'text'}"]

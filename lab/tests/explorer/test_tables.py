"""Tables in the browser: the same columns, kinds and numbers as from the command line."""

import base64
import io
import itertools

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel
from learnable_novelty.data.choose import choose
from learnable_novelty.errors import UserError

READ = """
const bytes = Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0));
try {
  const table = LN.tables.read(bytes, arguments[0]);
  return {rows: table.rows, notes: table.notes, columns: table.columns.map((one) => ({
    name: one.name, kind: one.kind, missing: one.missing, levels: one.levels || [],
    values: Array.from(one.values, (v) =>
      typeof v === 'number' && !isFinite(v) ? String(v) : v)}))};
} catch (error) {
  if (!(error instanceof LN.tables.Refusal)) throw error;
  return {error: error.message};
}
"""
CHOOSE = """
const bytes = Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0));
const table = LN.tables.read(bytes, arguments[0]);
const roles = LN.tables.usualRoles(table);
if (arguments[2].isSeries) roles.forEach((role, k) => { if (role) roles[k] = 'input'; });
try {
  const plain = (many) => many.map((column) => [...column]);
  const made = LN.tables.choose(table, roles, arguments[2]);
  return {inputs: plain(made.inputs), targets: plain(made.targets), notes: made.notes, roles};
} catch (error) {
  if (!(error instanceof LN.tables.Refusal)) throw error;
  return {error: error.message};
}
"""
TEXTS = {
    "plain": "a,b,y\n1,2,3\n4,5,6\n7,8.5,9e-2\n",
    "no header": "1,2\n3,4\n5,7\n",
    "semicolons and decimal commas": "x;y\n1,5;2,25\n-3,5;4\n0,1;7,75\n",
    "tabs": "x\ty\n1\t2\n3\t4\n5\t5\n",
    "spaces": "x y\n1   2\n3 4\n  5  6\n",
    "commented header": "# x y\n1 2\n3 4\n5 9\n",
    "comments": "# made by hand\nx,y\n1,2\n# in between\n3,4\n5,9\n",
    "preamble": "Station 7\nx,y,z\n1,2,3\n4,5,6\n7,8,1\n",
    "quotes": 'name,v\n"a, b",1\n"say ""x""",2\n"two\nlines",3\n"a, b",4\n',
    "gaps": "x,y\n1,\nNA,3\n?,4\n5,null\n",
    "short rows": "x,y,z\n1,2,3\n4,5\n6,7,8\n",
    "index": "id,x\n7,1.5\n9,2.5\n3,0.5\n",
    "ids": "order id,x,PassengerId,paid\n1007,1,5,2\n1009,2.5,5,3\n1003,0.5,6,9\n",
    "row names": ",x,y\n1,0.5,3\n2,0.1,2\n3,0.7,9\n",
    "R": "x y\nr1 1 2\nr2 3 4\nr3 5 9\n",
    "a counter": "n,x\n" + "".join(f"{i},{i * i % 7}\n" for i in range(12)),
    "a price index": "x,index\n1,1.5\n2,2.5\n9,1.25\n",
    "booleans": "a,b\ntrue,1\nfalse,0\nTRUE,2\n",
    "categories": "c,v\n" + "red,1\nblue,2\n" * 4 + ",3\n",
    "text": "c,v\n" + "".join(f"word{i},{i}.5\n" for i in range(9)),
    "dates": "d,v\n2020-01-01,1\n2020-01-02,4\n2020-01-05,2\n",
    "thousands": 'p,v\n"$1,200",1\n$950,2\n"$12,345,678",3\n',
    "percent": "p,v\n12%,1\n7.5%,2\n-3%,5\n",
    "constant": "k,v\n1,1\n1,2\n1,5\n",
    "empty column": "k,v\n,1\n,2\n,5\n",
    "years": "country,1952,1957,1962\nA,28.8,30.3,31.9\nB,55.2,59.3,64.8\nC,43.1,45.7,48.3\n",
    "equal names": "a,a,\n1,2,3\n4,5,6\n9,9,8\n",
    "one column with a gap": "v\n1\n\n3\n4\n\n\n",
    "infinite": "x,y\n1,2\ninf,4\n-Infinity,6\n",
    "carriage returns": "x,y\r\n1,2\r\n3,4\r\n5,5\r\n",
    "bars": "x|y\n1|2\n3|4\n5|5\n",
}
REFUSED = {
    "empty": ("", "the file is empty"),
    "only a header": ("x,y\n", "expected rows of data in t.csv, got"),
    "too wide": ("x,y\n1,2\n3,4,5\n6,7\n", "expected 2 columns in line 3 of t.csv, got 3"),
    "other bytes": ("x,y\n1,\x002\n", "expected UTF-8 text in t.csv, got other bytes"),
}


@pytest.fixture(scope="module")
def page(browser, exported):
    open_panel(browser, exported, "ledger")
    return browser


def read_in(browser, name, content, script=READ, *more):
    return browser.execute_script(script, name, base64.b64encode(content).decode(), *more)


def values_of(column):
    """What the browser holds of a column of Python, as JSON has it."""
    if column.values.dtype.kind == "f":
        return [_number(value) for value in column.values.tolist()]
    return column.values.tolist()


def _number(value):
    names = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return "NaN" if value != value else names.get(value, value)


def check_same(found, table):
    assert found["rows"] == table.num_rows
    for shown, truth in itertools.zip_longest(found["columns"], table.columns):
        assert (shown["name"], shown["kind"]) == (truth.name, truth.kind)
        assert (shown["missing"], tuple(shown["levels"])) == (truth.missing, truth.levels)
        if truth.kind != "date" and truth.missing < table.num_rows:
            assert shown["values"] == values_of(truth)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_by_the_command_line(page, tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    table = ln.read_table(path)
    found = read_in(page, "t.csv", path.read_bytes())
    check_same(found, table)
    assert set(found["notes"]) <= set(table.notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_told_apart(page, tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,y\n1,2\n3,4\n5,9\n".encode(encoding))
    found = read_in(page, "t.csv", path.read_bytes())
    check_same(found, ln.read_table(path))
    assert found["columns"][0]["name"] == "größe"


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_as_by_the_command_line(page, tmp_path, name):
    text, said = REFUSED[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    with pytest.raises(UserError) as refused:
        ln.read_table(path)
    assert said in str(refused.value)
    assert said in read_in(page, "t.csv", path.read_bytes())["error"]


@pytest.mark.parametrize("dtype", ["<f8", "<f4", ">f8", "<i8", "<i4", "<u2", "|u1", "|b1"])
@pytest.mark.parametrize("shape", [(5,), (5, 3)])
def test_arrays_of_numpy_are_read(page, dtype, shape):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    if len(shape) == 2:
        array = np.asfortranarray(array)
    buffer = io.BytesIO()
    np.save(buffer, array)
    found = read_in(page, "t.npy", buffer.getvalue())
    expected = array.reshape(len(array), -1).astype(float).T.tolist()
    shown = [column["values"] for column in found["columns"]]
    assert [[float(value) for value in column] for column in shown] == expected


def test_objects_are_never_unpickled(page):
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert read_in(page, "t.npy", buffer.getvalue())["error"].startswith(
        "expected numbers in t.npy"
    )
    assert read_in(page, "t.npy", b"spam")["error"] == "expected NumPy data in t.npy"


MESSY = "id,mass,sex,flipper,rare,note,y\n" + "".join(
    f"{i},{'' if i == 4 else i * 7 % 11},{'fm'[i % 2]},{(i * 3) % 5}.5,"
    f"{i if i in (3, 9) else ''},word {i},{(i * i) % 13}\n"
    for i in range(1, 21)
)


def test_columns_are_chosen_as_by_the_command_line(page, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(MESSY)
    truth = choose(ln.read_table(path), None, "y")
    found = read_in(page, "t.csv", MESSY.encode(), CHOOSE, {"isSeries": False, "missing": ""})
    assert np.array(found["inputs"]).T.tolist() == truth.inputs.matrix.tolist()
    assert np.array(found["targets"]).T.tolist() == truth.targets.matrix.tolist()
    assert found["roles"] == ["", "input", "input", "input", "", "", "target"]
    assert "sex is a category of 2" in found["notes"] and "sex is a category of 2" in truth.notes
    left_out = next(note for note in truth.notes if "rows have gaps" in note)
    assert left_out in found["notes"]


def test_gaps_are_filled_and_marked_as_by_the_command_line(page, tmp_path):
    path = tmp_path / "t.csv"
    text = "x,c,y\n1,a,2\n,b,3\n5,,4\n2,a,\n3,b,9\n7,b,1\n1,a,5\n"
    path.write_text(text)
    table = ln.read_table(path, missing="indicate")
    truth = choose(table, ["x", "c"], ["y"])
    found = read_in(
        page, "t.csv", text.encode(), CHOOSE, {"isSeries": False, "missing": "indicate"}
    )
    assert np.array(found["inputs"]).T.tolist() == truth.inputs.matrix.tolist()
    assert np.array(found["targets"]).T.tolist() == truth.targets.matrix.tolist()


def test_gaps_of_a_series_are_refused_or_interpolated(page, tmp_path):
    text = "x,y\n,2\n3,3\n,4\n,\n3.5,6\n7,\n"
    path = tmp_path / "t.csv"
    path.write_text(text)
    refused = read_in(page, "t.csv", text.encode(), CHOOSE, {"isSeries": True, "missing": ""})
    assert refused["error"].startswith("expected a series without gaps, but 4 of 6 rows have gaps")
    found = read_in(
        page, "t.csv", text.encode(), CHOOSE, {"isSeries": True, "missing": "interpolate"}
    )
    truth = choose(ln.read_table(path, missing="interpolate"), None, None, is_series=True)
    np.testing.assert_allclose(np.array(found["inputs"]).T, truth.inputs.matrix)

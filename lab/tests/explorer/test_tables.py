"""Plain CSV files in the browser: the same columns, kinds and numbers as from the command line."""

import base64

import numpy as np
import pytest

import learnable_novelty as ln
from lab.tests.explorer.page import open_panel
from learnable_novelty.data.choose import choose

READ = """
const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
try {
  const table = LN.tables.read(bytes, 't.csv'), roles = LN.tables.usualRoles(table);
  if (arguments[1]) roles.forEach((role, k) => { if (role) roles[k] = 'input'; });
  const found = {rows: table.rows, roles, columns: table.columns.map((one) => ({
    ...one, values: Array.from(one.values, (v) => Number.isNaN(v) ? null : v)}))};
  if (arguments[1] === null) return found;
  const plain = (many) => many.map((column) => [...column]);
  const made = LN.tables.choose(table, roles, arguments[1]);
  return {...found, inputs: plain(made.inputs), targets: plain(made.targets), notes: made.notes};
} catch (error) {
  if (!(error instanceof LN.tables.Refusal)) throw error;
  return {error: error.message};
}
"""
KINDS = {"index": "counter", "boolean": "number"}
"""Kinds of Python that the page calls otherwise."""
TEXTS = {
    "plain": "a,b,y\n1,2,3\n4,5,6\n7,8.5,9e-2\n",
    "no header": "1,2\n3,4\n5,7\n",
    "semicolons": "x;y\n1.5;2\n-3;4\n.5;7\n",
    "tabs": "x\ty\n1\t2\n3\t4\n5\t5\n",
    "quotes": 'name,v\n"a, b",1\n"say ""x""",2\n"two\nlines",3\n"a, b",4\n',
    "gaps": "x,y\n1,\nNA,3\n,4\n5,null\n",
    "a counter": "n,x\n" + "".join(f"{i},{i * i % 7}\n" for i in range(12)),
    "booleans": "a,b\ntrue,1\nfalse,0\nTRUE,2\n",
    "categories": "c,v\n" + "red,1\nblue,2\n" * 4 + ",3\n",
    "text": "c,v\n" + "".join(f"word{i},{i}.5\n" for i in range(9)),
    "equal names": "a,a,b\n1,2,3\n4,5,6\n9,9,8\n",
    "one column with a gap": "v\n1\n\n3\n4\n\n\n",
    "carriage returns": "x,y\r\n1,2\r\n3,4\r\n5,5\r\n",
    "a mark of UTF-8": "\ufeffgröße,y\n1,2\n3,4\n5,9\n",
}
MESSY = "n,mass,sex,flipper,note,y\n" + "".join(
    f"{i},{'' if i == 4 else i * 7 % 11},{'' if i == 6 else 'fm'[i % 2]},{(i * 3) % 5}.5,"
    f"word {i},{'' if i == 9 else (i * i) % 13}\n"
    for i in range(1, 21)
)


@pytest.fixture(scope="module")
def page(browser, exported):
    open_panel(browser, exported, "ledger")
    return browser


def read_in(browser, content, is_series=None):
    return browser.execute_script(READ, base64.b64encode(content).decode(), is_series)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_by_the_command_line(page, tmp_path, name):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXTS[name].encode())
    table, found = ln.read_table(path), read_in(page, path.read_bytes())
    assert found["rows"] == table.num_rows
    for shown, truth in zip(found["columns"], table.columns, strict=True):
        kind = KINDS.get(truth.kind, truth.kind)
        assert (shown["name"], shown["kind"]) == (truth.name, kind)
        assert (shown["missing"], tuple(shown.get("levels", ()))) == (truth.missing, truth.levels)
        if kind in ("number", "category"):
            values = [None if value != value else value for value in truth.values.tolist()]
            assert shown["values"] == values


def test_columns_are_chosen_as_by_the_command_line(page, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(MESSY)
    truth = choose(ln.read_table(path), None, "y")
    found = read_in(page, MESSY.encode(), False)
    assert truth.targets is not None
    assert np.array(found["inputs"]).T.tolist() == truth.inputs.matrix.tolist()
    assert np.array(found["targets"]).T.tolist() == truth.targets.matrix.tolist()
    assert found["roles"] == ["", "input", "input", "input", "", "target"]
    assert set(found["notes"][1:]) <= set(truth.notes)
    assert found["notes"] == [
        "left out: n (it counts the rows), note (text)",
        "sex is a category of 2",
        "2 of 19 rows have gaps of inputs: filled and marked (mass, sex)",
        "1 of 20 rows have gaps: left out (most in y: 1)",
    ]

"""Which kind a column is."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from learnable_novelty.data.reading import read_table
from learnable_novelty.errors import UserError


def kind_of(values, name="x", **options):
    table = read_table({"first": np.linspace(0, 1, len(values)), name: values}, **options)
    return table[name]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3, 4], "number"),
        ([1.5, None, 3, 4], "number"),
        ([Decimal("1.5"), Decimal(2), None, Decimal(4)], "number"),
        (["1", "?", "3", "."], "number"),
        (["1", " NA ", "3", "N/A"], "number"),
        (["1,234", "5,678", "12", "9,876,543.5"], "number"),
        (["$1,200", "$950", "$3", "-$4"], "number"),
        (["12%", "3.5 %", "100%", ""], "number"),
        (["12%", "3.5", "100%", "2"], "text"),
        (["(1,200)", "950", "3", "(4.5)"], "number"),
        (["\u22121.5", "2", "3", "4"], "number"),
        (["(a)", "(b)", "3", "4"], "text"),
        (["k.A.", "2", "3", "4"], "number"),
        ([2**60, 2**60 + 1, 2**60 + 2, 5], "text"),
        ([2**60, 2**61, 2**62, 5], "number"),
        (["1,2", "3", "4", "5"], "number"),
        ([True, False, None, True], "boolean"),
        (["true", "False", "TRUE", "NA"], "boolean"),
        (["a", "b", "a", "b"], "category"),
        (["a", "b", "c", "d"], "text"),
        (["2020-01-01", "2020-02-01", None, "2020-04-01"], "date"),
        (["31/12/2020", "1/2/2021", "3/4/2021", "5/6/2021"], "date"),
        (["Jan 1 2000", "Feb 1 2000", "Mar 3 2000", "Apr 1 2000"], "date"),
        (["1959Q1", "1959Q2", "1959Q3", "1959Q4"], "date"),
        (pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04"]), "date"),
        (pd.date_range("2020", periods=4, tz="Europe/Zurich"), "date"),
        (pd.period_range("2020-01", periods=4, freq="M"), "date"),
        (pd.to_timedelta([1, 2, 3, 5], unit="h"), "number"),
        (pd.Categorical(["u", "v", "w", "u"]), "category"),
        ([7, 7, 7, 7], "constant"),
        (["u", "u", None, "u"], "constant"),
        ([None, None, None, None], "constant"),
        ([{"a": 1}, {"a": 2}, {"b": 1}, {}], "text"),
    ],
)
def test_kinds(values, kind):
    assert kind_of(values).kind == kind


def test_values_of_kinds():
    assert kind_of(["1,234", "NA", "-12", "0.5"]).values.tolist() == pytest.approx(
        [1234, np.nan, -12, 0.5], nan_ok=True
    )
    assert kind_of(["-$4", "$1,200.50", "$3", "$2"]).values.tolist() == [-4, 1200.5, 3, 2]
    assert kind_of(pd.to_timedelta([1, 2, 3, 5], unit="h")).values.tolist() == [
        3600,
        7200,
        10800,
        18000,
    ]
    day_first = kind_of(["31/12/2020", "1/2/2021", "3/4/2021", "5/6/2021"]).values
    assert day_first[1] == np.datetime64("2021-02-01")
    month_first = kind_of(["12/31/2020", "1/2/2021", "3/4/2021", "5/6/2021"]).values
    assert month_first[1] == np.datetime64("2021-01-02")
    zoned = kind_of(pd.date_range("2020", periods=4, tz="Europe/Zurich")).values
    assert zoned[0] == np.datetime64("2019-12-31T23:00")


def test_a_category_has_each_value_twice_on_average_and_thirty_to_be_a_target():
    for levels, rows, kind in ((30, 60, "category"), (31, 620, "category"), (5, 9, "text")):
        column = kind_of([f"v{i % levels}" for i in range(rows)])
        assert (column.kind, column.is_target) == (kind, levels == 30)


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "rownames", "row.names", "index", "id", "ID"])
def test_an_index_is_told_by_its_name(name):
    frame = pd.DataFrame({"a": [0.5, 0.25, 0.75], name: [10, 30, 20], "b": [1.0, 2.0, 4.0]})
    table = read_table(frame)
    assert [c.kind for c in table.columns] == ["number", "index", "number"]
    assert any("index" in note for note in table.notes)
    kept = read_table(frame, keep="#1")
    assert [c.kind for c in kept.columns] == ["number"] * 3
    measured = read_table(frame.assign(**{name: [1.5, 2.5, 3.25]}))
    assert measured.columns[1].kind == ("number" if name == "index" else "index")


def test_a_first_column_that_counts_is_an_index_and_a_later_one_if_it_counts_ten():
    values = [1.0, 3.0, 2.0, 5.0, 4.0]
    for start, kind in ((0, "index"), (1, "index"), (2, "number")):
        counter = np.arange(start, start + 5)
        table = read_table({"t": counter, "v": values, "u": counter})
        assert [c.kind for c in table.columns] == [kind, "number", "number"]
        longer = {"v": np.tile(values, 3), "u": np.arange(start, start + 15)}
        assert [c.kind for c in read_table(longer).columns] == ["number", kind]
        named = read_table({"id": list("efgab"), "t": counter, "v": values})
        assert [c.kind for c in named.columns] == ["index", kind, "number"]


def test_kinds_can_be_overruled_and_what_cannot_be_is_named():
    codes = {"code": [1, 2, 1, 2], "t": ["1", "2", "x", "4"], "y": [1.0, 2.0, 3.0, 5.0]}
    table = read_table(codes, kinds={"code": "category", "y": "index"})
    assert table["code"].levels == ("1", "2")
    assert table["y"].kind == "index"
    with pytest.raises(UserError, match="expected dates in column 't', got 'x' in row 2"):
        read_table(codes, kinds={"t": "date"})
    with pytest.raises(UserError, match="expected a kind among number, category"):
        read_table(codes, kinds={"t": "words"})
    with pytest.raises(UserError, match=r"expected a column of the table \(code, t, y\), got 'z'"):
        read_table(codes, kinds={"z": "number"})


def test_a_few_words_between_numbers_are_gaps():
    frame = {"y": [1.0, 2.0, 4.0, 3.0, 5.0], "x": ["1.5", "2", "low", "4", "5"]}
    table = read_table(frame)
    np.testing.assert_array_equal(table["x"].values, [1.5, 2, np.nan, 4, 5])
    assert "x: 1 cells that hold a word are gaps (low)" in table.notes
    assert read_table(frame, kinds={"x": "text"})["x"].values[2] == "low"
    chosen = read_table({**frame, "x": ["1.5", "2", "v1", "4", "5"]}, kinds={"x": "number"})
    assert np.isnan(chosen["x"].values[2]) and chosen["x"].missing == 1
    assert any("x: 1 cell is no number" in note and "row 2" in note for note in chosen.notes)
    german = read_table(
        {"y": [1.0, 2.0, 3.0], "x": ["1.234,5", "k1", "2,5"]}, kinds={"x": "number"}
    )
    np.testing.assert_array_equal(german["x"].values, [1234.5, np.nan, 2.5])
    with pytest.raises(UserError, match="expected numbers in column 'x', got 'a'"):
        read_table({"y": [1.0, 2.0, 4.0], "x": ["a", "b", "3"]}, kinds={"x": "number"})


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([20.0, -9999, 21.5, -9999, 23.0], True),
        ([-9999.0, 20.0, 21.5, 22.0, 23.0], False),
        ([-99.0, 150.0, -99.0, 3.0, 250.0], False),
    ],
)
def test_a_number_that_may_stand_for_gaps_is_named(values, told):
    notes = read_table({"a": [0.5, 2.5, 1.0, 4.0, 3.0], "x": values}).notes
    assert notes == (("x is -9999 in 2 rows, which may mark gaps",) if told else ())

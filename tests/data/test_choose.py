"""Inputs and targets: which columns, which rows, and what is said about it."""

import json

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.data.choose import choose
from learnable_novelty.data.reading import read_table
from learnable_novelty.errors import UserError

RNG = np.random.default_rng(0)
FAST = {"draws": 1, "null": 5}


def penguins(rows=60):
    kind = RNG.integers(0, 3, rows)
    frame = pd.DataFrame(
        {
            "Unnamed: 0": np.arange(1, rows + 1),
            "species": np.array(["Adelie", "Chinstrap", "Gentoo"])[kind],
            "bill": kind + 0.3 * RNG.standard_normal(rows),
            "mass": RNG.standard_normal(rows),
            "name": [f"bird {i}" for i in range(rows)],
            "day": pd.date_range("2007-11-11", periods=rows).astype(str),
        }
    )
    frame.loc[[3, 7, 9], "bill"] = np.nan
    return frame


DATA = penguins()
DECISIONS = [
    "left out: Unnamed: 0 (index: unnamed), name (text of 60 values), day (dates)",
    "species is a category of 3",
    "3 of 60 rows have gaps of inputs: filled and marked (bill)",
]


def test_decisions_are_said_and_what_is_left_is_one_hot():
    chosen = choose(read_table(DATA), targets="species")
    assert chosen.input_names == ["bill", "mass"]
    assert chosen.notes == tuple(DECISIONS)
    expected = DATA["species"].to_numpy()[:, None] == ["Adelie", "Chinstrap", "Gentoo"]
    np.testing.assert_array_equal(chosen.targets.matrix, expected)
    bill = DATA["bill"].fillna(DATA["bill"].median())
    by_hand = np.column_stack([bill, DATA["bill"].isna(), DATA["mass"]])
    np.testing.assert_array_equal(chosen.inputs.matrix, by_hand)
    assert chosen.inputs.places == {"bill": slice(0, 2), "mass": slice(2, 3)}


def test_named_columns_are_used_whatever_was_decided():
    table = read_table(DATA)
    chosen = choose(table, ["Unnamed: 0", "mass"], "bill")
    assert chosen.input_names == ["Unnamed: 0", "mass"]
    assert chosen.inputs.matrix[:3, 0].tolist() == [1, 2, 3]
    with pytest.raises(UserError, match="expected numbers in column 'name', got 'bird 0' in row 0"):
        choose(table, "name", "bill")
    with pytest.raises(UserError, match="'day', got dates: use it as an input, or as the time"):
        choose(table, "mass", "day")
    with pytest.raises(UserError, match=r"none are left \(left out: .*name the inputs"):
        choose(table, None, ["species", "bill", "mass"])


def test_a_counter_is_an_input_only_where_there_is_no_other():
    t = np.arange(40)
    chosen = choose(read_table({"t": t, "y": np.sin(t)}), targets="y")
    assert chosen.input_names == ["t"]
    assert "t counts the rows, and is the only input" in chosen.notes
    chosen = choose(read_table({"t": t, "x": np.cos(t), "y": np.sin(t)}), targets="y")
    assert chosen.input_names == ["x"]
    series = choose(read_table({"t": t, "y": np.sin(t)}), is_series=True)
    assert series.input_names == ["y"]


def test_gaps():
    frame = pd.DataFrame(
        {"x": [1.0, np.nan, 3.0, 7.0, 5.5], "c": [*"uvuv", None], "y": [1.0, 2, np.nan, 4, 5]}
    )

    def chosen(how, is_series=False, **columns):
        return choose(read_table(frame, missing=how), **columns, is_series=is_series)

    assert chosen("drop", targets="y").inputs.rows.tolist() == [0, 3]
    with pytest.raises(UserError, match=r"expected no gaps, but 3 of 5 rows have gaps"):
        chosen("refuse", targets="y")
    for how in ("fill", None):
        marked = chosen(how, targets="y")
        assert marked.inputs.rows.tolist() == [0, 1, 3, 4]
        assert marked.inputs.matrix[1].tolist() == [5.5, 1, 0, 1, 0]  # x, gap, u, v, missing
        assert marked.inputs.matrix[3].tolist() == [5.5, 0, 0, 0, 1]
        assert "2 of 4 rows have gaps of inputs: filled and marked (x, c)" in marked.notes
        assert "1 of 5 rows have gaps: left out (most in y: 1)" in marked.notes
    with pytest.raises(UserError, match=r"series without gaps, but 2 of 5 rows have gaps"):
        chosen(None, is_series=True, inputs=["x", "y"])
    filled = chosen("interpolate", is_series=True, inputs=["x", "y"])
    assert filled.inputs.matrix[:, 0].tolist() == [1.0, 2.0, 3.0, 7.0, 5.5]
    assert filled.inputs.matrix[:, 1].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    with pytest.raises(UserError, match="interpolated in a series only"):
        chosen("interpolate", targets="y")
    with pytest.raises(UserError, match="column 'c'"):
        chosen("interpolate", is_series=True)
    with pytest.raises(UserError, match="missing to be one of fill, drop, refuse"):
        chosen("ignore", targets="y")
    empty = {"x": [1.0, None, 2.0, None], "y": [None, 1.0, None, 4.0]}
    with pytest.raises(UserError, match="but all 4 have some"):
        choose(read_table(empty, missing="drop"), targets="y")


def test_a_copy_of_the_target_is_no_input_unless_it_is_named():
    x = np.random.default_rng(1).standard_normal((20, 2))
    table = read_table({"a": x[:, 0], "y": x[:, 1], "again": x[:, 1], "near": x[:, 1] + 1e-12})
    chosen = choose(table, targets="y")
    assert chosen.input_names == ["a", "near"]
    assert chosen.notes == ("left out: an exact copy of a target (again)",)
    assert choose(table, ["again"], "y").input_names == ["again"]


def test_infinite_values_are_named():
    with pytest.raises(UserError, match=r"in column 'x', got an infinite value in row 1"):
        choose(read_table({"x": [1.0, np.inf, 2.0], "y": [1.0, 2.0, 4.0]}), targets="y")


def test_scores_of_a_frame_a_file_and_arrays_agree(tmp_path):
    DATA.to_csv(tmp_path / "t.csv", index=False)
    kept = DATA.dropna()
    hot = pd.get_dummies(kept["species"]).to_numpy(np.float64)
    x = pd.DataFrame(np.hstack([hot, kept[["mass"]]]), columns=list("abcd"))
    by_hand = ln.score(x, kept["bill"].to_numpy(), **FAST)
    for found in (
        ln.score(DATA, "bill", **FAST),
        ln.score(DATA, targets=["bill"], **FAST),
        ln.score(tmp_path / "t.csv", "bill", **FAST),
        ln.score(read_table(DATA), "bill", **FAST),
        ln.score(DATA[["species", "mass"]], DATA["bill"], **FAST),
        ln.score(DATA.drop(columns="bill"), DATA[["bill"]], **FAST),
        ln.score(DATA.to_dict("list"), "bill", **FAST),
    ):
        assert found.bits == by_hand.bits
        assert found.p_value == by_hand.p_value
        assert "3 of 60 rows have gaps: left out (most in bill: 3)" in found.decisions
    both = ln.score(DATA, targets=["bill", "mass"], **FAST)
    assert both.target_dim == 2


def test_a_series_of_mixed_columns(tmp_path):
    t = np.arange(80)
    frame = pd.DataFrame({"day": pd.date_range("2020", periods=80), "x": np.sin(t)})
    shuffled = frame.sample(frac=1, random_state=0)
    straight = ln.score(np.sin(t), window=1, **FAST)
    ordered = read_table(shuffled, time="day")
    assert ln.score(ordered, window=1, **FAST).bits == straight.bits
    assert "rows put in the order of day, in steps of 1 day" in ordered.notes
    indexed = read_table(shuffled.set_index("day"), time="day")
    assert ln.score(indexed, window=1, **FAST).bits == straight.bits
    frame.loc[5, "x"] = np.nan
    with pytest.raises(UserError, match="expected a series without gaps, but 1 of 80 rows"):
        ln.score(frame, window=1, **FAST)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(UserError, match="expected a series without gaps, but 1 of 80 rows"):
        ln.open_columns(tmp_path / "t.csv")
    opened = ln.open_columns(tmp_path / "t.csv", "x", is_series=False)
    with pytest.raises(UserError, match="but 1 rows with gaps were filled or left out"):
        ln.score(opened, window=1, **FAST)
    command = ["score", str(tmp_path / "t.csv"), "--window", "1", "--draws", "1", "--null", "5"]
    assert main(command) == 2
    assert main([*command, "--missing", "interpolate", "--time", "day"]) == 0


def test_the_command_says_what_was_decided(tmp_path, capsys):
    path = tmp_path / "t.csv"
    DATA.to_csv(path, index=False)
    fast = ["--draws", "1", "--null", "5"]
    assert main(["score", str(path), "--targets", "species", *fast, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["decisions"] == DECISIONS
    assert set(found["classes"]["recalls"]) == {"Adelie", "Chinstrap", "Gentoo"}
    assert found["classes"]["accuracy"] > found["classes"]["base_rate"]
    assert main(["score", str(path), "--targets", "species", *fast]) == 0
    out = capsys.readouterr().out
    assert all(note in out for note in DECISIONS)
    assert "of 3 classes on held-out rows; base rate" in out
    overruled = ["--keep", "Unnamed: 0", "--as", "mass=text"]
    assert main(["score", str(path), "--targets", "species", *fast, *overruled, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["inputs"] == ["Unnamed: 0", "bill"]
    assert main(["score", str(path), "--targets", "species", "--as", "mass"]) == 2
    assert "--as takes COL=KIND" in capsys.readouterr().err

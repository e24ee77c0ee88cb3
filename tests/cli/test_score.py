"""``novelty score`` with groups, and with fewer inputs to compare with."""

import json

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main


@pytest.fixture
def table(tmp_path):
    g = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 10)
    x = g.standard_normal((120, 3))
    y = x[:, 0] + 0.7 * x[:, 2] + g.standard_normal(12)[patient]
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(patient=[f"p{k}" for k in patient], y=y)
    frame.loc[3, "a"] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def run(capsys, *arguments):
    code = main(["score", *map(str, arguments), "--draws", "2", "--json"])
    out, error = capsys.readouterr()
    return code, json.loads(out) if code == 0 else error


def test_the_column_of_groups_is_no_input(table, capsys):
    code, told = run(capsys, table, "--targets", "y", "--groups", "patient")
    assert code == 0
    assert told["inputs"] == ["a", "b", "c"]
    assert "whole groups" in told["rearranged"] and "(12 of them)" in told["rearranged"]
    frame = pd.read_csv(table)
    ours = ln.score(frame, "y", groups="patient", draws=2)
    assert told["p_value"] == ours.p_value
    assert told["held_out_interval"] == pytest.approx(list(ours.held_out_interval))
    labels = frame["patient"].to_numpy()
    also = ln.score(frame.drop(columns="patient"), "y", groups=labels, draws=2)
    assert also.p_value == ours.p_value


def test_other_inputs_are_compared_on_the_same_rows(table, capsys):
    _, told = run(capsys, table, "--targets", "y", "--inputs", "a,b,c", "--against", "a,b")
    found = told["difference"]
    assert found["num_samples"] == told["num_samples"]
    assert found["gain"] > 0.05 and found["p_value"] < 0.05
    _, idle = run(capsys, table, "--targets", "y", "--inputs", "a,b,c", "--against", "a,c")
    assert idle["difference"]["gain"] < 0.03
    code, error = run(capsys, table, "--targets", "y", "--inputs", "a,b", "--against", "c")
    assert code == 2 and "c" in error


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([1, 2], "expected one group for each of 60 rows"),
        (np.array([pd.NA, *range(59)], dtype=object), "expected a group for every row, got none"),
        ([None, *range(59)], "expected a group for every row, got none in row 0"),
        ("patient", "expected"),
    ],
)
def test_bad_groups_get_one_sentence(groups, said):
    x = np.random.default_rng(0).standard_normal((60, 1))
    with pytest.raises((ValueError, TypeError), match=said):
        ln.score(x, x, groups=groups, draws=1, null=19)


def test_few_groups_have_no_p_value_and_series_are_not_mixed():
    x = np.random.default_rng(0).standard_normal((60, 1))
    found = ln.score(x, x, groups=np.arange(60) % 4, draws=1, null=19)
    assert found.p_value is None and "at least 8 of them, got 4" in found.refusal
    panel = ln.score(x, window=1, groups=np.arange(60) // 6, draws=1, null=19)
    assert panel.num_samples == 50  # six steps make five pairs
    with pytest.raises(ValueError, match="got a group in several places"):
        ln.score(x, window=1, groups=np.arange(60) % 10, draws=1, null=19)


def test_groups_reach_the_horizon_and_the_learning_curve(tmp_path, capsys):
    g = np.random.default_rng(0)
    labels = np.repeat(np.arange(16), 30)
    frame = pd.DataFrame({"v": g.standard_normal(480).cumsum(), "who": [f"p{k}" for k in labels]})
    frame.to_csv(tmp_path / "s.csv", index=False)
    code, told = run(
        capsys, tmp_path / "s.csv", "--window", "auto", "--groups", "who", "--null", "0"
    )
    assert code == 0
    assert max(one["lead"] for one in told["horizon"]["leads"]) <= 3  # a tenth of a group
    named = ln.horizon(frame, groups="who", draws=2, leads=[1])
    assert named.scores[0].num_samples == 8 * (30 - named.history)
    x, y = g.standard_normal((480, 1)), g.standard_normal(480)
    curve = ln.learning_curve(x, y, sizes=[200, 480], subsets=1, null=19, groups=labels, draws=1)
    assert all("(16 of them)" in one.rearranged for (one,) in curve.scores)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--inputs", "a"], "--inputs"),
        (["--null", "linear"], "--null"),
        (["--against", "a"], "--against"),
        (["--rank"], "--rank"),
        (["--targets", "y", "--groups", "patient", "--chunks"], "without --chunks"),
        (["--inputs", "b,c", "--window", "1", "--against", "b"], "needs --targets"),
    ],
)
def test_options_that_would_be_ignored_are_rejected(table, capsys, options, said):
    assert main(["score", str(table), *options]) == 2
    assert said in capsys.readouterr().err


def test_depend_exchanges_whole_groups(table, capsys):
    arguments = ["depend", str(table), "--x", "a", "--y", "b", "--permutations", "19", "--json"]
    assert main([*arguments, "--groups", "patient"]) == 0
    assert "whole blocks" in json.loads(capsys.readouterr().out)["rearranged"]
    assert main([*arguments, "--groups", "patient", "--blocks", "5"]) == 2


def test_what_a_table_says_of_gaps_holds_when_it_is_scored(table, capsys):
    read = ln.read_table(table, missing="drop")
    assert ln.score(read, "y", draws=1, null=0).num_samples == 119
    assert ln.score(read, "y", groups="patient", draws=1, null=0).num_samples == 119
    code, told = run(capsys, table, "--targets", "y", "--groups", "patient", "--missing", "drop")
    assert code == 0 and told["num_samples"] == 119
    series = {"v": [1.0, 2.0, np.nan, 4.0] * 10, "who": np.repeat(list("abcdefghij"), 4)}
    read = ln.read_table(series, missing="interpolate")
    with pytest.raises(ValueError, match="interpolation would cross from one group"):
        ln.score(read, window=1, groups="who", draws=1, null=0)
    read = ln.read_table({"v": series["v"]}, missing="interpolate")
    with pytest.raises(ValueError, match="interpolation would cross from one group"):
        ln.score(read, window=1, groups=series["who"], draws=1, null=0)
    assert ln.score(read, window=1, draws=1, null=0).num_samples == 39

"""``novelty depend`` on files with gaps."""

import json

import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main


@pytest.fixture
def gappy(tmp_path):
    """Return a file whose three columns have gaps in different rows, and the file as a frame."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.standard_normal((60, 3)), columns=["x", "y", "z"])
    frame["y"] += frame["x"] ** 2
    for place, name in enumerate(frame):
        frame.loc[7 * place + 3, name] = np.nan
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return path, frame


def answer(capsys, *arguments):
    assert main(["depend", *map(str, arguments), "--permutations", "19", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_row_with_a_gap_on_one_side_is_left_out_of_all(gappy, capsys):
    path, frame = gappy
    told = answer(capsys, path, "--x", "x", "--y", "y", "--given", "z")
    whole = frame.dropna()
    expected = ln.dependence(whole["x"], whole["y"], whole["z"], permutations=19)
    assert told["num_rows"] == 57
    assert told["p_value"] == expected.p_value
    assert told["statistic"] == pytest.approx(expected.statistic)
    assert any("3 of 60 rows have gaps: left out" in note for note in told["decisions"])


def test_gaps_can_be_marked_and_those_of_a_series_are_refused(gappy, capsys):
    path, _ = gappy
    told = answer(capsys, path, "--x", "x", "--y", "y", "--missing", "fill")
    assert told["num_rows"] == 60
    assert told["x_dim"] == told["y_dim"] == 2
    assert main(["depend", str(path), "--x", "x", "--y", "y", "--blocks", "5"]) == 2
    assert "expected a series without gaps" in capsys.readouterr().err


def test_a_column_is_on_one_side_only(gappy, capsys):
    path, _ = gappy
    for arguments in (["--x", "x", "--y", "x"], ["--x", "x", "--y", "y", "--given", "y"]):
        assert main(["depend", str(path), *arguments]) == 2
        assert "expected each column on one side" in capsys.readouterr().err

"""Settings and names that ``score`` takes, and those that it rejects."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.seeds import numpy_generator
from novelty_lab.measures.compare import compare


def read_columns(path, inputs=None, targets=None):
    return ln.open_columns(path, inputs, targets, chunks=False)


RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
Y = np.sin(X[:, :1]) + 0.2 * RNG.standard_normal((60, 1))
FAST = {"draws": 1, "null": 5}


@pytest.mark.parametrize("seed", [1.7, "3", True, -1, None, np.float64(2)])
def test_seeds_that_are_not_whole_numbers_are_rejected(seed):
    with pytest.raises(ValueError, match="seed must be"):
        ln.score(X, Y, seed=seed, **FAST)
    with pytest.raises(ValueError, match="seed must be"):
        compare(X, Y, seed=seed, **FAST)
    assert ln.score(X, Y, seed=np.int64(3), **FAST) == ln.score(X, Y, seed=3, **FAST)


def test_the_resolution_reaches_the_score_and_the_command(tmp_path, capsys):
    np.savetxt(tmp_path / "t.csv", np.hstack([X, Y]), delimiter=",")
    coarse, fine = (ln.score(X, Y, resolution=eta, **FAST) for eta in (1.0, 50.0))
    assert coarse == ln.score(X, Y, **FAST)
    assert fine.bits > coarse.bits and "resolution=50.0" in fine.observer
    reservoir = ln.reservoirs.MLP(2, 15, 4)
    own = ln.Observer(reservoir, ridge_penalty="evidence", resolution=50.0)
    drawn = ln.score(X, Y, observer=own, **FAST)
    spectrum = np.array(drawn.spectrum)
    assert drawn.bits == pytest.approx(0.5 * np.log2(1 + 50 * spectrum**2).sum(), rel=1e-9)
    command = ["score", str(tmp_path / "t.csv"), "--targets", "2", "--draws", "1", "--json"]
    assert main([*command, "--null", "5", "--resolution", "50"]) == 0
    assert json.loads(capsys.readouterr().out)["bits"] == pytest.approx(
        ln.score(tmp_path / "t.csv", "2", resolution=50.0, **FAST).bits, rel=1e-9
    )
    with pytest.raises(ValueError, match="resolution is for the default observer"):
        ln.score(X, Y, observer=own, resolution=2.0)
    with pytest.raises(ValueError, match="resolution must be positive"):
        ln.score(X, Y, resolution=-1.0)


def test_columns_whose_names_hold_commas_can_be_chosen(tmp_path, capsys):
    frame = pd.DataFrame(np.hstack([X, Y]), columns=["a,b", 'say "c"', "y, out"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    plain = ln.score(frame.set_axis(["a", "b", "c"], axis=1), "c", **FAST)
    for path in (tmp_path / "t.csv", tmp_path / "t.parquet"):
        for inputs, targets in (
            ('"a,b", "say ""c"""', '"y, out"'),
            (["a,b", 'say "c"'], ["y, out"]),
            ([0, 1], (2,)),
        ):
            columns = read_columns(path, inputs, targets)
            assert columns.input_names == ["a,b", 'say "c"']
            assert columns.target_names == ["y, out"]
            np.testing.assert_allclose(columns.inputs, X)
        assert ln.score(path, ["y, out"], **FAST).bits == plain.bits
        with pytest.raises(ValueError, match=r"expected a column of t\..*, got 'a'"):
            read_columns(path, "a,b", None)
        command = ["score", str(path), "--inputs", '"a,b"', "--targets", '"y, out"', "--json"]
        assert main([*command, "--draws", "1", "--null", "0"]) == 0
        assert json.loads(capsys.readouterr().out)["inputs"] == ["a,b"]
    with pytest.raises(TypeError, match=r"names or numbers of columns of t\.csv, got float"):
        read_columns(tmp_path / "t.csv", [0.0], None)


def test_observed_and_surrogate_series_are_solved_alike():
    """A surrogate that is the series itself explains what the series explains, to rounding."""
    series = np.sin(0.05 * np.arange(300))
    observer = ln.Observer(ln.reservoirs.MLP(1, 24, 3, linear_last=False), ridge_penalty=1e-11)
    settings = {"window": 2, "draws": 1, "observer": observer}
    result = ln.score(series, null=ln.Null(1, "time"), **settings)
    order = numpy_generator(0, "surrogate", "time", 0).permutation(300)
    x = (series - series.mean()) / series.std()
    x, t = torch.from_numpy(x[:, None]), torch.from_numpy(series[:, None] / series.std())
    for rows, explained in (
        (np.arange(300), result.explained_variance),
        (order, result.null_explained_variance[0]),
    ):
        h = observer.reservoir(x[rows][:298]).numpy()
        h = (h - h.mean(0)) / (h.std(0) * 24**0.5)
        y = np.hstack([t[rows][1:299], t[rows][2:300]])
        y = y - y.mean(0)
        left, root, _ = np.linalg.svd(h, full_matrices=False)
        along = left.T @ y * (root**2 / (root**2 + 1e-11))[:, None]
        expected = 1 - np.square(y - left @ along).sum() / np.square(y).sum()
        assert explained == pytest.approx(expected, rel=1e-9)

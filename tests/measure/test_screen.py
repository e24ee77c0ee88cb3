import numpy as np
import pandas as pd
import pytest

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.measure.screen import unexplained_shares


def standardized(values):
    return (values - values.mean(0)) / values.std(0)


def test_shares_are_those_of_a_ridge_that_is_fitted_again_without_each_row():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((40, 5))
    values[:, 1] += values[:, 0] ** 2
    values[:, 3:] = np.eye(2)[rng.integers(0, 2, 40)]
    places = {"a": slice(0, 1), "b": slice(1, 2), "c": slice(2, 3), "kind": slice(3, 5)}
    shares = unexplained_shares(values, places)
    x = standardized(values)
    squares = x * x - (x * x).mean(0)
    squares /= np.where(squares.std(0) > 1e-9, squares.std(0), 1.0)
    mu = (np.square(x).sum() + np.square(squares).sum()) / len(x)
    for name, place in places.items():
        others = np.setdiff1d(np.arange(5), np.arange(5)[place])
        features, y = np.concatenate([x[:, others], squares[:, others]], axis=1), x[:, place]
        errors = []
        for row in range(len(x)):
            kept = np.arange(len(x)) != row
            f = features[kept]
            weights = np.linalg.solve(f.T @ f + mu * np.eye(f.shape[1]), f.T @ y[kept])
            errors.append(y[row] - features[row] @ weights)
        assert shares[name] == pytest.approx(np.square(errors).sum() / np.square(y).sum())


def wide(columns=40, rows=80, seed=0):
    rng = np.random.default_rng(seed)
    table = {f"x{i}": rng.standard_normal(rows) for i in range(columns)}
    table["sum"] = table["x1"] + table["x2"] + 0.1 * rng.standard_normal(rows)
    return pd.DataFrame(table)


def test_the_most_promising_columns_are_tested_and_the_others_count():
    few = ln.scan(wide(), top=5, permutations=999, draws=1)
    assert len(few.relations) == 5
    assert {one.target for one in few.discoveries()} >= {"sum"}
    assert any(note.startswith("only 5 of 41 columns are tested") for note in few.notes)
    tested = sorted(one.p_value for one in few.relations)
    expected = ln.adjust([*tested, *[1.0] * 36])[:5]
    assert sorted(one.adjusted_p for one in few.relations) == pytest.approx(expected)


def test_noise_has_no_finding_among_the_columns_that_look_promising():
    found = 0
    for seed in range(10):
        noise = wide(seed=seed).drop(columns="sum")
        scanned = ln.scan(noise, top=5, draws=1, seed=seed)
        found += bool(scanned.discoveries())
        assert scanned.discoveries() or "none of 5 columns" in scanned.title
        assert scanned.discoveries() or "adjusted for 40 tests" in scanned.title
    assert found <= 2


def test_the_command_takes_top(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "wide.csv"
    pd.DataFrame(rng.standard_normal((30, 201))).add_prefix("c").to_csv(path, index=False)
    assert main(["scan", str(path), "--top", "2", "--seed", "1"]) == 0
    assert "adjusted for 201 tests" in capsys.readouterr().out
    narrow = tmp_path / "narrow.csv"
    wide(3).to_csv(narrow, index=False)
    assert main(["scan", str(narrow), "--top", "0"]) == 2

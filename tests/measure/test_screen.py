import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.cli.main import main
from learnable_novelty.errors import UserError
from learnable_novelty.measure import screen

PLACES = [slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 5), slice(5, 6), slice(6, 7)]
ABLE = [True] * 5 + [False]


def small(rows=50):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((rows, 7))
    values[:, 1] += np.abs(values[:, 0])
    values[:, 3:5] = np.eye(2)[(values[:, 2] > 0).astype(int)]
    return (values - values.mean(0)) / values.std(0)


def expected(x, most):
    """Return every column's sum and partners by the formula, one correlation at a time."""
    told = []
    for g, place in enumerate(PLACES):
        strength = {}
        for j, other in enumerate(PLACES):
            pairs = [
                (x[:, a], f(x[:, b]))
                for a in range(place.start, place.stop)
                for b in range(other.start, other.stop)
                for f in (np.array, np.abs)
            ]
            strength[j] = max(np.corrcoef(*pair)[0, 1] ** 2 for pair in pairs if pair[1].std() > 0)
        del strength[g]
        best = sorted(strength, key=lambda j: -strength[j])[:most]
        told.append((sum(-np.log(max(1 - strength[j], 1e-6)) for j in best), g, best))
    return told


@pytest.mark.parametrize("most", [1, 3])
def test_targets_and_partners_are_those_of_the_formula(most):
    x = small()
    told = [one for one in expected(x, most) if ABLE[one[1]]]
    told = sorted(told, reverse=True)[:3]
    found = screen.partners(torch.from_numpy(x), PLACES, ABLE, 3, most)
    assert found == sorted((g, best) for _, g, best in told)


def test_a_first_look_by_blocks_and_few_rows_finds_the_same(monkeypatch):
    x = torch.from_numpy(small())
    found = screen.partners(x, PLACES, ABLE, 2, 1)
    for name, value in (("FEWEST_CANDIDATES", 4), ("WORK", 49 * 40), ("TARGETS", 2)):
        monkeypatch.setattr(screen, name, value)
    for width in (1, 3, 100):
        monkeypatch.setattr(screen, "FEATURES", width)
        assert screen.partners(x, PLACES, ABLE, 1, 1)[0] in found


def wide(columns=40, rows=80, seed=0):
    rng = np.random.default_rng(seed)
    table = {f"x{i}": rng.standard_normal(rows) for i in range(columns)}
    table["sum"] = table["x1"] + table["x2"] + 0.1 * rng.standard_normal(rows)
    return pd.DataFrame(table)


def test_one_half_of_the_rows_chooses_and_the_other_tests():
    few = ln.scan(wide(), top=5)
    assert len(few.relations) == 5 and few.permutations == 999
    assert few["sum"].is_found and set(few["sum"].used) == {"x1", "x2"}
    assert few["sum"].num_rows == 40
    assert any(note.startswith("40 rows chose 5 of 41 columns") for note in few.notes)
    tested = [one.p_value for one in few.relations]
    assert [one.adjusted_p for one in few.relations] == pytest.approx(ln.adjust(tested))


def test_a_table_of_more_columns_than_rows_is_scanned_that_way_by_itself():
    frame = wide(300, 60)
    scanned = ln.scan(frame, permutations=99, draws=1)
    assert len(scanned.relations) == 50 and scanned["sum"].num_rows == 30
    with pytest.raises(UserError, match="301 columns are too many for 19 rows without gaps"):
        ln.scan(frame[:19])


def test_noise_has_no_finding_among_the_columns_that_look_promising():
    found = 0
    for seed in range(12):
        noise = wide(seed=seed).drop(columns="sum")
        scanned = ln.scan(noise, top=5, draws=1, permutations=199, seed=seed)
        found += bool(scanned.discoveries())
        assert scanned.discoveries() or "none of 5 columns" in scanned.title
    assert found <= 2


def test_wrong_choices_are_refused():
    with pytest.raises(UserError, match="either pairs or top"):
        ln.scan(wide(4), pairs=True, top=2)
    with pytest.raises(UserError, match="top"):
        ln.scan(wide(4), top=0)
    with pytest.raises(UserError, match="at most 1000 columns for pairs, got 1002"):
        ln.scan(wide(1001, 20), pairs=True)


def test_many_columns_with_gaps_are_left_out_and_counted():
    frame = wide(400, 60)
    for k in range(300):
        frame.loc[frame.index[[k % 60, (k * 7) % 60]], f"x{k}"] = np.nan
    scanned = ln.scan(frame, top=2, permutations=19, draws=1)
    assert any("other columns with gaps" in note for note in scanned.notes)
    assert len(scanned.notes) < 12


def test_the_command_takes_top(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "wide.csv"
    pd.DataFrame(rng.standard_normal((30, 201))).add_prefix("c").to_csv(path, index=False)
    assert main(["scan", str(path), "--top", "2", "--seed", "1"]) == 0
    assert "15 rows chose 2 of 201 columns" in capsys.readouterr().out
    narrow = tmp_path / "narrow.csv"
    wide(3).to_csv(narrow, index=False)
    assert main(["scan", str(narrow), "--top", "0"]) == 2

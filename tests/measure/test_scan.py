import json
import math

import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.errors import UserError
from learnable_novelty.measure.held_out import Folds
from learnable_novelty.measure.p_values import tail_p_value
from learnable_novelty.measure.shared_features import (
    explain_groups,
    membership,
    predict_groups,
)
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows
from learnable_novelty.rearrange import row_orders


def table(n=150, seed=0):
    g = np.random.default_rng(seed)
    a, b, noise = g.standard_normal((3, n))
    kind = np.where(a > 0.4, "red", np.where(b > 0, "blue", "green"))
    c = np.sin(2 * a) + 0.2 * g.standard_normal(n)
    return pd.DataFrame({"a": a, "b": b, "c": c, "kind": kind, "noise": noise})


@pytest.fixture(scope="module")
def found():
    return ln.scan(table(), permutations=199)


@pytest.fixture(scope="module")
def pairs():
    return ln.scan(table(), pairs=True)


def test_groups_of_targets_are_fitted_as_each_would_be_alone():
    g = np.random.default_rng(0)
    h, y = (torch.from_numpy(g.standard_normal((80, d))) for d in (9, 4))
    y[:, 2:] += h[:, :2]
    observer = Observer(reservoirs.MLP(1, 9, 2), ridge_penalty="evidence")
    places = [slice(0, 1), slice(1, 3), slice(3, 4)]
    folds = Folds.of(80, None, np.random.default_rng(1))
    together = predict_groups(observer, Rows(h, y), membership(places, 4), folds)
    signs = torch.from_numpy(2.0 * g.integers(0, 2, (5, 80)) - 1)
    orders = row_orders("rows", 80, (1,), 7, 3)
    tested = explain_groups(observer, Rows(h, y), membership(places, 4), orders, [signs])
    for group, place in enumerate(places):
        alone = folds.errors(observer, Rows(h, y[:, place]))
        np.testing.assert_allclose(together[group].errors, alone.errors, rtol=1e-8)
        np.testing.assert_allclose(together[group].spread, alone.spread, rtol=1e-8)
        np.testing.assert_allclose(together[group].predicted, alone.predicted, rtol=1e-6)
        assert together[group].freedom == pytest.approx(alone.freedom)
        fit = observer.fit(Rows(h, y[:, place]))
        _, null = fit.rearranged(fit.targets, row_orders("rows", 80, (1,), 7, 3))
        np.testing.assert_allclose(tested.permuted[:, group], null, atol=1e-9)
        turned = (y[:, place] - y[:, place].mean(0))[None] * signs[..., None]
        signed = [observer.fit(Rows(h, one)).explained_variance() for one in turned]
        np.testing.assert_allclose(tested.signed[:, group], signed, atol=1e-9)
        assert tested.observed[group] == pytest.approx(fit.explained_variance())


def test_columns_that_depend_on_others_are_found_and_noise_is_not(found):
    assert {one.target for one in found.discoveries()} == {"a", "b", "c", "kind"}
    shares = [one.held_out_variance for one in found.relations]
    assert shares == sorted(shares, reverse=True)
    assert found["c"].held_out_variance > 0.6
    assert found["c"].importance[0][0] == "a"
    assert found["noise"].denoised_bits == 0
    classes = found["kind"].classes
    assert classes.accuracy > 0.8 > classes.base_rate
    assert found["a"].classes is None


def test_relations_are_those_of_the_named_columns_only(found):
    assert set(found["c"].inputs) == {"a", "b", "kind", "noise"}
    assert sum(share for _, share in found["c"].importance) == pytest.approx(1)
    again = ln.scan(table(), permutations=199)
    assert again.relations == found.relations
    assert ln.scan(table(), permutations=199, seed=1).relations != found.relations


def test_pairs_have_a_direction_and_a_matrix(pairs):
    assert len(pairs.relations) == 20
    values, names = pairs.matrix(), pairs.names
    told = values[names.index("a"), names.index("c")]
    back = values[names.index("c"), names.index("a")]
    assert told > 0.6 > 2 * back  # a sine can be read from its angle, not the angle from the sine
    assert np.isnan(np.diag(values)).all()
    found = {(one.inputs[0], one.target) for one in pairs.discoveries()}
    assert ("a", "c") in found
    assert not any("noise" in pair for pair in found)
    order = [names[k] for k in pairs.clustered()]
    assert sorted(order) == sorted(names)
    assert abs(order.index("a") - order.index("c")) <= 2


def test_a_scan_reads_well_in_text_frame_json_page_and_pictures(found, pairs, tmp_path):
    for one in (found, pairs):
        assert "ln.score(data[" in str(one)
        assert len(one.to_frame()) == len(one.relations) == len(one.rows())
        plain = json.loads(json.dumps(one.to_dict(), allow_nan=False))
        assert plain["relations"][0]["target"] == one.relations[0].target
        one.plot(tmp_path / "scan.html")
        page = (tmp_path / "scan.html").read_text()
        assert "<table" in page and "noise" in page
        one.plot(tmp_path / "scan.png")
        assert (tmp_path / "scan.png").stat().st_size > 10_000
    assert "4 of 5 columns can be learned from the rest" in str(found)


def test_the_next_step_can_be_typed(found):
    frame = table()
    step = found.next_step(found["c"])
    score = eval(step, {"ln": ln, "data": frame})
    assert score.target_text == "c"


def test_gaps_are_filled_as_a_score_fills_them():
    frame = table()
    frame.loc[:9, "b"] = np.nan
    frame.loc[5:30, "kind"] = None
    found = ln.scan(frame, permutations=19)
    assert (found["c"].num_rows, found["b"].num_rows) == (150, 140)
    assert any("31 of 150 rows have gaps: filled" in note for note in found.notes)
    dropped = ln.scan(ln.read_table(frame, missing="drop"), permutations=19)
    assert dropped["c"].num_rows == 119
    both = ln.scan(frame, pairs=True, permutations=19)
    sizes = {(one.inputs[0], one.target): one.num_rows for one in both.relations}
    assert (sizes["a", "c"], sizes["b", "c"]) == (150, 140)


def test_a_score_has_the_share_of_the_scan():
    frame = table()
    frame.loc[:9, "b"] = np.nan
    frame["odd"] = frame["a"] > 0.2
    found = ln.scan(frame, permutations=19)
    for target in ("c", "kind", "odd", "b"):
        alone = ln.score(frame, target, null=19)
        for name in ("held_out_variance", "held_out_interval", "denoised_bits", "num_rows"):
            assert getattr(alone, name) == getattr(found[target], name)


def test_many_rows_are_sampled_and_few_are_not_measured():
    found = ln.scan(table(300), rows=100, permutations=19)
    assert {one.num_rows for one in found.relations} == {100}
    assert "100 of 300 rows are used, chosen at random" in found.notes
    few = ln.scan({"a": np.arange(8.0) ** 2, "b": np.cos(np.arange(8.0))})
    assert all(one.p_value is None for one in few.relations)
    assert "too few rows" in str(few)
    json.dumps(few.to_dict(), allow_nan=False)


def test_the_tail_of_permutations_tells_small_p_values():
    g = np.random.default_rng(0)
    # Shares of variance of k weights by chance are Beta distributed: an exact tail to compare with.
    from scipy.stats import beta

    for k, n in ((1, 200), (5, 200), (20, 400)):
        law = beta(k / 2, (n - 1 - k) / 2)
        for p in (0.3, 1e-3, 1e-5):
            told = [tail_p_value(law.rvs(499, random_state=g), law.isf(p)) for _ in range(40)]
            assert 0.3 * p < math.exp(np.mean(np.log(told))) < 5 * p
    assert tail_p_value(np.zeros(99), 0.5) == 0.01
    assert tail_p_value(g.uniform(0, 0.01, 499), 0.9) == 1e-6


def test_columns_whose_size_alone_depends_on_another_are_not_found():
    g = np.random.default_rng(0)
    size = np.exp(0.7 * g.standard_normal(300))
    scanned = ln.scan({f"e{i}": size * g.standard_normal(300) for i in range(5)})
    assert not scanned.discoveries()
    assert any("no mean that can be learned" in text for text in scanned.cautions)


def test_memory_is_tested_by_blocks_as_in_a_score():
    g = np.random.default_rng(0)
    values = g.standard_normal((400, 3))
    for t in range(1, 400):
        values[t] += 0.5 * values[t - 1]
    values[:, 2] += values[:, 0]
    frame = dict(zip("abc", values.T, strict=True))
    told = ln.scan(frame, permutations=99)
    assert [one.target for one in told.discoveries()] == ["c", "a"]
    assert "blocks of rows, because neighbouring rows are alike" in told.title
    scored = ln.score(ln.read_table(frame), "c", null=99)
    assert told["c"].held_out_variance == scored.held_out_variance
    assert told["c"].tested_by == scored.tested_by


def test_groups_stay_together_and_equal_rows_are_groups():
    g = np.random.default_rng(1)
    labels = np.repeat(np.arange(20), 10)
    values = g.standard_normal((20, 3))[labels] + 0.3 * g.standard_normal((200, 3))
    columns = dict(zip("abc", values.T, strict=True))
    told = ln.scan(columns | {"patient": [f"p{k}" for k in labels]}, groups="patient")
    assert told.names == ("a", "b", "c")
    assert not told.discoveries()
    alike = ln.scan(columns)
    assert alike["a"].refusal is not None and "not tested: neighbouring rows are alike" in str(
        alike
    )
    twice = ln.scan({name: np.tile(g.standard_normal(40), 5) for name in "abc"})
    assert not twice.discoveries()
    assert any("equal rows are one group" in note for note in twice.notes)
    with pytest.raises(ValueError, match="needs at least 8 of them"):
        ln.scan(columns, groups=np.arange(200) % 3)


@pytest.mark.parametrize("how", ["refuse", "interpolate"])
def test_a_scan_rejects_what_it_does_not_do_with_gaps(how):
    g = np.random.default_rng(0)
    values = dict(zip("ab", g.standard_normal((2, 60)), strict=True))
    whole = ln.read_table(values, missing=how)
    assert len(ln.scan(whole, draws=1, permutations=19).relations) == 2
    values["a"][3] = np.nan
    with pytest.raises(UserError, match="gaps are filled or their rows left out in a scan"):
        ln.scan(ln.read_table(values, missing=how))

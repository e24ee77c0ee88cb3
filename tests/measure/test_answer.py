import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.errors import UserError
from learnable_novelty.measure.classes import accuracy_of
from learnable_novelty.measure.importance import exchange_effects
from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.summary import Rows


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def test_importance_of_a_linear_function_is_its_squared_coefficients():
    x = torch.from_numpy(normal(4000, 3))
    x = (x - x.mean(0)) / x.std(0, correction=0)
    y = x @ torch.tensor([[2.0], [1.0], [0.0]], dtype=torch.float64)
    observer = Observer(reservoirs.Identity(3), ridge_penalty=1e-9)
    rows = Rows(x, y)
    whole = rows.roots(torch.float64)
    fit = observer.fit(whole)
    places = {"a": [0], "b": [1], "c": [2]}
    effects = exchange_effects(fit, x, places)
    # The mean over 256 rows of squared differences has an error of about a tenth.
    np.testing.assert_allclose(effects, [4, 1, 0], rtol=0.35, atol=1e-9)
    both = exchange_effects(fit, x, {"a and b": [0, 1], "c": [2]})
    assert both[0] == pytest.approx(5, rel=0.35)


@pytest.mark.parametrize(
    ("function", "used"),
    [
        (lambda x: np.sin(2 * x[:, 1]), {"b"}),
        (lambda x: x[:, 0] * x[:, 2], {"a", "c"}),
        (lambda x: np.abs(x[:, 3]), {"d"}),
    ],
)
def test_importance_names_the_inputs_that_matter(function, used):
    x = normal(500, 4)
    frame = pd.DataFrame(x, columns=list("abcd"))
    frame["y"] = function(x) + 0.1 * normal(500, seed=1)
    result = ln.score(frame, "y", draws=2, null=19)
    assert {name for name, _ in result.importance[: len(used)]} == used
    assert sum(share for name, share in result.importance if name in used) > 0.75
    assert "importance" in str(result)


@pytest.mark.slow
def test_a_line_of_the_named_share_would_have_been_found():
    # Ours is a statement about data like these: draw such data, with a line of that share.
    g, found, shares = np.random.default_rng(5), [], []
    for index in range(20):
        x, y = g.standard_normal((60, 2)), g.standard_normal(60)
        share = ln.score(x, y, draws=1, null=99, seed=index).detectable_share
        if share is None:  # a chance finding
            continue
        line = share**0.5 * x[:, 0] + (1 - share) ** 0.5 * g.standard_normal(60)
        found.append(ln.score(x, line, draws=1, null=99, seed=index).p_value <= 0.05)
        shares.append(share)
    assert np.mean(found) >= 0.7  # 0.9 within three standard errors
    assert 0.1 < np.mean(shares) < 0.4


def test_more_rows_find_weaker_relations_and_too_few_find_none():
    shares = [
        ln.score(normal(n, 1, seed=7), normal(n, 1, seed=8), draws=1, null=199).detectable_share
        for n in (30, 120, 480)
    ]
    assert shares[0] > 2 * shares[1] > 4 * shares[2] > 0
    few = ln.score(normal(5, 1, seed=1), normal(5, 1, seed=2), draws=1, null=199)
    assert few.detectable_share > 0.8
    gone = dataclasses.replace(few, detectable_share=math.nan)
    assert "5 rows are too few to find even a strong one" in gone.verdict


def test_classes_are_counted_as_a_confusion_matrix_counts_them():
    truth = np.array([0, 0, 0, 1, 1, 2])
    guess = np.array([0, 1, 0, 1, 1, 0])
    found = accuracy_of(np.eye(3)[guess] + 0.1, np.eye(3)[truth])
    assert found.accuracy == pytest.approx(4 / 6)
    assert found.base_rate == pytest.approx(3 / 6)
    assert found.recalls == pytest.approx((2 / 3, 1.0, 0.0))
    assert found.confusion == ((2, 1, 0), (0, 2, 0), (1, 0, 0))
    two = accuracy_of(np.array([[0.2], [0.9], [0.6]]), np.array([[0.0], [1.0], [0.0]]))
    assert (two.accuracy, two.count) == (pytest.approx(2 / 3), 2)
    assert accuracy_of(np.zeros((3, 1)), np.array([[0.5], [1.0], [0.0]])) is None
    assert accuracy_of(np.zeros((3, 1)), np.zeros((3, 1))) is None


def test_class_targets_report_accuracy_beside_the_base_rate():
    x = normal(200, 2)
    labels = np.digitize(x[:, 0], [-0.7, 0.7])
    result = ln.score(x, np.eye(3)[labels], draws=1, null=19)
    assert result.classes.base_rate == np.bincount(labels).max() / 200
    assert result.classes.accuracy > 0.85
    assert "classes in units of their common deviation" in str(result)
    assert "per class" in str(result)
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["classes"]["count"] == 3
    chance = ln.score(x, np.eye(3)[np.random.default_rng(0).permutation(labels)], draws=1, null=19)
    assert abs(chance.classes.accuracy - chance.classes.base_rate) < 0.1


def test_the_unit_of_classes_is_their_common_deviation():
    x, y = normal(200, 2), np.eye(3)[np.arange(200) % 3]
    common = float(np.sqrt(y.var(0).mean()))
    bits = ln.score(x, y, draws=1, null=0).bits
    assert bits == pytest.approx(ln.score(x, y, draws=1, null=0, target_unit=common).bits)
    assert bits != pytest.approx(ln.score(x, y, draws=1, null=0, target_unit=common / 2).bits)


def test_a_rare_class_counts_by_its_rows():
    x = normal(300, 1)
    labels = (x[:, 0] > 0).astype(int)
    labels[0] = 2  # one row of noise
    result = ln.score(x, np.eye(3)[labels], draws=1, null=0)
    two = ln.score(x[1:], np.eye(2)[labels[1:]], draws=1, null=0)
    assert result.held_out_variance == pytest.approx(two.held_out_variance, abs=0.05)


def test_points_are_held_out_predictions_in_the_units_of_the_data():
    x = 10 + 3 * normal(3000, 1)
    y = 100 + 50 * x[:, 0]
    points = ln.score(x, y, draws=1, null=0).predictions
    np.testing.assert_allclose(points.observed[:, 0], 100 + 50 * points.input)
    core = np.abs(points.input - 10) < 6  # far out a readout without the row extrapolates
    np.testing.assert_allclose(points.predicted[core], points.observed[core], rtol=0.05)
    many = ln.score(normal(100, 2), normal(100, 3, seed=1), draws=1, null=0).predictions
    assert many.input is None and many.in_deviations


def test_history_and_window_are_chosen_on_the_first_half_and_judged_on_the_second():
    g = np.random.default_rng(0)
    x = np.zeros(240)
    for t in range(2, 240):
        x[t] = 1.6 * x[t - 1] - 0.9 * x[t - 2] + 0.3 * g.standard_normal()
    found = ln.score(x, window="auto", history="auto", draws=1, null=19)
    tried = "chosen among 1, 2, 4, 8 on the first 120 steps"  # at least ten pairs for each step
    assert any(note.startswith(f"history 2, {tried}") for note in found.decisions)
    assert any(note.startswith("window ") and tried in note for note in found.decisions)
    assert 90 < found.num_samples < 120
    changed = x.copy()
    changed[120:] = g.standard_normal(120)
    other = ln.score(changed, window="auto", history="auto", draws=1, null=19)
    assert other.decisions == found.decisions  # the second half has no say in the choice
    assert other.p_value > 0.05
    with pytest.raises(UserError, match="at least 80 steps"):
        ln.score(x[:60], window="auto")
    with pytest.raises(UserError, match="goes with a window"):
        ln.score(x[:, None], x, history="auto")


def test_the_horizon_ends_where_chaos_does(tmp_path):
    x = [0.3]
    for _ in range(399):
        x.append(3.9 * x[-1] * (1 - x[-1]))
    found = ln.horizon(np.array(x), leads=[1, 2, 4, 12], history=1, draws=1)
    assert 2 <= found.reach <= 4
    shares = [row["held_out_variance"] for row in found.rows()]
    assert shares[0] > 0.99 and shares[-1] < 0.1
    assert f"{found.reach} steps ahead" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    found.plot(tmp_path / "horizon.png")
    assert (tmp_path / "horizon.png").stat().st_size > 10_000
    noise = ln.horizon(normal(300), draws=1)
    assert noise.reach == 0 and "chosen among" in str(noise)

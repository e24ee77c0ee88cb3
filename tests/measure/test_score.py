# pyright: reportArgumentType=false, reportOptionalMemberAccess=false, reportOptionalOperand=false, reportOptionalSubscript=false

import dataclasses
import json
import math

import numpy as np
import pytest
import torch

import learnable_novelty as ln
from learnable_novelty.data.open import in_memory
from learnable_novelty.errors import UserError
from learnable_novelty.measure.draw import FLOOR_REPEATS
from learnable_novelty.measure.held_out import all_but_one
from learnable_novelty.measure.null import HYPOTHESES
from learnable_novelty.measure.prepare import prepare_rows
from learnable_novelty.measure.surrogates import shuffled_shares
from learnable_novelty.measure.task import Settings, Task, Windows
from learnable_novelty.observer.summary import Moments, Roots, merge
from learnable_novelty.rearrange import Rearrangements
from novelty_lab.studies.calibration.processes import filtered


def fast(**settings):
    return {"draws": 2, "null": 19, **settings}


def test_units_do_not_matter_by_default():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 2))
    y = np.sin(x)
    metres = ln.score(x, y, **fast())
    millimetres = ln.score(1000 * x + 7, 1e-3 * y - 2, **fast())
    assert millimetres.bits == pytest.approx(metres.bits, rel=1e-6)
    assert millimetres.excess_bits == pytest.approx(metres.excess_bits, rel=1e-6)
    assert millimetres.p_value == metres.p_value


def test_without_standardization_the_score_is_the_observers_own():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((60, 3)), rng.standard_normal((60, 4))
    observer = ln.Observer(ln.reservoirs.MLP(3, 20, 3, seed=5), ridge_penalty=0.1)
    result = ln.score(
        x, y, observer=observer, draws=1, null=0, standardize_inputs=False, target_unit=1.0
    )
    own = observer.readout(torch.from_numpy(x), torch.from_numpy(y))
    assert result.bits == pytest.approx(own.model_bits, rel=1e-9)
    assert result.explained_variance == pytest.approx(own.explained_variance, rel=1e-9)
    assert result.spectrum[:4] == pytest.approx(own.singular_values[:4].tolist(), rel=1e-9)
    assert result.p_value is None


def test_permutation_p_value_equals_a_plain_loop():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((40, 2)), rng.standard_normal((40, 1))
    y += 0.6 * x[:, :1]
    observer = ln.Observer(ln.reservoirs.MLP(2, 6, 2), ridge_penalty=0.5)
    result = ln.score(
        x, y, observer=observer, draws=1, null=19, seed=4, standardize_inputs=False, target_unit=1.0
    )
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    from learnable_novelty.rearrange import row_orders
    from learnable_novelty.seeds import split

    orders = row_orders("rows", 40, (), 19, split(4, "null"))
    nulls = [observer.readout(tx, ty[order]).explained_variance for order in orders]
    observed = observer.readout(tx, ty).explained_variance
    assert result.p_value == (1 + sum(v >= observed for v in nulls)) / 20
    assert list(result.null_explained_variance) == pytest.approx(nulls, rel=1e-9)


def test_the_mean_is_tested_by_a_plain_loop_over_signs_and_weights():
    rng = np.random.default_rng(7)
    x = torch.from_numpy(rng.standard_normal((40, 2)))
    y = 0.25 * x[:, :1] + x[:, :1].exp() * torch.from_numpy(rng.exponential(size=(40, 1)) - 1)
    observer = ln.Observer(ln.reservoirs.MLP(2, 6, 2), ridge_penalty=0.5)
    result = ln.score(
        x, y, observer=observer, draws=1, null=99, seed=4, standardize_inputs=False, target_unit=1.0
    )
    weights = torch.cat(list(Rearrangements("rows", 40, 4).weights("mean", 199, stretches=False)))
    y = y - y.mean(0)
    null = np.array([observer.readout(x, y * w[:, None]).explained_variance for w in weights])
    observed = observer.readout(x, y).explained_variance
    by_sign, by_weight = ((1 + (half >= observed).sum()) / 200 for half in np.split(null, 2))
    assert by_sign != by_weight
    assert result.p_value == max(by_sign, by_weight, result.dependence_p_value)
    assert result.p_value > result.dependence_p_value


def test_floor_is_the_score_of_permuted_inflated_residuals():
    rng = np.random.default_rng(3)
    x = torch.from_numpy(rng.standard_normal((50, 2)))
    y = x.sin() + 0.3 * torch.from_numpy(rng.standard_normal((50, 2)))
    reservoir = ln.reservoirs.MLP(2, 10, 2)
    observer = ln.Observer(reservoir, ridge_penalty=0.2)
    result = ln.score(
        x, y, observer=observer, draws=1, null=0, seed=6, standardize_inputs=False, target_unit=1.0
    )
    h = reservoir(x)
    h = (h - h.mean(0)) / (h.std(0, correction=0) * 10**0.5)
    smoother = h @ torch.linalg.solve(h.T @ h + 0.2 * torch.eye(10), h.T)
    centred = y - y.mean(0)
    residual = centred - smoother @ centred
    off = torch.eye(50, dtype=torch.float64) - smoother - 1 / 50
    residual = residual * math.sqrt(49 / float((off @ off).trace()))
    from learnable_novelty.rearrange import row_orders
    from learnable_novelty.seeds import split

    orders = row_orders("rows", 50, (), FLOOR_REPEATS, split(6, "floor"))
    floors = [float(observer(x, residual[order])) for order in orders]
    assert result.floor_bits == pytest.approx(np.mean(floors), rel=1e-8)
    assert result.excess_bits == pytest.approx(result.bits - np.mean(floors), rel=1e-7)


def test_all_but_one_merges_every_other_part():
    rng = torch.Generator().manual_seed(0)
    rows = [(torch.randn(5, 3, generator=rng), torch.randn(5, 2, generator=rng)) for _ in range(4)]
    for index, rest in enumerate(all_but_one([Roots.of(h, y) for h, y in rows])):
        expected = merge(Moments.of(h, y) for i, (h, y) in enumerate(rows) if i != index)
        torch.testing.assert_close(rest.root.T @ rest.root, expected.gram)
        torch.testing.assert_close(rest.root.T @ rest.along, expected.cross)
        torch.testing.assert_close(rest.target_power, expected.target_power)


@pytest.mark.parametrize("n", [128, 512])
def test_noise_stays_at_its_floor_and_structure_rises_above_it(n):
    rng = np.random.default_rng(n)
    x = rng.standard_normal((n, 3))
    noise = ln.score(x, rng.standard_normal((n, 3)), draws=2, null=99)
    assert noise.excess_bits < 0.2
    assert noise.held_out_interval[0] == 0
    identity = ln.score(x, x, draws=2, null=99)
    ar = ln.score(filtered(rng, n, past=(0.9,)), window=4, draws=2, null=99)
    sine = ln.score(np.sin(0.3 * np.arange(n)), window=4, draws=2, null=99)
    sine_past = ln.score(np.sin(0.3 * np.arange(n)), window=4, history=4, draws=2, null=99)
    for found in (identity, ar, sine, sine_past):
        assert found.p_value == 0.01
        assert found.excess_bits > 0


@pytest.mark.parametrize(
    ("inputs", "targets", "settings"),
    [
        (np.ones((40, 2)), np.random.default_rng(0).standard_normal((40, 1)), {}),
        (np.random.default_rng(0).standard_normal((40, 2)), np.full((40, 1), 0.1), {}),
        (np.full(40, 3.3), None, {"window": 3}),
        (np.ones((6, 1, 8)), np.ones((6, 2, 8)), {}),
    ],
)
def test_constants_score_zero_and_are_no_errors(inputs, targets, settings):
    result = ln.score(inputs, targets, **fast(**settings))
    assert result.bits == result.floor_bits == result.excess_bits == 0
    assert result.p_value == 1


def test_a_series_is_its_own_windows():
    series = np.random.default_rng(6).standard_normal((60, 2))
    windows = Windows.of(None, 3, [1, 4])
    t = torch.from_numpy(series)
    x, y = windows.inputs(t), windows.targets(t)
    assert x.shape == (54, 6)
    for pair in (0, 17, 53):
        now = pair + 2
        assert x[pair].tolist() == series[now - 2 : now + 1].ravel().tolist()
        assert y[pair].tolist() == [*series[now + 1], *series[now + 4]]
    result = ln.score(series, leads=[1, 4], history=3, **fast())
    assert result.num_samples == 54
    assert result.target_dim == 4


def test_shuffling_time_with_and_without_the_feature_table_agree():
    series = np.random.default_rng(7).standard_normal(64)
    settings = Settings(Windows.of(2, 1, None), draws=1, null=ln.Null(5), seed=0)
    source = in_memory(series, None)
    task = Task.of(source.layout(), settings)
    data = prepare_rows(source.rows, task, ln.Null(5, "time"), settings)
    observer = ln.Observer(ln.reservoirs.MLP(1, 8, 2), ridge_penalty=0.1)
    shares = shuffled_shares(observer, data)
    for value, order in zip(shares, data.shuffles(), strict=True):
        surrogate = data.series[order]
        x, y = task.windows.inputs(surrogate[:, :1]), task.windows.targets(surrogate[:, 1:])
        expected = observer.readout(x, y).explained_variance
        assert float(value) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        (([1.0, math.nan, 2.0], [1.0, 2.0, 3.0]), {}, "inputs must be finite"),
        (([1.0, 2.0, 3.0], [1.0, math.inf, 3.0]), {}, "targets must be finite"),
        (([1.0], [1.0]), {}, "at least two samples, got 1"),
        (([1.0, 2.0, 3.0], [1.0, 2.0]), {}, "as many targets as inputs, 3, got 2"),
        ((np.arange(5.0), None), {"window": 9}, "at least 11 steps, got 5"),
        ((np.arange(5.0), None), {}, "expected targets, or a window"),
        ((np.arange(9.0), None), {"window": 2, "leads": [1]}, "either window or leads"),
        ((np.arange(9.0), None), {"window": 0}, "window must be a positive integer"),
        ((np.arange(9.0), None), {"leads": [0]}, "leads of at least 1"),
        ((np.arange(9.0), None), {"window": 1, "history": 0}, "history must be a positive"),
        ((np.arange(9.0), np.arange(9.0)), {"history": 2}, "history goes with a window"),
        ((np.arange(9.0), np.arange(9.0)), {"draws": 0}, "draws must be a positive"),
        ((np.arange(9.0), np.arange(9.0)), {"null": -1}, "null must be a non-negative"),
        ((np.arange(9.0), None), {"leads": [1, -2]}, "a lead must be a non-negative integer"),
        ((np.arange(9.0), None), {"leads": []}, "at least one lead"),
        ((np.arange(9.0), np.arange(9.0)), {"ridge_penalty": 0.0}, "ridge_penalty must be"),
        ((np.arange(9.0), np.arange(9.0)), {"null": "linear"}, "null for this data"),
        ((np.arange(9.0), np.arange(9.0)), {"null": "dance"}, "null must be a count"),
        ((np.arange(9.0), np.arange(9.0)), {"target_unit": 0.0}, "target_unit must be"),
        ((np.zeros((3, 1, 2, 2, 2)), np.zeros((3, 1, 2, 2, 2))), {}, "expected inputs"),
    ],
)
def test_bad_input_gets_one_clear_sentence(data, settings, message):
    with pytest.raises(ValueError, match=message):
        ln.score(*data, **settings)


def test_sequences_are_scored_with_a_recurrent_observer():
    rng = np.random.default_rng(13)
    x = rng.standard_normal((24, 20, 2))
    y = np.cumsum(x, axis=1)[..., :1] * 0.3
    reservoir = ln.reservoirs.Recurrent(2, 16, washout=4)
    observer = ln.Observer(reservoir, ridge_penalty=0.1)
    found = ln.score(x, y, observer=observer, **fast(standardize_inputs=False, target_unit=1.0))
    assert found.num_rows == 24 * 16
    assert found.target_dim == 1
    assert found.p_value == 0.05
    alone = ln.score(
        x, y, observer=observer, draws=1, null=0, standardize_inputs=False, target_unit=1.0
    )
    expected = observer(torch.from_numpy(x), torch.from_numpy(y))
    assert alone.bits == pytest.approx(float(expected), rel=1e-9)
    noise = ln.score(x, rng.standard_normal((24, 20, 1)), observer=observer, **fast())
    assert noise.p_value > 0.05


@pytest.mark.parametrize(
    "column",
    [np.arange(60).astype("M8[D]"), [f"word {k}" for k in range(60)]],
    ids=["dates", "text"],
)
def test_columns_that_cannot_be_numbers_are_left_out_and_refused_by_name_as_targets(column):
    import pandas as pd

    frame = pd.DataFrame({"a": np.random.default_rng(0).standard_normal(60), "odd": column})
    frame["y"] = frame["a"] ** 2
    found = ln.score(frame, "y", **fast())
    assert found.bits == ln.score(frame[["a"]], frame["y"], **fast()).bits
    assert any(note.startswith("left out: odd") for note in found.decisions)
    with pytest.raises(UserError, match="odd"):
        ln.score(frame[["a", "odd"]], "odd", **fast())


def test_default_observer_shrinks_with_few_samples_and_is_reported():
    rng = np.random.default_rng(10)
    few = ln.score(rng.standard_normal((40, 1)), rng.standard_normal((40, 1)), **fast())
    assert "MLP(input_dim=1, width=10, depth=4" in few.observer
    assert "evidence" in few.observer
    assert "standardized" in few.standardization


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "clear relation: the inputs explain 40% of the target on held-out rows (p <= 0.03)"),
        (
            {"p_value": 0.05},
            "clear relation: the inputs explain 40% of the target on held-out rows",
        ),
        ({"held_out_variance": 0.032}, "weak relation: the inputs explain 3.2% of the target on"),
        ({"held_out_variance": math.nan}, "relation found (p <= 0.03); too few samples to hold"),
        ({"p_value": 0.06}, "no relation found (p = 0.06)"),
        (
            {"p_value": 0.36, "detectable_share": 0.3, "num_samples": 50},
            "no relation found (p = 0.36; with 50 rows one of 30% would have been found 9 times in "
            "10, if it is a straight line)",
        ),
        ({"p_value": 0.36, "detectable_share": math.nan}, "no relation found (p = 0.36; 20 rows"),
        (
            {"p_value": 0.3, "dependence_p_value": 0.03},
            "some dependence of the target on the inputs (p = 0.03), but no mean that can be "
            "learned (p = 0.3): perhaps of size only",
        ),
        ({"p_value": None}, "not tested against chance: the inputs explain 40% of the target on"),
        (
            {"hypothesis": HYPOTHESES["linear"][1]},
            "more than a linear process (p <= 0.03): the inputs explain 40%",
        ),
        (
            {"hypothesis": HYPOTHESES["linear"][1], "p_value": 0.2},
            "no sign of more than a linear process (p = 0.2)",
        ),
        ({"refusal": "both series are slow", "p_value": None}, "no p-value: both series are slow"),
    ],
)
def test_the_sentence_reads_test_and_interval_together(changes, said):
    x = np.random.default_rng(11).standard_normal((20, 1))
    result = ln.score(x, x**2, **fast())
    given = {"denoised_bits": 9.0, "directions": 2.0, "p_value": 0.03}
    given["dependence_p_value"] = changes.get("p_value", 0.03)
    given |= {"held_out_variance": 0.4, "held_out_interval": (0.3, 0.5)}
    made = dataclasses.replace(result, **given | changes)
    assert made.verdict.startswith(said)
    assert "nan" not in str(made)
    json.dumps(made.to_dict(), allow_nan=False)


def test_a_score_reads_well_in_text_html_json_and_pictures(tmp_path):
    x = np.random.default_rng(11).standard_normal((60, 1))
    result = ln.score(x, x**2, **fast())
    assert "above the floor" in str(result)
    assert result._repr_html_().count("<tr>") == len(result.rows())
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["bits"] == result.bits
    assert plain["held_out_interval"] == list(result.held_out_interval)
    result.plot(tmp_path / "score.png")
    assert (tmp_path / "score.png").stat().st_size > 10_000


def test_the_same_seed_gives_the_same_score_and_progress_is_told():
    x = np.random.default_rng(12).standard_normal((50, 1))
    seen = []
    first = ln.score(x, x.copy(), progress=lambda *a: seen.append(a), **fast())
    assert first == ln.score(x, x.copy(), **fast())
    assert first.bits != ln.score(x, x.copy(), seed=1, **fast()).bits
    assert seen == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.slow
def test_a_hundred_thousand_columns_are_scored():
    x = np.random.default_rng(0).standard_normal((20, 100_000))
    assert 0 < ln.score(x, x[:, 0], draws=1, null=19).p_value <= 1

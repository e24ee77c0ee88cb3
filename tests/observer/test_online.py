"""The score of a stream after every pair."""

from __future__ import annotations

import copy
import functools
import math

import numpy as np
import pytest
import torch

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.online.streams import BY_READOUT
from learnable_novelty.observer.reservoirs import MLP, Fourier
from learnable_novelty.observer.standardize import Rows
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments

KNOBS = {"ridge_penalty": 0.3, "resolution": 1.7, "code_scale": 0.6}


@pytest.fixture(params=["numpy", "numba"])
def observe(request):
    """Make an online observer of either backend."""
    if request.param == "numba":
        pytest.importorskip("numba")
    return functools.partial(OnlineObserver, backend=request.param)


def close(expected):
    return pytest.approx(expected, rel=1e-8, abs=1e-9)


def fixed_bits(h, y, calibration_h, calibration_y, unit=1.0):
    """The score of pairs standardized by given constants, by augmented least squares."""
    m = h.shape[1]
    features = (h - calibration_h.mean(0)) / (calibration_h.std(0) * math.sqrt(m))
    targets = (y - calibration_y.mean(0)) / unit
    penalty = KNOBS["ridge_penalty"]
    q, r = np.linalg.qr(np.vstack([features, math.sqrt(penalty) * np.eye(m)]))
    weights = np.linalg.solve(r, q[: len(h)].T @ targets)
    singular = np.linalg.svd(weights, compute_uv=False)
    return KNOBS["code_scale"] * np.sum(np.log2(1 + KNOBS["resolution"] * singular**2))


def run(online, inputs, targets):
    """Feed one stream and return the cumulative score after every pair."""
    scores = []
    for x, y in zip(inputs, targets, strict=True):
        online.update(x[None], y[None])
        scores.append(float(online.cumulative[0]))
    return np.array(scores)


def wave(normal, steps, noise=0.1):
    """A trajectory and its next states."""
    time = torch.arange(steps + 1, dtype=torch.float64)
    path = torch.stack([(0.11 * time).sin(), (0.07 * time).cos()], 1) + noise * normal(steps + 1, 2)
    return path[:-1], path[1:].repeat(1, 2)


@pytest.mark.parametrize(
    "penalty",
    [pytest.param(0.03, marks=pytest.mark.slow), 0.3, pytest.param(3.0, marks=pytest.mark.slow)],
)
def test_ten_thousand_steps_equal_the_batch_score(normal, oracle, penalty, observe):
    steps, knobs = 10_000 if penalty == 0.3 else 2500, {**KNOBS, "ridge_penalty": penalty}
    reservoir = MLP(2, 12, 2)
    x, y = wave(normal, steps)
    online = observe(reservoir, target_dim=4, **knobs)
    scores = run(online, x, y)
    h = reservoir(x)
    batch = Observer(reservoir, **knobs)
    assert abs(scores[0]) < 1e-9
    for n in [*range(2, 51), 64, 100, 333, 1000, 2500, 5000, 7777, 9999, 10_000]:
        if n > steps:
            break
        independent = oracle.bits(h[:n], y[:n], *knobs.values())
        assert scores[n - 1] == pytest.approx(independent, rel=1e-8, abs=1e-9)
        ours = float(batch.bits_of_rows(Rows(h[:n], y[:n])))
        assert scores[n - 1] == pytest.approx(ours, rel=1e-8, abs=1e-9)
    assert float(online.count[0]) == steps


@pytest.mark.parametrize("d, m", [(1, 6), (9, 4), (3, 16)])
def test_empirical_scores_equal_the_batch_for_other_shapes(normal, oracle, d, m, observe):
    reservoir = Fourier(2, m)
    x, y = normal(80, 2), normal(80, d)
    online = observe(reservoir, target_dim=d, target_unit=0.5, **KNOBS)
    scores = run(online, x, y)
    for n in range(2, 81):
        expected = oracle.bits(reservoir(x[:n]), y[:n], *KNOBS.values(), unit=0.5)
        assert scores[n - 1] == close(expected)


def test_fixed_standardization_uses_the_given_constants(normal, oracle, observe):
    reservoir = MLP(2, 6, 2)
    reference_x, reference_y = normal(200, 2), 3 + normal(200, 2)
    x, y = normal(300, 2), 3 + normal(300, 2)
    calibration = Moments.of(reservoir(reference_x), reference_y)
    online = observe(
        reservoir,
        target_dim=2,
        target_unit=0.7,
        standardization="fixed",
        calibration=calibration,
        **KNOBS,
    )
    scores = run(online, x, y)
    h, constants = reservoir(x).numpy(), (reservoir(reference_x).numpy(), reference_y.numpy())
    for n in [*range(1, 51), 100, 300]:
        assert scores[n - 1] == close(fixed_bits(h[:n], y[:n].numpy(), *constants, 0.7))
    assert scores[0] > 0
    online.reset()
    assert run(online, x[:5], y[:5]) == pytest.approx(scores[:5], rel=1e-12)


def test_a_feature_constant_in_the_calibration_is_left_out(normal, observe):
    reservoir = MLP(2, 6, 2)
    h, y = normal(50, 6), normal(50, 1)
    h[:, 2] = 0.4
    online = observe(
        reservoir,
        target_dim=1,
        standardization="fixed",
        calibration=Moments.of(h, y),
        **KNOBS,
    )
    x, targets = normal(30, 2), normal(30, 1)
    got = run(online, x, targets)[-1]
    features = reservoir(x).numpy()
    # Leaving a column out must not change the sqrt(m) of the others.
    padded, reference = features.copy(), h.numpy().copy()
    padded[:, 2], reference[:, 2] = 0.0, np.where(np.arange(50) % 2, 1.0, -1.0)
    assert got == close(fixed_bits(padded, targets.numpy(), reference, y.numpy()))


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_streams_with_masks_and_resets_are_independent(
    normal, rng, oracle, standardization, observe
):
    streams, m, d = 4, 5, 3
    reservoir = MLP(2, m, 2)
    reference = normal(60, 2), normal(60, d)
    calibration = None
    if standardization == "fixed":
        calibration = Moments.of(reservoir(reference[0]), reference[1])
    online = observe(
        reservoir,
        target_dim=d,
        num_streams=streams,
        standardization=standardization,
        calibration=calibration,
        **KNOBS,
    )
    seen = [([], []) for _ in range(streams)]

    def expected(stream):
        inputs, targets = seen[stream]
        if standardization == "fixed":
            if not inputs:
                return 0.0
            h, y = reservoir(torch.stack(inputs)).numpy(), torch.stack(targets).numpy()
            return fixed_bits(h, y, reservoir(reference[0]).numpy(), reference[1].numpy())
        if len(inputs) < 2:
            return 0.0
        return oracle.bits(reservoir(torch.stack(inputs)), torch.stack(targets), *KNOBS.values())

    for step in range(60):
        x, y = normal(streams, 2), normal(streams, d)
        active = torch.rand(streams, generator=rng) < torch.tensor([1.0, 0.7, 0.3, 0.9])
        before = online.cumulative.clone()
        increments = online.update(x, y, active)
        for stream in range(streams):
            if active[stream]:
                seen[stream][0].append(x[stream])
                seen[stream][1].append(y[stream])
            else:
                assert float(increments[stream]) == 0.0
                assert float(online.cumulative[stream]) == float(before[stream])
            assert float(online.cumulative[stream]) == close(expected(stream))
        if step == 20:
            online.reset(torch.tensor([False, True, False, True]))
            seen[1], seen[3] = ([], []), ([], [])
        if step == 40:
            online.reset([0])
            seen[0] = ([], [])
            assert float(online.cumulative[0]) == float(online.count[0]) == 0.0
    online.reset()
    assert not online.cumulative.any()
    assert not online.count.any()


def test_what_inactive_streams_are_given_does_not_matter(normal, observe):
    one, two = (observe(MLP(2, 5, 2), target_dim=1, num_streams=2, **KNOBS) for _ in range(2))
    active = torch.tensor([True, False])
    for _ in range(10):
        x, y = normal(2, 2), normal(2, 1)
        other_x, other_y = x.clone(), y.clone()
        other_x[1], other_y[1] = math.nan, math.nan
        assert torch.equal(one.update(x, y, active), two.update(other_x, other_y, active))
    assert float(one.count[1]) == 0.0
    x, y = normal(2, 2), normal(2, 1)
    for _ in range(3):
        assert torch.equal(one.update(x, y), two.update(x, y))


def test_increments_telescope_and_can_be_negative(normal, observe):
    online = observe(MLP(2, 6, 2), target_dim=2, num_streams=3, **KNOBS)
    total, smallest = torch.zeros(3, dtype=torch.float64), 0.0
    for _ in range(200):
        increments = online.update(normal(3, 2), normal(3, 2))
        total += increments
        smallest = min(smallest, float(increments.min()))
    assert torch.allclose(total, online.cumulative, rtol=1e-12, atol=1e-12)
    assert smallest < -1e-3


def test_a_returned_increment_does_not_change_afterwards(normal, observe):
    online = observe(MLP(2, 6, 2), target_dim=2, num_streams=3, **KNOBS)
    for _ in range(5):
        increments = online.update(normal(3, 2), normal(3, 2))
    kept, scores = increments.clone(), online.cumulative
    kept_scores = scores.clone()
    online.update(normal(3, 2), normal(3, 2))
    online.reset([1])
    assert torch.equal(increments, kept)
    assert torch.equal(scores, kept_scores)


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_a_saved_state_continues_identically(normal, standardization, observe):
    def make(seed):
        reservoir = MLP(2, 6, 2, seed=seed)
        calibration = None
        if standardization == "fixed":
            calibration = Moments.of(MLP(2, 6, 2)(normal(40, 2)), normal(40, 2))
        return observe(
            reservoir,
            target_dim=2,
            num_streams=3,
            standardization=standardization,
            calibration=calibration,
            **KNOBS,
        )

    online = make(0)
    for _ in range(20):
        online.update(normal(3, 2), normal(3, 2), torch.tensor([True, False, True]))
    saved = copy.deepcopy(online.state_dict())
    twin = make(9) if standardization == "empirical" else copy.deepcopy(online)
    twin.reset()
    pairs = [(normal(3, 2), normal(3, 2)) for _ in range(20)]
    held = online.state_dict()
    expected = [online.update(*pair) for pair in pairs]
    assert_same_state(held, saved)
    twin.load_state_dict(saved)
    for pair, increments in zip(pairs, expected, strict=True):
        assert torch.equal(twin.update(*pair), increments)
    assert torch.equal(twin.cumulative, online.cumulative)
    assert_same_state(saved, held)


def assert_same_state(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(value, other[name]), name
        elif isinstance(value, dict):
            assert_same_state(value, other[name])
        else:
            assert value == other[name]


def test_a_state_of_another_shape_is_refused(normal, observe):
    small = observe(MLP(2, 6, 2), target_dim=2, num_streams=2, **KNOBS)
    large = observe(MLP(2, 6, 2), target_dim=2, num_streams=3, **KNOBS)
    with pytest.raises(ValueError, match=r"expected .* of shape"):
        large.load_state_dict(small.state_dict())


@pytest.mark.parametrize("what", ["inputs", "targets", "both"])
def test_a_constant_stream_scores_zero(normal, what, observe):
    online = observe(MLP(2, 6, 2), target_dim=2, **KNOBS)
    for _ in range(100):
        x = normal(1, 2) if what == "targets" else torch.full((1, 2), 0.1).double()
        y = normal(1, 2) if what == "inputs" else torch.full((1, 2), 0.1).double()
        online.update(x, y)
        assert abs(float(online.cumulative[0])) < 1e-10


def test_a_nearly_constant_stream_keeps_its_digits(normal, oracle, observe):
    reservoir = MLP(2, 6, 2)
    x, y = 100 + 1e-3 * normal(400, 2), 1e8 + normal(400, 2)
    online = observe(reservoir, target_dim=2, **KNOBS)
    scores = run(online, x, y)
    # One pair at a time, as the stream computes them: the last digits of features matter here.
    h = torch.cat([reservoir(row[None]) for row in x])
    for n in (2, 3, 10, 50, 100, 400):
        expected = oracle.bits(h[:n], y[:n], *KNOBS.values())
        assert expected > 0.01
        assert scores[n - 1] == pytest.approx(expected, rel=1e-6)


def test_a_feature_that_starts_to_vary_late_counts_from_then(normal, oracle, observe):
    reservoir = MLP(2, 6, 2)
    x, y = normal(60, 2), normal(60, 1)
    x[:30] = 0.3
    scores = run(observe(reservoir, target_dim=1, **KNOBS), x, y)
    assert np.abs(scores[:30]).max() < 1e-10
    for n in range(31, 61):
        assert scores[n - 1] == close(oracle.bits(reservoir(x[:n]), y[:n], *KNOBS.values()))


def test_single_precision_pairs_are_accumulated_in_double(normal, oracle, observe):
    reservoir = MLP(2, 6, 2)
    x, y = normal(100, 2).float(), normal(100, 2).float()
    online = observe(reservoir, target_dim=2, **KNOBS)
    scores = run(online, x, y)
    assert online.cumulative.dtype == torch.float64
    h = torch.cat([reservoir(row[None]) for row in x]).double()
    for n in (5, 20, 100):
        assert scores[n - 1] == close(oracle.bits(h[:n], y[:n].double(), *KNOBS.values()))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["inputs", "targets"])
def test_values_that_are_not_finite_are_refused_and_change_nothing(normal, value, where, observe):
    online = observe(MLP(2, 6, 2), target_dim=2, num_streams=2, **KNOBS)
    for _ in range(5):
        online.update(normal(2, 2), normal(2, 2))
    before = copy.deepcopy(online.state_dict())
    twin = copy.deepcopy(online)
    x, y = normal(2, 2), normal(2, 2)
    bad = {"inputs": x.clone(), "targets": y.clone()}
    bad[where][1, 0] = value
    with pytest.raises(ValueError, match="must be finite"):
        online.update(**bad)
    assert_same_state(online.state_dict(), before)
    assert torch.equal(online.update(x, y), twin.update(x, y))


def test_a_stream_too_long_for_its_penalty_is_refused_and_unchanged(normal, observe):
    online = observe(MLP(2, 4, 2), target_dim=1, num_streams=2, ridge_penalty=5e-8)
    for _ in range(5):
        online.update(normal(2, 2), normal(2, 1))
    before = copy.deepcopy(online.state_dict())
    with pytest.raises(ValueError, match=r"num_pairs / ridge_penalty of at most 1e\+08, got 6"):
        online.update(normal(2, 2), normal(2, 1))
    assert_same_state(online.state_dict(), before)
    # A stream that is not fed does not stand in the way of one that was reset.
    online.reset([1])
    online.update(normal(2, 2), normal(2, 1), torch.tensor([False, True]))
    assert online.count.tolist() == [5.0, 1.0]


def test_the_error_at_the_accepted_limit_is_small(normal, oracle, observe):
    reservoir = MLP(2, 4, 2)
    x, y = normal(1000, 2), normal(1000, 1)
    y = y + x[:, :1]
    online = observe(reservoir, target_dim=1, ridge_penalty=1e-5)
    score = run(online, x, y)[-1]
    expected = oracle.bits(reservoir(x), y, 1e-5)
    assert score == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("target_dim", [3, 40])
def test_determinants_and_readout_agree_where_one_takes_over_from_the_other(
    normal, target_dim, observe
):
    reservoir = MLP(1, 16, 3)
    time = 0.05 * torch.arange(700, dtype=torch.float64)[:, None]
    x = time.sin()
    y = torch.cat([(time + 0.1 * k).sin() for k in range(target_dim)], dim=1)
    online = observe(reservoir, target_dim=target_dim, ridge_penalty=0.05)
    ways = []
    for n in range(700):
        online.update(x[n : n + 1], y[n : n + 1])
        if online._streams.route[0, 0] == BY_READOUT:
            ways.append(n)
        if n > 1 and n % 50 == 0:
            expected = Observer(reservoir, ridge_penalty=0.05)(x[: n + 1], y[: n + 1])
            assert float(online.cumulative[0]) == pytest.approx(float(expected), rel=1e-8)
    assert 0 < len(ways) < 699  # the first pairs by determinants, the last ones not
    assert ways[-1] == 699


@pytest.mark.parametrize(
    "field, value",
    [("ridge_penalty", 0.1), ("resolution", 3.0), ("code_scale", 1.0), ("target_unit", 2.0)],
)
def test_every_field_changes_the_score(normal, field, value, observe):
    x, y = normal(20, 2), normal(20, 2)
    plain = run(observe(MLP(2, 6, 2), target_dim=2, ridge_penalty=0.3), x, y)[-1]
    knobs = {"ridge_penalty": 0.3, field: value}
    changed = run(observe(MLP(2, 6, 2), target_dim=2, **knobs), x, y)[-1]
    assert abs(changed - plain) > 1e-3


@pytest.mark.parametrize(
    "knobs, message",
    [
        ({"ridge_penalty": 0.0}, "ridge_penalty must be positive"),
        ({"ridge_penalty": -1.0}, "ridge_penalty must be positive"),
        ({"resolution": math.nan}, "resolution must be positive"),
        ({"code_scale": 0.0}, "code_scale must be positive"),
        ({"target_unit": 0.0}, "target_unit must be positive"),
        ({"standardization": "none"}, "standardization must be empirical or fixed, got 'none'"),
        ({"standardization": "fixed"}, "calibration goes with"),
        ({"target_dim": 0}, "target_dim must be a positive integer, got 0"),
        ({"target_dim": 1.5}, "target_dim must be a positive integer, got 1.5"),
        ({"num_streams": 0}, "num_streams must be a positive integer, got 0"),
    ],
)
def test_bad_settings_are_refused(knobs, message, observe):
    with pytest.raises(ValueError, match=message):
        observe(MLP(2, 4, 2), **{"target_dim": 1, "ridge_penalty": 0.3, **knobs})


def test_a_calibration_of_another_size_or_use_is_refused(normal, observe):
    calibration = Moments.of(normal(9, 5), normal(9, 1))
    with pytest.raises(ValueError, match="feature_dim=4 and target_dim=1, got 5 and 1"):
        observe(
            MLP(2, 4, 2),
            target_dim=1,
            ridge_penalty=0.3,
            standardization="fixed",
            calibration=calibration,
        )
    with pytest.raises(ValueError, match="calibration goes with"):
        observe(MLP(2, 5, 2), target_dim=1, ridge_penalty=0.3, calibration=calibration)


@pytest.mark.parametrize(
    "inputs, targets, active, message",
    [
        ((3, 2), (2, 1), None, r"targets \(num_streams=3, target_dim=1\)"),
        ((3, 2), (3, 2), None, r"targets \(num_streams=3, target_dim=1\)"),
        ((2, 2), (3, 1), None, r"inputs \(num_streams=3, input_dim\), got shape \(2, 2\)"),
        ((3, 3), (3, 1), None, "input_dim=2"),
        ((3, 2), (3, 1), [True, False], r"active \(num_streams=3,\)"),
    ],
)
def test_pairs_of_another_shape_are_refused(normal, inputs, targets, active, message, observe):
    online = observe(MLP(2, 4, 2), target_dim=1, num_streams=3, ridge_penalty=0.3)
    mask = None if active is None else torch.tensor(active)
    with pytest.raises(ValueError, match=message):
        online.update(normal(*inputs), normal(*targets), mask)
    assert not online.count.any()


def test_a_state_of_a_version_that_did_not_watch_its_rounding_is_refused(normal, observe):
    online = observe(MLP(2, 4, 1), target_dim=2, ridge_penalty=0.3)
    online.update(normal(1, 2), normal(1, 2))
    state = online.state_dict()
    del state["power"]
    with pytest.raises(ValueError, match=r"expected power in the state.*start the streams anew"):
        online.load_state_dict(state)
    assert float(online.count[0]) == 1

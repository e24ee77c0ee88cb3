"""The score of a stream after every pair."""

from __future__ import annotations

import copy
import io
import math

import numpy as np
import pytest
import torch

from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.reservoirs import MLP, Fourier, Identity
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments

KNOBS = {"ridge_penalty": 0.3, "resolution": 1.7, "code_scale": 0.6}


def close(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


def run(online, inputs, targets):
    """Feed one stream and return the cumulative score after every pair."""
    scores = []
    for x, y in zip(inputs, targets, strict=True):
        online.update(x[None], y[None])
        scores.append(float(online.cumulative[0]))
    return np.array(scores)


def fixed_bits(h, y, reference_h, reference_y, unit=1.0):
    """The score of pairs standardized by given constants, by augmented least squares."""
    m, penalty = h.shape[1], KNOBS["ridge_penalty"]
    features = (h - reference_h.mean(0)) / (reference_h.std(0) * math.sqrt(m))
    q, r = np.linalg.qr(np.vstack([features, math.sqrt(penalty) * np.eye(m)]))
    weights = np.linalg.solve(r, q[: len(h)].T @ ((y - reference_y.mean(0)) / unit))
    values = np.linalg.svd(weights, compute_uv=False)
    return KNOBS["code_scale"] * np.sum(np.log2(1 + KNOBS["resolution"] * values**2))


def assert_same_state(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(value, other[name]), name
        elif isinstance(value, dict):
            assert_same_state(value, other[name])
        else:
            assert value == other[name]


@pytest.mark.parametrize(
    "reservoir, d, unit, penalty",
    [
        (MLP(2, 12, 2), 4, 1.0, 0.03),
        (Fourier(2, 6), 1, 0.5, 0.3),
        (Fourier(2, 4), 9, 0.5, 0.3),
        (MLP(2, 6, 3, linear_last=False), 3, 2.0, 3.0),
        (Identity(2), 2, 1e-8, 0.3),
    ],
)
def test_every_score_is_the_batch_score_of_the_pairs_so_far(
    normal, oracle, reservoir, d, unit, penalty
):
    knobs = {**KNOBS, "ridge_penalty": penalty}
    time = torch.arange(801, dtype=torch.float64)
    path = torch.stack([(0.11 * time).sin(), (0.07 * time).cos()], 1) + 0.1 * normal(801, 2)
    x, y = path[:-1], path[1:].repeat(1, 5)[:, :d]
    scores = run(OnlineObserver(reservoir, target_dim=d, target_unit=unit, **knobs), x, y)
    assert abs(scores[0]) < 1e-9
    for n in (*range(2, 30), 64, 100, 333, 800):
        expected = oracle.bits(reservoir(x[:n]), y[:n], *knobs.values(), unit=unit)
        assert scores[n - 1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_fixed_standardization_uses_the_given_constants(normal):
    reservoir = MLP(2, 6, 2)
    reference_x, reference_y = normal(200, 2), 3 + normal(200, 2)
    x, y = normal(100, 2), 3 + normal(100, 2)
    online = OnlineObserver(
        reservoir,
        target_dim=2,
        target_unit=0.7,
        standardization="fixed",
        calibration=Moments.of(reservoir(reference_x), reference_y),
        **KNOBS,
    )
    scores = run(online, x, y)
    h, constants = reservoir(x).numpy(), (reservoir(reference_x).numpy(), reference_y.numpy())
    for n in (1, 2, 3, 10, 100):
        assert scores[n - 1] == close(fixed_bits(h[:n], y[:n].numpy(), *constants, 0.7))
    assert scores[0] > 0
    online.reset()
    assert run(online, x[:5], y[:5]) == pytest.approx(scores[:5], rel=1e-12)


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_streams_with_masks_and_resets_are_independent(normal, rng, oracle, standardization):
    streams, d, reservoir = 4, 3, MLP(2, 5, 2)
    reference = reservoir(normal(60, 2)), normal(60, d)
    fixed = standardization == "fixed"
    online = OnlineObserver(
        reservoir,
        target_dim=d,
        num_streams=streams,
        standardization=standardization,
        calibration=Moments.of(*reference) if fixed else None,
        **KNOBS,
    )
    seen = [([], []) for _ in range(streams)]

    def expected(inputs, targets):
        if len(inputs) < 2 - fixed:
            return 0.0
        h, y = reservoir(torch.stack(inputs)), torch.stack(targets)
        if fixed:
            return fixed_bits(h.numpy(), y.numpy(), *(v.numpy() for v in reference))
        return oracle.bits(h, y, *KNOBS.values())

    total = torch.zeros(streams, dtype=torch.float64)
    for step in range(50):
        x, y = normal(streams, 2), normal(streams, d)
        active = torch.rand(streams, generator=rng) < torch.tensor([1.0, 0.7, 0.3, 0.9])
        for stream in active.nonzero()[:, 0].tolist():
            seen[stream][0].append(x[stream])
            seen[stream][1].append(y[stream])
        x[~active] = y[~active] = math.nan
        before = online.cumulative
        increments = online.update(x, y, active)
        assert not increments[~active].any()
        torch.testing.assert_close(increments, online.cumulative - before)
        total += increments
        assert total.tolist() == close([expected(*pairs) for pairs in seen])
        for reset, chosen in ((20, torch.tensor([False, True, False, True])), (40, [0])):
            if step == reset:
                online.reset(chosen)
                forgotten = torch.arange(streams)[chosen]
                total[forgotten] = 0.0
                for stream in forgotten.tolist():
                    seen[stream] = ([], [])
                assert not online.cumulative[forgotten].any()
                assert not online.count[forgotten].any()


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_a_saved_state_continues(normal, standardization):
    reference = Moments.of(normal(40, 6), normal(40, 2)) if standardization == "fixed" else None

    def make(seed):
        return OnlineObserver(
            MLP(2, 6, 2, seed=seed),
            target_dim=2,
            num_streams=3,
            standardization=standardization,
            calibration=reference,
            **KNOBS,
        )

    online, twin = make(0), make(9)
    for _ in range(20):
        online.update(normal(3, 2), normal(3, 2), torch.tensor([True, False, True]))
        twin.update(normal(3, 2), normal(3, 2))
    saved, file = online.state_dict(), io.BytesIO()
    torch.save(saved, file)
    file.seek(0)
    copied = copy.deepcopy(online)
    twin.load_state_dict(torch.load(file, weights_only=True))
    assert_same_state(twin.state_dict(), saved)
    held = copy.deepcopy(saved)
    for _ in range(20):
        x, y = normal(3, 2), normal(3, 2)
        increments = online.update(x, y)
        assert torch.equal(copied.update(x, y), increments)
        torch.testing.assert_close(twin.update(x, y), increments, rtol=1e-9, atol=1e-10)
    assert_same_state(saved, held)


@pytest.mark.parametrize("what", ["inputs", "targets", "both"])
def test_a_constant_stream_scores_zero(normal, what):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=2, **KNOBS)
    for _ in range(50):
        x = normal(1, 2) if what == "targets" else torch.full((1, 2), 0.1).double()
        y = normal(1, 2) if what == "inputs" else torch.full((1, 2), 0.1).double()
        online.update(x, y)
        assert abs(float(online.cumulative[0])) < 1e-10


@pytest.mark.parametrize("unit", [1.0, 1e-8])
def test_targets_far_from_zero_keep_their_digits(normal, oracle, unit):
    x, y = normal(200, 3), normal(200, 2)
    y = 1e12 + (x @ normal(3, 2) + 0.1 * y)
    score = run(OnlineObserver(Identity(3), target_dim=2, target_unit=unit, **KNOBS), x, y)[-1]
    expected = oracle.bits(x, y - 1e12, *KNOBS.values(), unit=unit)  # the difference is exact
    assert score == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-165, 1e-300, 1e155])
def test_a_column_of_another_scale_counts_as_much(normal, oracle, scale):
    x, y = normal(60, 3), normal(60, 2)
    y[:, 0] += x[:, 1]
    expected = oracle.bits(x, y, *KNOBS.values())
    x[:, 1] *= scale
    score = run(OnlineObserver(Identity(3), target_dim=2, **KNOBS), x, y)[-1]
    assert score == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("target_dim", [3, 40])
def test_long_streams_of_collinear_features_keep_their_digits(target_dim):
    reservoir = MLP(1, 16, 3)
    time = 0.05 * torch.arange(500, dtype=torch.float64)[:, None]
    x, y = time.sin(), torch.cat([(time + 0.1 * k).sin() for k in range(target_dim)], dim=1)
    scores = run(OnlineObserver(reservoir, target_dim=target_dim, ridge_penalty=0.05), x, y)
    for n in (2, 50, 200, 500):
        expected = float(Observer(reservoir, ridge_penalty=0.05, solver="spectral")(x[:n], y[:n]))
        assert scores[n - 1] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_every_dtype_layout_and_gradient_is_taken(normal, dtype):
    reservoir = MLP(3, 8, 2)
    knobs = {"target_dim": 2, "num_streams": 4, **KNOBS}
    online, double = (OnlineObserver(reservoir, **knobs) for _ in range(2))
    for _ in range(30):
        x = normal(4, 6)[:, ::2].to(dtype).requires_grad_()
        y = normal(2, 4).T.to(dtype).requires_grad_()
        increments = online.update(x, y)
        assert not increments.requires_grad
        assert increments.dtype == torch.float64
        expected = double.update(x.detach().contiguous(), y.detach().contiguous())
        torch.testing.assert_close(increments, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["inputs", "targets"])
def test_values_that_are_not_finite_are_refused_and_change_nothing(normal, value, where):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=2, num_streams=2, **KNOBS)
    for _ in range(5):
        online.update(normal(2, 2), normal(2, 2))
    before, twin = online.state_dict(), copy.deepcopy(online)
    x, y = normal(2, 2), normal(2, 2)
    bad = {"inputs": x.clone(), "targets": y.clone()}
    bad[where][1, 0] = value
    with pytest.raises(ValueError, match="must be finite"):
        online.update(**bad)
    assert_same_state(online.state_dict(), before)
    assert torch.equal(online.update(x, y), twin.update(x, y))


def test_a_score_that_would_lose_digits_is_refused_and_changes_nothing(normal):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=3, num_streams=3, ridge_penalty=0.3)
    for _ in range(20):
        online.update(normal(3, 2), normal(3, 3))
    before, large = online.state_dict(), normal(3, 3)
    large[1] = 1e14
    with pytest.raises(ValueError, match=r"right to 6 digits .* stream 1 .* larger target_unit"):
        online.update(normal(3, 2), large)
    assert_same_state(online.state_dict(), before)


@pytest.mark.parametrize(
    "knobs, message",
    [
        ({"ridge_penalty": 0.0}, "ridge_penalty must be positive"),
        ({"resolution": math.nan}, "resolution must be positive"),
        ({"code_scale": 0.0}, "code_scale must be positive"),
        ({"target_unit": 0.0}, "target_unit must be positive"),
        ({"standardization": "none"}, "standardization must be empirical or fixed, got 'none'"),
        ({"standardization": "fixed"}, "calibration goes with"),
        ({"target_dim": 0}, "target_dim must be a positive integer, got 0"),
        ({"num_streams": 1.5}, "num_streams must be a positive integer, got 1.5"),
    ],
)
def test_bad_settings_are_refused(knobs, message):
    with pytest.raises(ValueError, match=message):
        OnlineObserver(MLP(2, 4, 2), **{"target_dim": 1, "ridge_penalty": 0.3, **knobs})


@pytest.mark.parametrize(
    "inputs, targets, active, message",
    [
        ((3, 2), (2, 1), None, r"targets \(num_streams=3, target_dim=1\)"),
        ((3, 2), (3, 2), None, r"targets \(num_streams=3, target_dim=1\)"),
        ((2, 2), (3, 1), None, r"inputs \(num_streams=3, input_dim\), got shape \(2, 2\)"),
        ((3, 3), (3, 1), None, "input_dim=2"),
        ((3, 2), (3, 1), torch.tensor([True, False]), r"active \(num_streams=3,\)"),
        ((3, 2), (3, 1), torch.ones(3), "active must be a tensor of booleans"),
    ],
)
def test_other_pairs_are_refused(normal, inputs, targets, active, message):
    online = OnlineObserver(MLP(2, 4, 2), target_dim=1, num_streams=3, ridge_penalty=0.3)
    with pytest.raises((ValueError, TypeError), match=message):
        online.update(normal(*inputs), normal(*targets), active)
    assert not online.count.any()


def test_arrays_are_refused(normal):
    online = OnlineObserver(MLP(2, 4, 2), target_dim=1, ridge_penalty=0.3)
    for inputs, targets in ((np.zeros((1, 2)), normal(1, 1)), (normal(1, 2), np.zeros((1, 1)))):
        with pytest.raises(TypeError, match=r"must be a torch.Tensor, got ndarray"):
            online.update(inputs, targets)


def test_a_million_pairs_keep_eight_digits(normal):
    online = OnlineObserver(Identity(1), target_dim=1, ridge_penalty=1.0)
    n, last = 1_000_000, 5_000
    # Pairs that repeat are a stream of counts: the batch score needs no other pass.
    period = normal(50, 2) + 3.0
    first = Moments.of(*period.split(1, dim=1), torch.full((50,), (n - last) / 50.0).double())
    state = online.state_dict()
    state["num_pairs"][:] = n - last
    state["mean"][0] = torch.cat([first.feature_mean, first.target_mean])
    state["unit"][:] = 1.0
    state["power"][0] = torch.cat([first.feature_power, first.target_power])
    state["gram"][0], state["cross"][0] = first.gram, first.cross.T
    online.load_state_dict(state)
    for k in range(last):
        online.update(period[None, k % 50, :1], period[None, k % 50, 1:])
    whole = Moments.of(*period.split(1, dim=1), torch.full((50,), n / 50.0).double())
    expected = float(Observer(Identity(1), ridge_penalty=1.0).bits(whole))
    assert float(online.count) == n
    assert float(online.cumulative) == pytest.approx(expected, rel=1e-8)

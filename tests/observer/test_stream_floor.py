"""The floor of a stream: its own prediction errors with random signs, scored beside it."""

from __future__ import annotations

import copy
import io
import math

import numpy as np
import pytest
import torch

from learnable_novelty.observer.online.floor import RandomSigns
from learnable_novelty.observer.reservoirs import MLP
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments

KNOBS = {"ridge_penalty": 0.3, "resolution": 1.7, "code_scale": 0.6}


@pytest.fixture(params=["numpy", "numba"])
def backend(request):
    if request.param == "numba":
        pytest.importorskip("numba")
    return request.param


class SlowStream:
    """The pairs of one stream, fitted afresh by least squares before and after each of them."""

    def __init__(self, unit=1.0, calibration=None):
        self.unit, self.calibration = unit, calibration
        self.h, self.y, self.e = [], [], []

    def constants(self):
        """Mean and deviation of features, and mean of targets, before the next pair."""
        h, y = self.calibration or (np.array(self.h), np.array(self.y))
        deviation = h.std(0)
        constant = deviation <= 64 * np.finfo(float).eps * np.sqrt((h**2).mean(0))
        return h.mean(0), np.where(constant, np.inf, deviation * math.sqrt(h.shape[1])), y.mean(0)

    def fit(self, targets, mean, scale):
        """Ridge by least squares on rows with sqrt(lambda) I below them."""
        m = len(mean)
        rows = np.vstack([(np.array(self.h) - mean) / scale, math.sqrt(0.3) * np.eye(m)])
        below = np.vstack([targets, np.zeros((m, targets.shape[1]))])
        return np.linalg.lstsq(rows, below, rcond=None)[0]

    def add(self, h, y, sign):
        error = np.zeros_like(y)
        if self.h or self.calibration:
            mean, scale, centre = self.constants()
            prediction = centre
            if self.h:
                weights = self.fit(np.array(self.y) - centre, mean, scale)
                prediction = centre + (h - mean) / scale @ weights
            error = sign * (y - prediction)
        self.h.append(h)
        self.y.append(y)
        self.e.append(error)

    def bits(self):
        """The score of the targets, and that of the errors."""
        if not self.h:
            return 0.0, 0.0
        mean, scale, centre = self.constants()
        errors = np.array(self.e)
        kept = 0.0 if self.calibration else errors.mean(0)
        found = []
        for targets in (np.array(self.y) - centre, errors - kept):
            weights = self.fit(targets / self.unit, mean, scale)
            values = np.linalg.svd(weights, compute_uv=False)
            found.append(0.6 * np.sum(np.log2(1 + 1.7 * values**2)))
        return tuple(found)


@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
def test_floors_equal_least_squares_at_every_step(normal, rng, standardization, backend):
    streams, d, reservoir = 3, 4, MLP(2, 6, 2)
    calibration, constants = None, None
    if standardization == "fixed":
        reference = reservoir(normal(50, 2)), 1 + normal(50, d)
        calibration, constants = Moments.of(*reference), tuple(v.numpy() for v in reference)
    online = OnlineObserver(
        reservoir,
        target_dim=d,
        num_streams=streams,
        target_unit=0.7,
        standardization=standardization,
        calibration=calibration,
        floor="residual",
        seed=5,
        backend=backend,
        **KNOBS,
    )
    signs = RandomSigns(streams, 5, "cpu")
    slow = [SlowStream(0.7, constants) for _ in range(streams)]
    for step in range(60):
        x = normal(streams, 2)
        y = 1 + torch.cat([x.sin(), 0.5 * normal(streams, 2)], 1)
        active = torch.rand(streams, generator=rng) < torch.tensor([1.0, 0.7, 0.4])
        before, drawn = online.cumulative, signs.draw()
        signs.use()
        increments = online.update(x, y, active)
        h = reservoir(x).numpy()
        for k in torch.nonzero(active)[:, 0].tolist():
            slow[k].add(h[k], y[k].numpy(), drawn[k])
        raw, floor = np.array([stream.bits() for stream in slow]).T
        np.testing.assert_allclose(online.raw, raw, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(online.floor_bits, floor, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(online.cumulative, raw - floor, rtol=0, atol=1e-7)
        torch.testing.assert_close(increments, online.cumulative - before)
        if step == 30:
            online.reset([1])
            slow[1] = SlowStream(0.7, constants)
    assert float(online.floor_bits[0]) > 0.1


def test_a_first_pair_and_a_repeated_target_have_no_error(normal, backend):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=2, floor="residual", backend=backend, **KNOBS)
    for _ in range(30):
        online.update(normal(1, 2), torch.ones(1, 2).double())
    assert abs(float(online.floor_bits[0])) < 1e-12


def test_without_a_floor_nothing_is_taken_off(normal, backend):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=2, backend=backend, **KNOBS)
    for _ in range(10):
        online.update(normal(1, 2), normal(1, 2))
    assert torch.equal(online.raw, online.cumulative)
    assert not online.floor_bits.any()


def draw_signs(signs):
    drawn = signs.draw()
    signs.use()
    return drawn


def test_signs_are_even_and_belong_to_the_seed(normal, backend):
    def make(seed):
        return OnlineObserver(
            MLP(2, 6, 2), target_dim=2, floor="residual", seed=seed, backend=backend, **KNOBS
        )

    online, same, other = make(3), make(3), make(4)
    signs = np.array([draw_signs(online._signs) for _ in range(2000)])
    assert set(signs.ravel()) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.1
    online = make(3)
    for _ in range(20):
        x, y = normal(1, 2), normal(1, 2)
        for observer in (online, same, other):
            observer.update(x, y)
    assert torch.equal(online.floor_bits, same.floor_bits)
    assert torch.equal(online.raw, other.raw)
    assert float((online.floor_bits - other.floor_bits).abs()) > 1e-6


def test_a_saved_floor_continues_identically(normal, backend):
    def make(seed, floor="residual"):
        return OnlineObserver(
            MLP(2, 6, 2), target_dim=2, num_streams=3, floor=floor, seed=seed, backend=backend,
            **KNOBS,
        )  # fmt: skip

    online, twin = make(0), make(1)
    for _ in range(20):
        online.update(normal(3, 2), normal(3, 2), torch.tensor([True, False, True]))
        twin.update(normal(3, 2), normal(3, 2))
    file = io.BytesIO()
    torch.save(online.state_dict(), file)
    copied = copy.deepcopy(online)
    file.seek(0)
    twin.load_state_dict(torch.load(file, weights_only=True))
    for _ in range(20):
        x, y = normal(3, 2), normal(3, 2)
        expected = online.update(x, y)
        assert torch.equal(copied.update(x, y), expected)
        torch.testing.assert_close(twin.update(x, y), expected, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="another floor"):
        make(0, floor=None).load_state_dict(online.state_dict())
    with pytest.raises(ValueError, match="another floor"):
        online.load_state_dict(make(0, floor=None).state_dict())


def test_a_refused_pair_draws_no_sign(normal, backend):
    online = OnlineObserver(MLP(2, 6, 2), target_dim=2, floor="residual", backend=backend, **KNOBS)
    online.update(normal(1, 2), normal(1, 2))
    before = online.state_dict()["signs"]
    with pytest.raises(ValueError, match="must be finite"):
        online.update(normal(1, 2), torch.full((1, 2), math.nan).double())
    assert online.state_dict()["signs"] == before


def test_an_unknown_floor_is_refused():
    with pytest.raises(ValueError, match="floor must be residual or None, got 'null'"):
        OnlineObserver(MLP(2, 4, 2), target_dim=1, floor="null", **KNOBS)


def test_structure_is_above_noise_only_after_the_floor_is_taken_off(normal):
    def score(path):
        online = OnlineObserver(MLP(2, 16, 3), target_dim=8, floor="residual", ridge_penalty=0.3)
        for step in range(400):
            online.update(path[step : step + 1], path[step + 1 : step + 5].reshape(1, -1))
        return float(online.raw[0]), float(online.cumulative[0])

    time = torch.arange(404, dtype=torch.float64)
    waves = torch.stack([(0.2 * time).sin(), (0.2 * 2**0.5 * time).sin()], 1) * 2**0.5
    noise, structure = score(normal(404, 2)), score(waves)
    assert noise[0] > structure[0]
    assert noise[1] < 0.2 * noise[0]
    assert structure[1] > 2 * max(noise[1], 0.0) + 1

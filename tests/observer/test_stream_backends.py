"""The compiled step and the plain one are the same observer."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from learnable_novelty.errors import MissingExtraError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.observer.online.streams import BY_DETERMINANTS, BY_READOUT
from learnable_novelty.observer.reservoirs import MLP, Fourier
from learnable_novelty.observer.stream import OnlineObserver
from learnable_novelty.observer.summary import Moments

pytest.importorskip("numba")

KNOBS = {"ridge_penalty": 0.3, "resolution": 1.7, "code_scale": 0.6, "target_unit": 0.8}
FLOORS = [None, "residual"]


@pytest.fixture(params=["readout", "determinants"])
def pair_of(request):
    """Make the same observer on both backends.

    Through the readout they agree to ten digits. The determinants may lose some: twice what they
    promise (docs/solvers.md).
    """

    def make(reservoir, **knobs):
        return Pair(reservoir, request.param, **knobs)

    return make


class Pair:
    def __init__(self, reservoir, way, **knobs):
        self.observers = [
            OnlineObserver(reservoir, backend=name, **knobs) for name in ("numpy", "numba")
        ]
        self.tolerance = {"readout": 1e-10, "determinants": 5e-9}[way]
        if way == "readout":
            for observer in self.observers:
                observer._setting = observer._setting._replace(determinant_share=math.inf)

    def update(self, x, y, active=None):
        one, other = (observer.update(x, y, active) for observer in self.observers)
        largest = float(self.observers[0].raw.max())
        torch.testing.assert_close(one, other, rtol=0, atol=self.tolerance * max(1.0, largest))
        self.compare()

    def compare(self):
        one, other = self.observers
        assert torch.equal(one.count, other.count)
        for name in ("raw", "floor_bits"):
            found, expected = getattr(one, name), getattr(other, name)
            torch.testing.assert_close(found, expected, rtol=self.tolerance, atol=self.tolerance)


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("standardization", ["empirical", "fixed"])
@pytest.mark.parametrize("m, d", [(8, 30), (32, 48), (7, 3), (5, 1), (1, 2), (18, 70)])
def test_both_score_masked_and_reset_streams_alike(
    pair_of, normal, rng, m, d, standardization, floor
):
    streams, reservoir = 5, MLP(3, m, 3)
    calibration = None
    if standardization == "fixed":
        calibration = Moments.of(reservoir(normal(50, 3)), 2 + normal(50, d))
    pair = pair_of(
        reservoir,
        target_dim=d,
        num_streams=streams,
        standardization=standardization,
        calibration=calibration,
        floor=floor,
        **KNOBS,
    )
    mixing = normal(3, d)
    for step in range(60):
        x = normal(streams, 3)
        y = 2 + (x @ mixing).sin() + 0.3 * normal(streams, d)
        active = None if step % 3 else torch.rand(streams, generator=rng) < 0.6
        if active is not None:
            x[~active] = y[~active] = math.nan
        pair.update(x, y, active)
        if step in (1, 20, 45):
            for observer in pair.observers:
                observer.reset([0, step % streams])


@pytest.mark.parametrize("floor", FLOORS)
def test_both_score_long_streams_alike(pair_of, normal, floor):
    pair = pair_of(MLP(2, 12, 2), target_dim=4, num_streams=2, floor=floor, **KNOBS)
    time = torch.arange(901, dtype=torch.float64)[:, None]
    path = torch.stack([(0.11 * time).sin(), (0.07 * time).cos()], 2) + 0.1 * normal(901, 2, 2)
    for step in range(900):
        x, y = path[step], path[step + 1].repeat(1, 2)
        for observer in pair.observers:
            observer.update(x, y)
        if step % 300 == 299:
            pair.compare()


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("what", ["inputs", "targets", "both", "late"])
def test_both_know_what_is_constant(pair_of, normal, what, floor):
    pair = pair_of(MLP(2, 6, 2), target_dim=2, floor=floor, **KNOBS)
    for step in range(60):
        x, y = normal(1, 2), normal(1, 2)
        if what in ("inputs", "both") or (what == "late" and step < 30):
            x[:] = 0.1
        if what in ("targets", "both"):
            y[:] = 0.1
        pair.update(x, y)


@pytest.mark.parametrize("floor", FLOORS)
def test_both_take_single_precision_alike(pair_of, normal, floor):
    pair = pair_of(MLP(2, 6, 2), target_dim=3, num_streams=2, floor=floor, **KNOBS)
    for step in range(100):
        x, y = normal(2, 2).float(), normal(2, 3).float()
        x[0] = 0.3 if step < 40 else x[0]
        pair.update(x, y)


def test_both_use_reservoirs_that_are_not_compiled(pair_of, normal):
    for reservoir in (
        Fourier(3, 8),
        MLP(3, 8, 2, activation="tanh"),
        MLP(3, 8, 2, normalize=False),
    ):
        pair = pair_of(reservoir, target_dim=2, num_streams=2, **KNOBS)
        for _ in range(20):
            pair.update(normal(2, 3), normal(2, 2))


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("target_dim", [3, 40, 130])
def test_both_read_collinear_features_alike(pair_of, target_dim, floor):
    reservoir = MLP(1, 16, 3)
    pair = pair_of(reservoir, target_dim=target_dim, ridge_penalty=0.05, floor=floor)
    time = 0.05 * torch.arange(250, dtype=torch.float64)[:, None]
    x = time.sin()
    y = torch.cat([(time + 0.1 * k).sin() for k in range(target_dim)], dim=1)
    for step in range(250):
        pair.update(x[step : step + 1], y[step : step + 1])
    expected = float(Observer(reservoir, ridge_penalty=0.05)(x, y))
    for observer in pair.observers:
        assert float(observer.raw[0]) == pytest.approx(expected, rel=pair.tolerance)


def test_each_stream_decides_by_itself_whether_determinants_keep_their_digits(normal):
    online = OnlineObserver(
        MLP(1, 16, 3), target_dim=3, num_streams=2, ridge_penalty=0.05, backend="numba"
    )
    for step in range(250):
        x, y = normal(2, 1), normal(2, 3)
        x[1] = math.sin(0.05 * step)
        y[1] = torch.tensor([math.sin(0.05 * step + 0.1 * k) for k in range(3)])
        active = torch.tensor([step < 20, True])
        online.update(x, y, active)
    assert online._streams.route.tolist() == [[BY_DETERMINANTS, BY_READOUT]]


def test_compiled_features_are_those_of_the_reservoir(normal):
    for reservoir in (MLP(24, 32, 4), MLP(2, 32, 1), MLP(40, 5, 3, gain=0.7, linear_last=False)):
        online = OnlineObserver(
            reservoir, target_dim=1, num_streams=9, ridge_penalty=0.3, backend="numba"
        )
        for seed in (0, 1):
            reservoir.redraw(seed)  # the weights are taken anew
            online.reset()
            x = 3 * normal(9, reservoir.input_dim)
            online.update(x, normal(9, 1))  # the mean of one pair is the pair
            found, expected = online.sums().feature_mean, reservoir(x)
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
        with pytest.raises(ValueError, match="input_dim"):
            online.update(normal(9, reservoir.input_dim + 1), normal(9, 1))


def test_the_cache_of_compiled_code_notices_changes_of_the_files_it_is_built_on():
    from learnable_novelty.observer.online import kernel

    folder = Path(kernel.__file__).parent
    found = {name: digest(folder / name) for name in kernel.BUILT_ON}
    assert found == kernel.BUILT_ON, "write this to kernel.BUILT_ON"


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


@pytest.mark.parametrize("floor", FLOORS)
def test_features_that_overflow_are_refused_before_anything_changes(normal, floor):
    online, twin = (
        OnlineObserver(
            MLP(2, 6, 2), target_dim=2, num_streams=5, floor=floor, backend="numba", **KNOBS
        )
        for _ in range(2)
    )
    for _ in range(3):
        x, y = normal(5, 2), normal(5, 2)
        far = x.clone()
        far[4] = 1.7e308
        with pytest.raises(ValueError, match="must be finite"):
            online.update(far, y)
        assert torch.equal(online.update(x, y), twin.update(x, y))


@pytest.mark.parametrize("floor", FLOORS)
def test_a_state_moves_between_backends(pair_of, normal, floor):
    pair = pair_of(MLP(2, 6, 2), target_dim=2, num_streams=3, floor=floor, **KNOBS)
    for _ in range(20):
        pair.update(normal(3, 2), normal(3, 2))
    for _ in range(3):  # other sums than those that the compiled one has seen last
        pair.observers[0].update(normal(3, 2), normal(3, 2))
    pair.observers[1].load_state_dict(pair.observers[0].state_dict())
    for _ in range(20):
        pair.update(normal(3, 2), normal(3, 2))


def test_auto_takes_what_is_there(monkeypatch):
    def make(**knobs):
        return OnlineObserver(MLP(2, 4, 1), target_dim=1, ridge_penalty=0.3, **knobs)

    assert make().backend == "numpy"
    assert make(backend="auto").backend == "numba"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert make(backend="auto").backend == "numpy"
    with pytest.raises(MissingExtraError, match=r"needs the \[rl\] extra"):
        make(backend="numba")
    with pytest.raises(ValueError, match="backend must be auto, numpy or numba"):
        make(backend="cuda")
    with pytest.raises(ValueError, match="runs on the CPU"):
        make(backend="numba", device="cuda")


def test_numba_is_not_imported_before_it_is_asked_for():
    code = """
import sys
import learnable_novelty as ln
ln.OnlineObserver(ln.reservoirs.MLP(2, 4, 1), target_dim=1, ridge_penalty=0.3)
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)

"""The metric over batches and over ranks is the score of the undivided data."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from learnable_novelty import Observer, reservoirs
from learnable_novelty.integrations.torchmetrics import Epiplexity

WORKER = Path(__file__).with_name("metric_rank.py")


def observer(**setting):
    return Observer(reservoirs.MLP(3, 16, 3), **{"ridge_penalty": 0.1, **setting})


def pairs(n=501, dtype=torch.float64, offset=0.0):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    y = torch.stack([x[:, 0].sin(), x[:, 1] * x[:, 2], x[:, 0].exp(), x[:, 1]], 1) + offset
    return x.to(dtype), y.to(dtype)


@pytest.mark.parametrize("size", [1, 7, 100, 501])
@pytest.mark.parametrize("penalty", [0.1, 1e-4, "evidence"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_batches_add_up_to_the_score(size, penalty, dtype):
    x, y = pairs(dtype=dtype)
    metric = Epiplexity(observer(ridge_penalty=penalty), target_dim=4)
    for part in zip(x.split(size), y.split(size), strict=True):
        metric.update(*part)
    expected = float(observer(ridge_penalty=penalty)(x, y))
    assert metric.count == 501
    # In float32 the features themselves depend on the batch: matrix products of other shapes
    # round otherwise. The moments do not add to that.
    exact = 1e-10 if dtype == torch.float64 else 1e-5
    assert float(metric.compute()) == pytest.approx(expected, rel=exact)


def test_metrics_merge_and_reset_and_empty_batches_add_nothing():
    x, y = pairs()
    first, second = (Epiplexity(observer(), target_dim=4) for _ in range(2))
    first.update(x[:200], y[:200])
    first.update(x[:0], y[:0])
    second.update(x[200:], y[200:])
    first.merge_state(second)
    assert float(first.compute()) == pytest.approx(float(observer()(x, y)), rel=1e-10)
    first.reset()
    assert first.count == 0
    with pytest.warns(UserWarning, match="before the ``update``"):
        assert first.compute().isnan()
    first.update(x, y)
    assert float(first.compute()) == pytest.approx(float(observer()(x, y)), rel=1e-10)


def test_state_round_trips_and_the_observer_is_a_copy():
    x, y = pairs()
    seen = observer()
    metric = Epiplexity(seen, target_dim=4)
    seen.redraw(9)
    metric.persistent(True)
    metric.update(x[:100], y[:100])
    other = Epiplexity(observer(), target_dim=4)
    other.persistent(True)
    other.load_state_dict(metric.state_dict())
    other.update(x[100:], y[100:])
    assert float(other.compute()) == pytest.approx(float(observer()(x, y)), rel=1e-10)


def test_what_does_not_fit_is_refused():
    x, y = pairs()
    with pytest.raises(ValueError, match="solver must be auto or gram"):
        Epiplexity(observer(solver="spectral"), target_dim=4)
    with pytest.raises(TypeError, match="must be an Observer"):
        Epiplexity(reservoirs.MLP(3, 4, 1), target_dim=4)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="target_dim"):
        Epiplexity(observer(), target_dim=0)
    metric = Epiplexity(observer(), target_dim=3)
    with pytest.raises(ValueError, match="target_dim=3, got 4"):
        metric.update(x, y)
    with pytest.raises(ValueError, match="finite"):
        metric.update(x, y[:, :3] * torch.nan)
    assert metric.count == 0


def test_two_ranks_agree_with_the_undivided_data(tmp_path):
    x, y = pairs()
    torch.save({"x": x, "y": y}, tmp_path / "data.pt")
    ranks = [
        subprocess.Popen([sys.executable, str(WORKER), str(tmp_path), str(rank)])
        for rank in range(2)
    ]
    assert [rank.wait(timeout=120) for rank in ranks] == [0, 0]
    expected = float(observer()(x, y))
    for rank in range(2):
        found = torch.load(tmp_path / f"rank{rank}.pt", weights_only=True)
        assert found["whole"] == pytest.approx(expected, rel=1e-10)
        # Rank 1 saw nothing in the second round: what rank 0 saw is the score of both.
        assert found["lonely"] == pytest.approx(float(observer()(x[:100], y[:100])), rel=1e-10)
        # After the synchronized value, each rank goes on with what it had itself.
        assert found["own"] == (100 if rank == 0 else 0)

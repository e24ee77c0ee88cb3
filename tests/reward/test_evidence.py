"""Streams under the evidence ridge against the batch observer with the same ridge."""

import numpy as np
import pytest
import torch

from learnable_novelty.observer import reservoirs
from learnable_novelty.observer.digits import RoundingError
from learnable_novelty.observer.observer import Observer
from learnable_novelty.reward.bonus import Step
from learnable_novelty.reward.evidence import EvidenceStreams
from learnable_novelty.reward.novelty import NoveltyBonus
from learnable_novelty.reward.scale import ObservationScale


def series(kind, length=400):
    generator = torch.Generator().manual_seed(1)
    time = torch.arange(length + 1, dtype=torch.float64)
    if kind == "noise":
        rows = torch.randn(length + 1, 2, generator=generator, dtype=torch.float64)
    elif kind == "sine":
        rows = torch.stack([(0.1 * time).sin(), (0.23 * time).cos()], 1)
        rows += 0.01 * torch.randn(length + 1, 2, generator=generator, dtype=torch.float64)
    else:
        rows = torch.ones(length + 1, 2, dtype=torch.float64)
    return rows[:-1], rows[1:]


def test_payments_add_up_to_the_batch_score_at_every_evaluation():
    reservoir = reservoirs.MLP(2, 16, 3, seed=2)
    streams = EvidenceStreams(reservoir, num_streams=2, every=7)
    batch = Observer(reservoir, ridge_penalty="evidence")
    (x, y), (u, v) = series("sine"), series("noise")
    paid = np.zeros(2)
    for t in range(70):
        paid += streams.advance(torch.stack([x[t], u[t]]), torch.stack([y[t], v[t]]))
        if t % 7 == 6:
            expected = [
                float(batch(*(rows[: t + 1] for rows in pair))) for pair in ((x, y), (u, v))
            ]
            # The best penalty is the bottom of a flat valley: its place has half the digits.
            assert paid.tolist() == pytest.approx(expected, abs=1e-5)
    assert paid.tolist() == pytest.approx(streams.cumulative.tolist(), rel=1e-14)


def test_an_episode_is_paid_to_its_last_pair():
    trajectory = np.column_stack([np.sin(0.3 * np.arange(60)), np.cos(0.5 * np.arange(60))])
    scale = ObservationScale(np.zeros(2), np.ones(2))
    options = {"window": 3, "width": 16, "ridge_penalty": "evidence"}
    bonus = NoveltyBonus(scale, num_envs=1, seed=1, **options)
    batch = Observer(bonus.streams.reservoir, ridge_penalty="evidence")
    for last in (24, 49, 51):  # 21, 46 and 48 pairs: with and without some left over
        episode = trajectory[: last + 1]
        paid = 0.0
        for t in range(last):
            ended = np.array([t + 1 == last])
            step = Step(episode[t, None], np.zeros((1, 0)), episode[t + 1, None], ended)
            paid += float(bonus.pay(step)[0])
        inputs = torch.from_numpy(episode[:-3])
        targets = np.stack([episode[i + 1 : i + 4].ravel() for i in range(last - 2)])
        expected = float(batch(inputs, torch.from_numpy(targets)))
        assert paid == pytest.approx(expected, abs=1e-5)


def test_structure_is_paid_and_noise_and_constants_are_not():
    reservoir = reservoirs.MLP(2, 32, 4, seed=0)
    scores = {}
    for kind in ("sine", "noise", "constant"):
        streams = EvidenceStreams(reservoir, num_streams=1)
        x, y = series(kind)
        for t in range(len(x)):
            streams.advance(x[t : t + 1], y[t : t + 1])
        scores[kind] = float(streams.cumulative)
    assert scores["sine"] > 1
    assert scores["noise"] < 0.5
    assert scores["constant"] == 0.0


def test_streams_are_reset_and_paused_one_by_one():
    streams = EvidenceStreams(reservoirs.MLP(2, 16, 3), num_streams=3, every=2)
    x, y = series("sine")
    active = torch.tensor([True, True, False])
    for t in range(40):
        streams.advance(x[t].expand(3, 2), y[t].expand(3, 2), active)
    assert streams.cumulative[2] == 0
    assert streams.cumulative[0] == streams.cumulative[1] > 0
    streams.reset(torch.tensor([True, False, False]))
    assert streams.cumulative[0] == 0 < streams.cumulative[1]
    streams.reset()
    assert not streams.cumulative.any()
    with pytest.raises(ValueError, match="every 1 or more pairs"):
        EvidenceStreams(reservoirs.MLP(2, 16, 3), num_streams=1, every=0)


@pytest.mark.parametrize("period", [2, 3, 5])
def test_an_episode_without_any_noise_is_paid_and_not_refused(period):
    reservoir = reservoirs.MLP(6, 32, 3, seed=0)
    states = torch.randint(0, 2, (period, 6), generator=torch.Generator().manual_seed(0)).double()
    time = torch.arange(64)
    x, y = states[time % period], states[(time + 1) % period]
    with pytest.raises(RoundingError):  # the ridge of largest evidence is rounding
        observer = Observer(reservoir, ridge_penalty="evidence")
        observer.bits(observer.moments(observer.rows(x, y)))
    streams = EvidenceStreams(reservoir, num_streams=1)
    paid = sum(float(streams.advance(x[t, None], y[t, None])[0]) for t in time)
    small = float(Observer(reservoir, ridge_penalty=1e-6, solver="spectral")(x, y))
    assert paid == pytest.approx(small, rel=1e-3)

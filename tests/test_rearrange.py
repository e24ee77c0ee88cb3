import numpy as np
import pytest
import torch

from learnable_novelty.measure.null import Null
from learnable_novelty.rearrange import (
    Rearrangements,
    correlation_time,
    row_orders,
    shift_orders,
)
from novelty_lab.studies.calibration.processes import filtered


def test_row_orders_are_permutations():
    for kind, space in (("rows", ()), ("samples", (4,)), ("translations", (3, 4))):
        sites = int(np.prod(space))
        for order in row_orders(kind, 6, space, 3, 0):
            assert sorted(order.tolist()) == list(range(6 * sites))


def test_whole_samples_stay_whole():
    for order in row_orders("samples", 5, (4,), 3, 0):
        blocks = order.reshape(5, 4)
        assert torch.equal(blocks % 4, torch.arange(4).expand(5, 4))
        assert all(len(set((block // 4).tolist())) == 1 for block in blocks)


def test_translations_rotate_each_sample_as_a_lattice():
    order = next(row_orders("translations", 4, (3, 5), 1, 0)).reshape(4, 3, 5)
    sites = torch.arange(15).reshape(3, 5)
    for sample in order % 15:
        assert any(
            torch.equal(sample, sites.roll((i, j), (0, 1))) for i in range(3) for j in range(5)
        )


def test_shifts_are_an_evenly_spaced_group_beyond_the_spacing():
    orders = shift_orders(1000, 10, 99)
    starts = [int(order[0]) for order in orders]
    assert len(starts) == 99
    assert starts == [10 * j for j in range(1, 100)]
    assert len(shift_orders(1000, 24, 99)) == 39  # 41 groups fit; 40 is a multiple of 20
    assert len(shift_orders(1000, 400, 99)) == 19  # fewer than 20 could never reach 0.05
    assert torch.equal(orders[0], (torch.arange(1000) + 10) % 1000)


def test_correlation_time_of_an_autoregression():
    series = filtered(np.random.default_rng(0), 40_000, past=(0.9,))
    assert correlation_time(torch.from_numpy(series)) == pytest.approx(19, rel=0.25)
    white = torch.from_numpy(np.random.default_rng(0).standard_normal((5000, 2)))
    assert correlation_time(white) <= 2
    assert correlation_time(torch.ones(50, 1)) == 1


def test_short_forms_of_a_null():
    assert Null.of(9) == Null(9)
    assert Null.of("linear") == Null(None, "linear")
    assert (Null.of("linear").drawn, Null(kind="rows").drawn, Null(7, "rows").drawn) == (99, 999, 7)
    for bad in (-5, 2.5, True, "dance"):
        with pytest.raises(ValueError, match="null must be"):
            Null.of(bad)
    with pytest.raises(ValueError, match="null must be"):
        Null(-5)
    assert Null.of(Null(3, "rows")) == Null(3, "rows")


def test_weights_are_signs_and_then_two_points_with_their_skewness():
    moves = Rearrangements("groups", 3000, 0, groups=np.arange(3000) // 2)
    signs, skewed = (torch.cat(list(moves.weights("mean", 40, stretches=False)))).split(40)
    assert torch.equal(signs, torch.cat(list(moves.signs("mean", 40, stretches=False))))
    assert torch.equal(skewed[:, ::2], skewed[:, 1::2])  # one weight for each group
    low, high = skewed.unique().tolist()
    assert low * high == pytest.approx(-1) and low + high == pytest.approx(1)  # the golden ratio
    moments = [float(skewed.pow(k).mean()) for k in (1, 2, 3)]
    assert moments == pytest.approx([0, 1, 1], abs=0.05)

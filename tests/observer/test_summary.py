"""Mergeable moments."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from learnable_novelty.observer.summary import CHUNK_ROWS, Moments, merge

FIELDS = ("feature_mean", "target_mean", "gram", "cross", "target_power")


def assert_close(got, expected, rtol=1e-10):
    assert got.count == pytest.approx(expected.count, rel=1e-14)
    for name in FIELDS:
        a, b = getattr(got, name), getattr(expected, name)
        scale = float(b.abs().max())
        assert a.shape == b.shape
        assert float((a - b).abs().max()) <= rtol * max(scale, 1e-300), name


@pytest.mark.parametrize("rows", [1, 2, 50, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS + 77])
def test_moments_are_the_population_covariance(normal, rows):
    h, y = 3 + normal(rows, 4), 2 * normal(rows, 3) - 1
    got = Moments.of(h, y)
    joint = np.cov(np.hstack([h.numpy(), y.numpy()]).T, ddof=0) if rows > 1 else np.zeros((7, 7))
    assert got.count == rows
    np.testing.assert_allclose(got.feature_mean, h.numpy().mean(0), rtol=1e-12)
    np.testing.assert_allclose(got.target_mean, y.numpy().mean(0), rtol=1e-10)
    np.testing.assert_allclose(got.gram, rows * joint[:4, :4], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(got.cross, rows * joint[:4, 4:], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(got.target_power, rows * np.diag(joint)[4:], rtol=1e-10)
    assert (got.feature_dim, got.target_dim) == (4, 3)


@settings(max_examples=40, deadline=None)
@given(
    cuts=st.lists(st.integers(1, 59), max_size=6, unique=True),
    seed=st.integers(0, 2**16),
    offset=st.sampled_from([0.0, 10.0]),
)
def test_any_split_merges_to_the_whole(cuts, seed, offset):
    generator = torch.Generator().manual_seed(seed)
    h = torch.randn(60, 3, generator=generator, dtype=torch.float64) + offset
    y = torch.randn(60, 2, generator=generator, dtype=torch.float64)
    edges = [0, *sorted(cuts), 60]
    parts = [Moments.of(h[a:b], y[a:b]) for a, b in itertools.pairwise(edges)]
    whole = Moments.of(h, y)
    assert_close(merge(parts), whole)
    assert_close(merge(reversed(parts)), whole)
    half = len(parts) // 2
    if half:
        assert_close(merge(parts[:half]) + merge(parts[half:]), whole)


def test_weights_are_counts(normal, rng):
    h, y = normal(30, 4), normal(30, 3)
    counts = torch.randint(0, 6, (30,), generator=rng)
    repeated = Moments.of(h.repeat_interleave(counts, 0), y.repeat_interleave(counts, 0))
    assert_close(Moments.of(h, y, counts.double()), repeated)
    assert_close(Moments.of(h, y, counts), repeated)


def test_grouped_inputs_equal_the_rows_they_stand_for(normal, rng):
    table = normal(7, 4)
    group = torch.cat([torch.arange(7), torch.randint(0, 7, (93,), generator=rng)])
    y = 3 + normal(100, 3)
    counts = torch.bincount(group, minlength=7)
    sums = torch.zeros(7, 3, dtype=torch.float64).index_add_(0, group, y)
    grouped = Moments.grouped(table, counts, sums, y.square().sum(0))
    assert_close(grouped, Moments.of(table[group], y))


def test_a_nearly_constant_stream_keeps_its_digits(rng):
    # Raw sums would hold 1e16 per row and lose the unit variance altogether.
    noise = torch.randn(300, 2, generator=rng, dtype=torch.float64)
    h, y = 1e8 + noise[:, :1], 1e8 - noise[:, 1:]
    parts = [Moments.of(h[i : i + 7], y[i : i + 7]) for i in range(0, 300, 7)]
    with mp.workdps(50):
        a, b = [mp.mpf(v) for v in h[:, 0].tolist()], [mp.mpf(v) for v in y[:, 0].tolist()]
        ma, mb = mp.fsum(a) / 300, mp.fsum(b) / 300
        gram = float(mp.fsum((u - ma) ** 2 for u in a))
        cross = float(mp.fsum((u - ma) * (v - mb) for u, v in zip(a, b, strict=True)))
        power = float(mp.fsum((v - mb) ** 2 for v in b))
    for moments in (Moments.of(h, y), merge(parts), merge(Moments.of(u, v) for u, v in rows(h, y))):
        assert float(moments.gram) == pytest.approx(gram, rel=1e-7)
        assert float(moments.cross) == pytest.approx(cross, abs=1e-7 * gram)
        assert float(moments.target_power) == pytest.approx(power, rel=1e-7)


def rows(h, y):
    return zip(h.split(1), y.split(1), strict=True)


def test_moments_are_differentiable(normal):
    h, y = normal(6, 2).requires_grad_(), normal(6, 2).requires_grad_()

    def flat(a, b):
        moments = Moments.of(a[:4], b[:4]) + Moments.of(a[4:], b[4:])
        return torch.cat([getattr(moments, name).flatten() for name in FIELDS])

    assert torch.autograd.gradcheck(flat, (h, y))


@pytest.mark.parametrize(
    "h, y, w, error, message",
    [
        ((5,), (5, 1), None, ValueError, r"features \(num_rows, columns\), got \(5,\)"),
        ((5, 2), (5, 1, 1), None, ValueError, r"targets \(num_rows, columns\)"),
        ((5, 2), (4, 1), None, ValueError, "as many target rows as feature rows, 5, got 4"),
        ((0, 2), (0, 1), None, ValueError, "at least one row"),
        ((5, 2), (5, 1), [1.0] * 4, ValueError, r"weights \(num_rows=5,\)"),
        ((3, 2), (3, 1), [1.0, -1.0, 1.0], ValueError, "none negative"),
        ((3, 2), (3, 1), [0.0, 0.0, 0.0], ValueError, "not all zero"),
        ((3, 2), (3, 1), [1.0, float("nan"), 1.0], ValueError, "counts"),
    ],
)
def test_bad_rows_are_refused(h, y, w, error, message):
    weights = None if w is None else torch.tensor(w)
    with pytest.raises(error, match=message):
        Moments.of(torch.zeros(h), torch.zeros(y), weights)


def test_moments_travel_between_processes_bit_for_bit():
    held = Moments.of(torch.randn(50, 3), torch.randn(50, 2))
    buffers = []
    sent = pickle.dumps(held, protocol=5, buffer_callback=buffers.append)
    frozen = [bytes(buffer) for buffer in buffers]  # as they come over a network: not writable
    for got in (pickle.loads(sent, buffers=frozen), copy.deepcopy(held)):
        assert all(torch.equal(getattr(got, name), getattr(held, name)) for name in FIELDS)
        assert (got.count, got.feature_eps, got.target_eps) == (50, held.feature_eps, 2**-23)
        assert torch.equal((got + held).gram, (held + held).gram)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_packed_moments_are_unpacked_as_they_were(normal, dtype):
    held = Moments.of(normal(40, 3).float(), normal(40, 2), accumulate_dtype=dtype)
    vector = held.pack()
    assert vector.shape == (3 + 2 * (3 + 2) + 9 + 6 + 2,)
    assert vector.dtype == torch.float64
    back = Moments.unpack(vector, 3, 2, dtype)
    assert (back.count, back.feature_eps, back.target_eps) == (40.0, 2.0**-23, 2.0**-52)
    for name in (*FIELDS, "feature_mean_low", "target_mean_low"):
        assert torch.equal(getattr(back, name), getattr(held, name))
        assert getattr(back, name).dtype == dtype

"""Randomness is split by label, never global."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import torch

from learnable_novelty.seeds import numpy_generator, split, torch_generator


def test_labels_do_not_run_together():
    assert len({split(1, "ab", "c"), split(1, "a", "bc"), split(1, "abc"), split(1, "ab/c")}) == 4
    assert split(1, 2) != split(1, "2") != split(12)
    assert (
        len({split(s, a, b) for s in range(4) for a in ("null", "draw") for b in range(50)}) == 400
    )


def test_children_follow_the_written_rule_and_are_seeds_again():
    digest = hashlib.sha256(b"5/'null'/2").digest()
    expected = int.from_bytes(digest[:8], "big") // 2
    assert split(5, "null", 2) == split(np.int64(5), "null", 2) == expected
    assert np.array_equal(
        numpy_generator(5, "null", 2).random(5), np.random.default_rng(expected).random(5)
    )
    drawn = torch.rand(5, generator=torch.Generator().manual_seed(expected))
    assert torch.equal(torch.rand(5, generator=torch_generator(5, "null", 2)), drawn)
    assert 0 <= split(split(5, "null", 2), "again") < 2**63


def test_splitting_a_generator_advances_it():
    generator = torch.Generator().manual_seed(1)
    first, second = split(generator, "x"), split(generator, "x")
    assert first != second
    assert split(torch.Generator().manual_seed(1), "x") == first


def test_global_state_is_left_alone():
    torch.manual_seed(0)
    before = torch.get_rng_state().clone()
    numpy_before = np.random.get_state()[1].copy()  # noqa: NPY002
    split(0, "a")
    torch.rand(3, generator=torch_generator(0, "a"))
    numpy_generator(0, "a").random()
    assert torch.equal(before, torch.get_rng_state())
    assert np.array_equal(numpy_before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, True, 1.0, 1.7, "3", None, np.float64(2), np.bool_(True)])
def test_a_seed_that_is_no_natural_number_is_refused(seed):
    with pytest.raises(ValueError, match=r"non-negative integer or a torch\.Generator"):
        split(seed)


@pytest.mark.parametrize("seed", [-1, True, 1.7, "3"])
def test_estimators_and_callbacks_take_no_other_seed_either(seed):
    from learnable_novelty.lightning import EpiplexityMonitor
    from learnable_novelty.sklearn import EpiplexityRegressor, ReservoirFeatures

    rows = np.random.default_rng(0).standard_normal((8, 2))
    with pytest.raises(ValueError, match="seed must be a non-negative integer"):
        EpiplexityMonitor("layer", seed=seed)
    with pytest.raises(ValueError, match="seed must be a non-negative integer"):
        ReservoirFeatures(seed=seed).fit(rows)
    with pytest.raises(ValueError, match="seed must be a non-negative integer"):
        EpiplexityRegressor(seed=seed).fit(rows, rows)

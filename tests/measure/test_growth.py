"""Scores by an observer that grows on one part of the data and judges the other."""

import dataclasses

import numpy as np
import pytest

import learnable_novelty as ln
from learnable_novelty.data.open import in_memory
from learnable_novelty.errors import UserError
from learnable_novelty.measure.growth import _divided
from learnable_novelty.measure.null import Null
from learnable_novelty.measure.task import Settings, Task

QUICK = {"draws": 2, "null": 19}


def product_of_signs(rows, columns=8, seed=0):
    x = np.sign(np.random.default_rng(seed).standard_normal((rows, columns)))
    return x, x[:, 1] * x[:, 3] * x[:, 4]


def test_a_product_that_the_frozen_observer_hardly_sees_is_found():
    x, y = product_of_signs(1000, 12)
    frozen, grown = ln.score(x, y, **QUICK), ln.score(x, y, observer="growing", **QUICK)
    assert frozen.held_out_variance < 0.5
    assert grown.held_out_variance > 0.95
    assert grown.p_value == 0.05
    assert grown.num_samples == 500
    assert sum(share for _, share in grown.focus) == pytest.approx(1)
    assert {name for name, _ in grown.importance[:3]} == {"input 2", "input 4", "input 5"}
    assert sum(step.kept for step in grown.profile) == 1
    assert "grown on 500 of 1000 samples" in str(grown)


def test_without_growth_it_is_the_frozen_score_to_the_last_digit():
    random = np.random.default_rng(1)
    x, y = random.standard_normal((200, 4)), random.standard_normal(200)
    frozen, grown = ln.score(x, y, **QUICK), ln.score(x, y, observer="growing", **QUICK)
    assert grown.profile[0].kept
    assert grown.excess_bits < 0.05
    same = dataclasses.replace(grown, profile=None, decisions=frozen.decisions)
    assert same == frozen


def test_growth_does_not_look_at_what_is_judged():
    x, y = product_of_signs(400)
    first = ln.score(x, y, observer="growing", **QUICK)
    places = np.arange(400.0)
    source = in_memory(places, places)
    task = Task.of(source.layout(), Settings(None, 1, Null(0), 0))
    grows, judged, total = _divided(source, task, 0)
    grows, judged = grows.targets[:, 0].numpy(), judged.rows.targets[:, 0].numpy()
    assert total == 400
    assert sorted([*grows, *judged]) == places.tolist()
    other = y.copy()
    other[judged.astype(int)] = np.random.default_rng(5).permutation(other[judged.astype(int)])
    second = ln.score(x, other, observer="growing", **QUICK)
    assert second.profile == first.profile
    assert second.held_out_variance < 0.1 < first.held_out_variance


def test_copies_of_a_row_stay_on_one_side():
    rows = np.random.default_rng(3).standard_normal((60, 3))[np.arange(180) % 60]
    settings = Settings(None, 2, Null(0), 0)
    source = in_memory(rows[:, :2], rows[:, 2])
    task = Task.of(source.layout(), settings)
    for seed in range(5):
        part, others, total = _divided(source, task, seed)
        first, second = (set(map(tuple, x.tolist())) for x in (part.inputs, others.rows.inputs))
        assert total == part.count + others.rows.count and abs(part.count - 90) < 3
        assert not first & second and len(first | second) == 60


def test_a_series_grows_on_its_first_half():
    x = np.empty(800)
    x[0] = 0.3
    for t in range(799):
        x[t + 1] = 3.97 * x[t] * (1 - x[t])
    found = ln.score(x, leads=[4], observer="growing", **QUICK)
    assert found.num_samples == 396
    assert found.held_out_variance > 0.8


def test_bad_requests_are_refused_in_a_sentence():
    x = np.random.default_rng(0).standard_normal((79, 2))
    with pytest.raises(UserError, match="at least 80 samples to grow on one half"):
        ln.score(x, x[:, 0], observer="growing")
    with pytest.raises(UserError, match="an Observer or \"growing\", got 'grown'"):
        ln.score(x, x[:, 0], observer="grown")

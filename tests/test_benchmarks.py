"""The benchmarks run, and the two ways that each compares agree."""

import pytest
import torch

from benchmarks import (
    automata,
    null,
    online,
    small,
)
from novelty_lab.paper.fig2_automata.automata import AutomatonConfig

TINY = AutomatonConfig(samples=8, burn_in=20, window=4, channels=16, draws=2)


def test_counted_patterns_score_as_every_site_does():
    for rule in (30, 110):
        ours = automata.our_scores(TINY, rule)
        plain = [automata.plain_score(TINY, rule, draw) for draw in range(TINY.draws)]
        assert ours == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("collinear", [False, True])
def test_online_steps_agree_with_an_svd_per_stream(collinear):
    case = online.Case(2, 12, collinear)
    plain, *ours = online.prepare(8, case, num_streams=3, num_pairs=40).values()
    for _ in range(40):
        expected = plain()
        for step in ours:
            torch.testing.assert_close(expected, step(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("noise", [0.3, 3.0, 100.0])
def test_the_p_value_of_a_small_score_is_that_of_fresh_fits(noise):
    plain, ours = small.prepare(60, noise, permutations=39)
    assert plain() == ours()


WAYS = {
    "null": lambda: null.prepare(300, 16, 4, nulls=5, floors=3),
    "many targets": lambda: null.prepare_many_targets(200, 8, 20, floors=3),
}


@pytest.mark.parametrize("name", WAYS)
def test_the_plain_way_and_ours_give_the_same(name):
    plain, ours = WAYS[name]()
    torch.testing.assert_close(plain(), ours(), rtol=1e-8, atol=1e-8)

"""The toy of televisions: who watches, what is shown, and that white noise does not hold."""

import numpy as np
import pytest

from stress.televisions import ENVS, LENGTH, PRESS, TELEVISIONS, Toy, pay


@pytest.mark.parametrize("name", TELEVISIONS)
def test_half_of_the_agents_watch_and_episodes_have_their_length(name):
    toy = Toy(TELEVISIONS[name], 0)
    steps = list(toy.episodes(2))
    assert [step.ended.all() for step in steps] == ([False] * (LENGTH - 1) + [True]) * 2
    assert steps[0].next_observations.shape == (ENVS, toy.dim)
    presses = np.mean([step.actions[:, PRESS] for step in steps], axis=0)
    stays = TELEVISIONS[name].stays
    if not TELEVISIONS[name].wall:
        expected = 0.9 / stays if stays else 0.9 / LENGTH
        assert presses[toy.watches].mean() == pytest.approx(expected + 0.1 / 7, abs=0.05)
    assert presses[~toy.watches].mean() == pytest.approx(0.1 / 3, abs=0.02)


def test_slides_stay_as_long_as_they_are_watched():
    steps = list(Toy(TELEVISIONS["slides of 10 steps"], 0).episodes(1))
    watched = [step for step in steps[1:10] if step.actions[0, PRESS + 1]]
    assert len(watched) > 5
    assert all((s.next_observations[0] == s.observations[0]).all() for s in watched[1:])


def test_white_noise_pays_a_watcher_less_than_half_of_an_explorer():
    watcher, explorer = pay(TELEVISIONS["white noise"], life=150)
    assert watcher < explorer / 2

"""Pairs of observations and windows against plain lists of what each episode showed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from learnable_novelty.reward.windows import Windows


@given(
    window=st.integers(1, 6),
    ends=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=40),
)
def test_pairs_are_those_of_the_episodes_so_far(window, ends):
    rng = np.random.default_rng(0)
    windows = Windows(3, window, 2)
    episodes = [[rng.standard_normal(2)] for _ in range(3)]
    for ended in ends:
        before = np.stack([episode[-1] for episode in episodes])
        after = rng.standard_normal((3, 2))
        ready = windows.push(before, after)
        for env, episode in enumerate(episodes):
            episode.append(after[env])
            assert ready[env] == (len(episode) > window)
            if ready[env]:
                assert np.array_equal(windows.inputs[env], episode[-window - 1])
                assert np.array_equal(windows.targets[env], np.concatenate(episode[-window:]))
        windows.forget(np.array(ended))
        for env in np.flatnonzero(ended):
            episodes[env] = [rng.standard_normal(2)]


def test_an_idle_environment_starts_with_what_it_shows_next():
    windows = Windows(2, 1, 1)
    idle = np.array([True, False])
    assert windows.push(np.array([[9.0], [0.0]]), np.array([[1.0], [1.0]]), idle).tolist() == [
        False,
        True,
    ]
    ready = windows.push(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]]))
    assert ready.all()
    assert windows.inputs[:, 0].tolist() == [1.0, 1.0]
    assert windows.targets[:, 0].tolist() == [2.0, 2.0]

"""Pairs of observations and windows against plain lists of what each episode showed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable_novelty.reward.novelty import EpisodeWindows, write_plain
from learnable_novelty.reward.scale import ObservationScale


@settings(deadline=None)  # the first example compiles
@given(
    window=st.integers(1, 6),
    ends=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=40),
    clip=st.sampled_from([None, 0.7]),
    compiled=st.booleans(),
)
def test_pairs_are_those_of_the_episodes_so_far(window, ends, clip, compiled):
    write = write_plain
    if compiled:
        pytest.importorskip("numba")
        from learnable_novelty.reward.compiled import write_compiled as write
    rng = np.random.default_rng(0)
    scale = ObservationScale(np.array([0.2, -1.0]), np.array([0.5, 2.0]), clip)
    windows = EpisodeWindows(scale, 3, window)
    windows._write = write
    episodes = [[rng.standard_normal(2)] for _ in range(3)]
    for ended in ends:
        before = np.stack([episode[-1] for episode in episodes])
        after = rng.standard_normal((3, 2))
        ready = windows.push(before, after)
        for env, episode in enumerate(episodes):
            episode.append(after[env])
            assert ready[env] == (len(episode) > window)
            if ready[env]:
                assert np.array_equal(windows.inputs[env], scale(episode[-window - 1]))
                expected = scale(np.stack(episode[-window:])).ravel()
                assert np.array_equal(windows.targets[env], expected)
        windows.forget(np.array(ended))
        for env in np.flatnonzero(ended):
            episodes[env] = [rng.standard_normal(2)]


def test_an_idle_environment_starts_with_what_it_shows_next():
    windows = EpisodeWindows(ObservationScale(np.zeros(1), np.ones(1)), 2, 1)
    idle = np.array([True, False])
    assert windows.push(np.array([[9.0], [0.0]]), np.array([[1.0], [1.0]]), idle).tolist() == [
        False,
        True,
    ]
    ready = windows.push(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]]))
    assert ready.all()
    assert windows.inputs[:, 0].tolist() == [1.0, 1.0]
    assert windows.targets[:, 0].tolist() == [2.0, 2.0]

"""Sparse worlds and their distractors."""

import numpy as np
import pytest

pytest.importorskip("minigrid")

from novelty_lab.studies.explore.minigrid import DONE, LEFT
from novelty_lab.studies.explore.worlds import CHANNELS, PIXELS, GridVecEnv


@pytest.fixture(scope="module")
def pools(tmp_path_factory):
    import novelty_lab.studies.explore.minigrid as compiled

    folder = tmp_path_factory.mktemp("pools")
    draw = compiled.Layouts.draw
    with pytest.MonkeyPatch.context() as patch:  # a small pool is enough here
        patch.setattr(
            compiled.Layouts,
            "draw",
            classmethod(lambda cls, task, count, seed: draw(task, count=8, seed=seed)),
        )
        compiled.Layouts.pool("MultiRoom-N4-S5", folder)
    return folder


def world(kind, pools, num_envs=3):
    venv = GridVecEnv("MultiRoom-N4-S5", kind, num_envs=num_envs, seed=1, pools=pools)
    return venv, venv.reset()


def step(venv, *actions):
    return venv.step(np.array(actions))[0]


def test_a_television_shows_noise_while_the_useless_action_is_taken(pools):
    venv, _ = world("tv", pools)
    shown = step(venv, DONE, LEFT, DONE)[:, -CHANNELS:]
    assert (shown[[0, 2]] != 0).all() and (shown[1] == 0).all()
    assert (step(venv, LEFT, LEFT, LEFT)[:, -CHANNELS:] == 0).all()


def test_a_television_in_the_pixels_replaces_the_view(pools):
    venv, before = world("pixels", pools)
    after = step(venv, DONE, LEFT, DONE)
    assert (
        len(np.unique(after[0, :PIXELS])) > 100 and (after[0, PIXELS:] == before[0, PIXELS:]).all()
    )
    assert (after[1, :PIXELS] * 10 == venv.grids.views[1].reshape(-1)).all()
    assert (step(venv, LEFT, LEFT, LEFT)[:, :PIXELS] * 10 == venv.grids.views.reshape(3, -1)).all()


def test_an_episode_ends_with_its_return_length_and_useless_actions(pools):
    venv, _ = world("pixels", pools, num_envs=1)
    for taken in range(1, 81):
        _, _, ended, infos = venv.step(np.array([DONE if taken % 4 == 0 else LEFT]))
        assert ended[0] == (taken == 80)
    assert infos[0]["episode"]["l"] == 80 and infos[0]["useless"] == 20
    assert infos[0]["TimeLimit.truncated"]
    assert len(np.unique(infos[0]["terminal_observation"])) > 100
